"""`fourcorners mark`: what a person says of a finding, and what was said of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.review.finding import Finding, ReviewState, Severity
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from fourcorners.library.entries import Entry
    from fourcorners.operations.access import Access
    from fourcorners.review.people.report_import import ImportOutcome

_STATES = {
    "confirm": ReviewState.CONFIRMED,
    "correct": ReviewState.CORRECTED,
    "reject": ReviewState.REJECTED,
    "flag": ReviewState.SECOND_LOOK,
    "undo": ReviewState.PROPOSED,
}


@dataclass(frozen=True, slots=True)
class _AnnotationOptions:
    """What is said of a finding."""

    says: Annotated[
        Literal["confirm", "correct", "reject", "flag", "undo"] | None,
        argument(
            "SAYS",
            "confirm, correct, reject, flag or undo. Without it: a comment, if one is given.",
        ),
    ] = None
    value: Annotated[str, option("--value WORDS", "The corrected value.", default=False)] = ""
    at: Annotated[
        str | None,
        option("--at START-END", "Instead of --value: the contract's words at these characters."),
    ] = None
    answer: Annotated[
        list[str] | None,
        option(
            "--answer QUESTION=ANSWER",
            "Your answer to a risk question, by its id: an option, a date, a period, an amount or "
            "a party; - where the contract does not say. May be repeated.",
        ),
    ] = None
    severity: Annotated[
        Literal["high", "medium", "low", "none"] | None,
        option("--severity LEVEL", "high, medium, low or none, whatever the playbook's rules say."),
    ] = None
    comment: Annotated[str, option("--comment WORDS", "Why, or else.", default=False)] = ""
    by: options.By = None


@spread
def mark(
    contract: options.Contract,
    provision: Annotated[
        str,
        argument(
            "PROVISION",
            "The provision's name or id; or an asked column's question, a unique part of it, "
            "or its id. Or parties: the contract's own, given with correct and --value "
            '"NAME (TERM); NAME (TERM)", with undo as they were read.',
        ),
    ],
    given: _AnnotationOptions,
    playbook: options.Playbook = "due-diligence",
    library: options.Library = None,
    collection: options.Collection = None,
    as_json: options.Json = False,
) -> None:
    """Confirm, correct, reject or flag a finding.

    A corrected value that the contract contains is shown with its place, read for its answers and
    judged by the playbook; any other is shown as your own words. Severity and recommendation follow
    from the answers; yours replace the program's. What was said is never changed or lost:
    undo is another remark. Each goes into the audit trail. Without anything to say, what was said
    of the finding is printed.
    """
    from fourcorners.cli.review.columns import find
    from fourcorners.operations.reviewing.findings import AnnotationRequest, annotate
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people import review_actions

    book = load_playbook(playbook)
    with console.open_access(library, given.by) as access:
        entry, store = access.find(contract, collection), access.common()
        if provision == "parties" and all(each.id != provision for each in book.provisions):
            _mark_parties(access, entry, given, as_json=as_json)
            return
        book, wanted = find(store, (entry.collection,), book, provision)
        asked = AnnotationRequest.from_fields(
            document=entry.id,
            provision=wanted.id,
            state=_STATES[given.says] if given.says else None,
            value=given.value,
            place=_place(given.at) if given.at else None,
            answers=dict(_answer(each) for each in given.answer or ()),
            severity=given.severity,
            comment=given.comment,
        )
        if asked.is_empty:
            finding = review_actions.load_finding(store, book, entry.id, wanted.id)
        else:
            finding = annotate(access, asked, book)
    if as_json:
        console.print_json(_json(entry.name, finding))
    else:
        _print(entry.name, wanted.name, finding)


def _mark_parties(
    access: Access, entry: Entry, given: _AnnotationOptions, *, as_json: bool
) -> None:
    """Give a contract its parties, or print them."""
    from fourcorners.operations.reviewing.reviews import give_contract_parties
    from fourcorners.review.parties import write_party

    if given.says not in (None, "correct", "undo") or bool(given.value) != (
        given.says == "correct"
    ):
        raise ConfigError(
            "a contract's parties are corrected or undone.",
            remedy='Write `correct --value "NAME (TERM); NAME (TERM)"`, or `undo`.',
        )
    if given.says is not None:
        give_contract_parties(access, entry.id, given.value.split(";"))
    parties = access.card(entry.id).parties
    if as_json:
        found = [{**asdict(each.value), "by": each.by} for each in parties]
        console.print_json({"document": entry.id, "name": entry.name, "parties": found})
        return
    for each in parties:
        source = f"given by {each.by}" if each.by else "as read"
        console.print_text(single_line(write_party(each.value)), (f"  {source}", "dim"))
    if not parties:
        console.print_text(("No party was identified in it.", "dim"))


def _answer(written: str) -> tuple[str, str]:
    question, sign, answer = written.partition("=")
    if not sign:
        raise ConfigError(
            f"--answer is {written!r}, which answers no question.",
            remedy="Write the question's id before the answer, as in effect=consent.",
        )
    return question.strip(), answer


def _place(written: str) -> Span:
    start, dash, end = written.partition("-")
    if not dash or not start.strip().isdecimal() or not end.strip().isdecimal():
        raise ConfigError(f"--at is {written!r}, which is no place.", remedy="Write it as 120-185.")
    if int(start) >= int(end):
        raise ConfigError(f"--at is {written!r}: the end lies before the start.")
    return Span(int(start), int(end))


def _json(name: str, finding: Finding) -> dict[str, object]:
    from fourcorners.reports.json import review_history

    return {
        "document": finding.document,
        "name": name,
        "provision": finding.provision,
        "state": finding.state,
        "severity": finding.severity,
        "answers": {each.id: each.value or None for each in finding.answers},
        **review_history(finding),
    }


def _print(name: str, provision: str, finding: Finding) -> None:
    from fourcorners.reports.grid import REVIEW_WORDS, format_annotation

    state = REVIEW_WORDS[finding.review]
    console.print_text(
        (single_line(name), "bold"), f", {single_line(provision)}: ", (state.lower(), "bold")
    )
    if finding.severity is not Severity.NONE:
        console.print_indented(2, f"{finding.severity.words}: {finding.reason}")
    if finding.headline:
        console.print_indented(2, single_line(finding.headline))
    if finding.value:
        where = "a person’s own words, not the contract’s"
        if finding.place:
            where = f"characters {finding.place.start}-{finding.place.end} of the contract"
        console.print_indented(2, single_line(finding.value))
        console.print_indented(2, (where, "dim"))
    for each in finding.remarks:
        console.print_indented(2, format_annotation(each))
    if not finding.remarks:
        console.print_indented(2, ("No remarks yet.", "dim"))


def import_report(
    file: Annotated[Path, argument("FILE", "The .xlsx report that people edited.")],
    dry_run: Annotated[bool, option("--dry-run", "Only say what would be done.")] = False,
    by: options.By = None,
    playbook: Annotated[
        str | None,
        option("--playbook -p NAME", "The playbook of the review, if it is not a built-in one."),
    ] = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Read states, values and comments from an edited Excel report.

    Each change becomes a remark, by the name in the row's column Reviewer if someone put a new one
    there, else by --by. A row is listed and not applied where another person has said something of
    the cell since the report was written, where the finding is another now, or where the row cannot
    be understood; the exit code is then 1. The same file may be read again: nothing is said twice.
    """
    from fourcorners.playbooks.load import builtin_names, load_playbook
    from fourcorners.reports import workbook_reading
    from fourcorners.research.columns.report import import_review_edits

    who = console.reviewer(by)
    edited = workbook_reading.read(file)
    if playbook is None and edited.playbook not in builtin_names():
        raise ConfigError(
            f"{file} is of the playbook {edited.playbook!r}, which is not a built-in one.",
            remedy="Name its file with --playbook.",
        )
    book = load_playbook(playbook or edited.playbook)
    if book.id != edited.playbook:
        raise ConfigError(
            f"{file} is of the playbook {edited.playbook!r}, not of {book.id!r}.",
            remedy="Name the playbook that the report is of with --playbook.",
        )
    with console.open_library(library) as store:
        outcome = import_review_edits(
            store, book, edited.edits, by=who, source=edited.sha256, dry_run=dry_run
        )
    outcome = replace(outcome, problems=(*edited.problems, *outcome.problems))
    if as_json:
        console.print_json({"dry_run": dry_run, "playbook": book.id, **asdict(outcome)})
    else:
        _print_outcome(outcome, dry_run=dry_run)
    if outcome.problems:
        raise typer.Exit(1)


def _print_outcome(outcome: ImportOutcome, *, dry_run: bool) -> None:
    from fourcorners.reports.grid import REVIEW_WORDS

    for each in outcome.applied:
        state = REVIEW_WORDS[each.state].lower() if each.state else "comment"
        value = f" “{shorten(each.value, 200)}”" if each.value else ""
        comment = f" {shorten(each.comment, 200)}" if each.comment else ""
        head = f"Row {each.row}, {single_line(each.document)}, {single_line(each.provision)}: "
        line = f"{head}{state} by {single_line(each.by)}.{value}{comment}"
        console.print_indented(2, line)
    for problem in outcome.problems:
        parts = filter(None, (problem.document, problem.provision))
        head = f"Row {problem.row}, {', '.join(map(single_line, parts))}: "
        console.print_indented(2, (head, "yellow"), single_line(problem.reason), head="✗")
    done = "would be applied" if dry_run else "applied"
    known = f", {outcome.known:,} known already" if outcome.known else ""
    left = f", {len(outcome.problems):,} not applied" if outcome.problems else ""
    console.print_text(
        f"{console.count_noun(len(outcome.applied), 'remark')} {done}{left}{known}; "
        f"{console.count_noun(outcome.untouched, 'cell')} untouched."
    )
