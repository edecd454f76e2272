"""`fourcorners mark`: what a person says of a finding, and what was said of it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import (
    ByOption,
    CollectionOption,
    JsonOption,
    LibraryOption,
    reviewer,
)
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.cli.output.console import Json
    from fourcorners.review.finding import Finding
    from fourcorners.text.span import Span


class MarkVerdict(StrEnum):
    """What one can say of a finding."""

    CONFIRM = "confirm"
    CORRECT = "correct"
    REJECT = "reject"
    FLAG = "flag"
    UNDO = "undo"


def mark(
    contract: Annotated[
        str,
        typer.Argument(
            metavar="CONTRACT", help="A contract, by a unique part of its name, its path or its id."
        ),
    ],
    provision: Annotated[
        str,
        typer.Argument(
            metavar="PROVISION",
            help="The provision's name or id; or an asked column's question, a unique part of it, "
            "or its id.",
        ),
    ],
    says: Annotated[
        MarkVerdict | None,
        typer.Argument(
            metavar="SAYS",
            help="confirm, correct, reject, flag or undo. Without it: a comment, if one is given.",
            show_default=False,
        ),
    ] = None,
    value: Annotated[
        str,
        typer.Option(
            "--value", metavar="WORDS", help="What should stand there instead.", show_default=False
        ),
    ] = "",
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="START-END",
            help="Instead of --value: the contract's words at these characters.",
            show_default=False,
        ),
    ] = None,
    comment: Annotated[
        str,
        typer.Option("--comment", metavar="WORDS", help="Why, or else.", show_default=False),
    ] = "",
    by: ByOption = None,
    playbook: Annotated[
        str,
        typer.Option("--playbook", "-p", metavar="NAME", help="The playbook of the review."),
    ] = "due-diligence",
    library: LibraryOption = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Confirm, correct, reject or flag a finding.

    A corrected value that stands in the contract is shown with its place; any other is shown as
    your own words. What was said is never changed or lost: undo is another remark. Each goes into
    the audit trail. Without anything to say, what was said of the finding is printed.
    """
    from fourcorners.cli.output import console
    from fourcorners.cli.review.columns import find
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.finding import ReviewState
    from fourcorners.review.people import review_actions as states

    meant = {
        MarkVerdict.CONFIRM: ReviewState.CONFIRMED,
        MarkVerdict.CORRECT: ReviewState.CORRECTED,
        MarkVerdict.REJECT: ReviewState.REJECTED,
        MarkVerdict.FLAG: ReviewState.SECOND_LOOK,
        MarkVerdict.UNDO: ReviewState.PROPOSED,
    }
    book = load_playbook(playbook)
    place = _place(at) if at else None
    with console.open_library(library, create=False) as store:
        entry = store.resolve(contract, collection)
        reviews = entry.collections if collection is None else (collection,)
        book, wanted = find(store, reviews, book, provision)
        if says is None and not (value or comment or place):
            finding = states.load_finding(store, book, entry.id, wanted.id)
        else:
            finding = states.annotate_finding(
                store,
                book,
                entry.id,
                wanted.id,
                by=reviewer(by),
                state=meant[says] if says else None,
                value=value,
                comment=comment,
                place=place,
            )
    if as_json:
        console.print_json(_json(entry.name, finding))
    else:
        _print(entry.name, wanted.name, finding)


def _place(written: str) -> Span:
    from fourcorners.text.span import Span

    start, dash, end = written.partition("-")
    if not dash or not start.strip().isdecimal() or not end.strip().isdecimal():
        raise ConfigError(f"--at is {written!r}, which is no place.", remedy="Write it as 120-185.")
    if int(start) >= int(end):
        raise ConfigError(f"--at is {written!r}: the end lies before the start.")
    return Span(int(start), int(end))


def _json(name: str, finding: Finding) -> Json:
    from fourcorners.reports.json import review_history

    return {
        "document": finding.document,
        "name": name,
        "provision": finding.provision,
        "state": finding.state.value,
        **review_history(finding),
    }


def _print(name: str, provision: str, finding: Finding) -> None:
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.reports.grid import REVIEW_WORDS, format_annotation
    from fourcorners.text.invisible_characters import single_line

    out = console.stdout_console()
    state = REVIEW_WORDS[finding.review]
    out.print(
        Text.assemble(
            (single_line(name), "bold"), f", {single_line(provision)}: ", (state.lower(), "bold")
        )
    )
    if finding.value:
        where = (
            f"characters {finding.place.start}-{finding.place.end} of the contract"
            if finding.place
            else "a person’s own words, not the contract’s"
        )
        console.print_indented(out, Text(single_line(finding.value)), 2)
        console.print_indented(out, Text(where, "dim"), 2)
    for each in finding.remarks:
        console.print_indented(out, Text(format_annotation(each)), 2)
    if not finding.remarks:
        console.print_indented(out, Text("Nobody said anything of it yet.", "dim"), 2)
