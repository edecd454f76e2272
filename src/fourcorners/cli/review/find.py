"""`fourcorners find`: which contracts have which provisions, by what the review found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import CollectionOption, JsonOption, LibraryOption

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.cli.output.console import Json
    from fourcorners.review.finding import Finding
    from fourcorners.review.selection.find import ContractMatch, Selection, SelectionQuery

_SHOWN = 240  # characters of a quote
_LISTED = 12  # contracts without review that are named


def find(
    question: Annotated[
        str,
        typer.Argument(
            metavar="QUESTION",
            help="Provisions with AND, OR, NOT and brackets, or a plain question that names them.",
        ),
    ],
    playbook: Annotated[
        str,
        typer.Option("--playbook", "-p", metavar="NAME", help="The playbook of the review."),
    ] = "due-diligence",
    party: Annotated[
        str | None,
        typer.Option("--party", metavar="NAME", help="Only contracts with a party of this name."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only contracts of this type."),
    ] = None,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find contracts by what the review found in them.

    Each is listed with the quotes that support it, and for what it lacks, with how far was
    searched. Contracts that were not reviewed for a provision are listed apart: they may have it.
    """
    from fourcorners.cli.output import console
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.selection.find import find_contracts as select
    from fourcorners.review.selection.find import parse_selection

    book = load_playbook(playbook)
    with console.open_library(library, create=False) as store:
        asked = parse_selection(store, question, book)
        selection = select(
            store,
            book,
            asked.condition,
            collection=collection,
            types=tuple(kind or asked.types),
            party=party or asked.party,
        )
    names = {provision.id: provision.name for provision in book.provisions}
    if as_json:
        console.print_json(_json(asked, selection, book.id, kind or asked.types, party))
        return
    out = console.stdout_console()
    _print_understood(out, asked, book.id, tuple(kind or asked.types), party or asked.party)
    _print_selection(out, asked, selection, names)


def _print_understood(
    out: Console, asked: SelectionQuery, playbook: str, types: Sequence[str], party: str
) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import single_line

    told = f"{asked.description}, by the review with {playbook}"
    told += f"; contracts of the type {' or '.join(types)}" if types else ""
    told += f"; a party named {party}" if party else ""
    print_indented(out, Text.assemble(("Understood: ", "dim"), (single_line(told), "bold")), 0)
    if asked.role:
        said = f"Who is {asked.role} is named where the contract says so; none is left out for it."
        print_indented(out, Text(said, "dim"), 0)
    if asked.unknown:
        said = f"Not understood, and left aside: {', '.join(asked.unknown)}."
        print_indented(out, Text(single_line(said), "yellow"), 0)
    out.print()


def _print_selection(
    out: Console, asked: SelectionQuery, selection: Selection, names: Mapping[str, str]
) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import count_noun, print_indented
    from fourcorners.text.invisible_characters import single_line

    for number, one in enumerate(selection.found, start=1):
        _print_answered(out, number, one, asked.role, names)
    told = f"{count_noun(len(selection.found), 'contract')} of {_reviewed(selection)} reviewed."
    out.print(Text(told, "bold"))
    if selection.open:
        said = (
            f"{count_noun(len(selection.open), 'contract')} not reviewed for all of it, and so "
            "neither among these nor without it:"
        )
        print_indented(out, Text(said, "yellow"), 0)
        for one in selection.open[:_LISTED]:
            print_indented(out, Text(single_line(f"{one.entry.name}: {', '.join(one.missing)}")), 2)
        if len(selection.open) > _LISTED:
            out.print(Text(f"  and {len(selection.open) - _LISTED} more", "dim"))
        out.print(Text("Review them with: fourcorners review", "dim"))
    if selection.unread:
        said = (
            f"{count_noun(len(selection.unread), 'file')} could not be read: see fourcorners status"
        )
        out.print(Text(said, "yellow"))


def _reviewed(selection: Selection) -> int:
    return len(selection.found) + len(selection.others)


def _print_answered(
    out: Console, number: int, one: ContractMatch, role: str, names: Mapping[str, str]
) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import single_line

    head = Text.assemble((f"{number}. ", "dim"), (single_line(one.entry.name), "bold"))
    if one.entry.type:
        head.append(f", {single_line(one.entry.type)}", "dim")
    print_indented(out, head, 0)
    parties = [
        f"{party.name} ({party.role or party.short})" if party.short else party.name
        for party in one.parties
    ]
    print_indented(out, Text(single_line("; ".join(parties)), "dim"), 3)
    if holder := _in_role(one, role):
        print_indented(out, Text(single_line(f"{role}: {holder}")), 3)
    for provision, finding in one.findings:
        _print_finding(out, names[provision], finding)
    out.print()


def _in_role(one: ContractMatch, role: str) -> str:
    held = [
        party.name
        for party in one.parties
        if role and role in (party.role.casefold(), party.short.casefold())
    ]
    return "; ".join(held)


def _print_finding(out: Console, name: str, finding: Finding | None) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.review.finding import CellState
    from fourcorners.text.invisible_characters import shorten, single_line

    head = (f"{single_line(name)}: ", "bold")
    if finding is None or finding.state is CellState.FAILED:
        print_indented(out, Text.assemble(head, ("not reviewed", "yellow")), 3)
        return
    if finding.state is CellState.NOT_APPLICABLE:
        print_indented(out, Text.assemble(head, "not asked of such a contract"), 3)
        return
    if finding.state is CellState.NOT_FOUND:
        print_indented(out, Text.assemble(head, f"not found ({_searched(finding)})"), 3)
        return
    rejected = ", rejected by a person" if finding.review.value == "rejected" else ""
    print_indented(out, Text.assemble(head, f"found{rejected}"), 3)
    for evidence in finding.evidence:
        place = evidence.path[-1] if evidence.path else ""
        page = f"page {evidence.pages[0]}" if evidence.pages else ""
        where = ", ".join(part for part in (shorten(place, 60) if place else "", page) if part)
        told = Text(f"“{shorten(evidence.quote.words, _SHOWN)}”")
        if where:
            told.append(f" ({where})", "dim")
        print_indented(out, told, 5)


def _searched(finding: Finding) -> str:
    searched = finding.searched
    if searched is None:
        return "nothing was searched"
    best = f"the best scored {searched.best.score:.2f}" if searched.best else "nothing scored"
    return f"{searched.passages} passages searched; {best}, {searched.threshold:.2f} would count"


def _json(
    asked: SelectionQuery,
    selection: Selection,
    playbook: str,
    types: Sequence[str],
    party: str | None,
) -> Json:
    return {
        "understood": {
            "condition": asked.description,
            "playbook": playbook,
            "types": list(types),
            "party": party or asked.party,
            "role": asked.role,
            "not_understood": list(asked.unknown),
        },
        "found": [_answered(one) for one in selection.found],
        "not_reviewed": [{**_head(one), "missing": list(one.missing)} for one in selection.open],
        "others": [_head(one) for one in selection.others],
        "unread": [each.path for each in selection.unread],
    }


def _head(one: ContractMatch) -> dict[str, Json]:
    return {
        "document": one.entry.id,
        "name": one.entry.name,
        "type": one.entry.type,
        "parties": [
            {"name": party.name, "short": party.short, "role": party.role} for party in one.parties
        ],
    }


def _answered(one: ContractMatch) -> Json:
    return {
        **_head(one),
        "findings": [
            {"provision": provision, **_finding(finding)} for provision, finding in one.findings
        ],
    }


def _finding(finding: Finding | None) -> dict[str, Json]:
    if finding is None:
        return {"state": "not_reviewed"}
    searched = finding.searched
    return {
        "state": finding.state.value,
        "review": finding.review.value,
        "quotes": [
            {
                "words": evidence.quote.words,
                "span": [evidence.quote.span.start, evidence.quote.span.end]
                if evidence.quote.span
                else None,
                "page": evidence.pages[0] if evidence.pages else None,
                "path": list(evidence.path),
                "score": round(evidence.score, 4),
            }
            for evidence in finding.evidence
        ],
        "passages_searched": searched.passages if searched else None,
        "error": finding.error,
    }
