"""`fourcorners find`: which contracts have which provisions, by what the review found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.review.finding import CellState, Evidence, Finding
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from fourcorners.review.selection.find import ContractMatch, Selection, SelectionQuery

_SHOWN = 240  # characters of a quote
_LISTED = 12  # contracts without review that are named


def find(
    question: Annotated[
        str,
        argument(
            "QUESTION",
            "Provisions with AND, OR, NOT and brackets, or a plain question that names them.",
        ),
    ],
    playbook: options.Playbook = "due-diligence",
    party: Annotated[
        str | None, option("--party NAME", "Only contracts with a party of this name.")
    ] = None,
    kind: Annotated[list[str] | None, option("--type TYPE", "Only contracts of this type.")] = None,
    library: options.Library = None,
    collection: options.Collection = None,
    as_json: options.Json = False,
) -> None:
    """Find contracts by what the review found in them.

    Each is listed with the quotes that support it, and for what it lacks, with how far was
    searched. Contracts that were not reviewed for a provision are listed apart: they may have it.
    """
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.selection.find import find_contracts, parse_selection

    book = load_playbook(playbook)
    with console.open_library(library) as store:
        asked = parse_selection(store, question, book)
        types, named = tuple(kind or asked.types), party or asked.party
        selection = find_contracts(
            store, book, asked.condition, collection=collection, types=types, party=named
        )
    if as_json:
        understood = {
            "condition": asked.description,
            "playbook": book.id,
            "types": types,
            "party": named,
            "role": asked.role,
            "not_understood": asked.unknown,
        }
        console.print_json({"understood": understood, **_value(selection)})
        return
    what = f"{asked.description}, by the review with {book.id}"
    what += f"; contracts of the type {' or '.join(types)}" if types else ""
    what += f"; a party named {named}" if named else ""
    console.print_indented(0, ("Understood: ", "dim"), (single_line(what), "bold"))
    if asked.role:
        note = f"Who is {asked.role} is named where the contract says so; none is left out for it."
        console.print_indented(0, (note, "dim"))
    if asked.unknown:
        note = f"Not understood, so nothing is filtered by it: {' '.join(asked.unknown)}"
        console.print_indented(0, (single_line(note), "yellow"))
    console.print_text()
    names = {provision.id: provision.name for provision in book.provisions}
    _print_selection(asked, selection, names)


def _print_selection(asked: SelectionQuery, selection: Selection, names: Mapping[str, str]) -> None:
    for number, one in enumerate(selection.found, start=1):
        _print_answered(number, one, asked.role, names)
    reviewed = len(selection.found) + len(selection.others)
    line = f"{console.count_noun(len(selection.found), 'contract')} of {reviewed} reviewed"
    left = f"; not filtered by {' '.join(asked.unknown)}" if asked.unknown else ""
    console.print_text((single_line(f"{line}{left}."), "bold"))
    if selection.open:
        note = (
            f"{console.count_noun(len(selection.open), 'contract')} not reviewed for all of it, "
            "and so neither among these nor without it:"
        )
        console.print_indented(0, (note, "yellow"))
        for one in selection.open[:_LISTED]:
            console.print_indented(2, single_line(f"{one.entry.name}: {', '.join(one.missing)}"))
        if len(selection.open) > _LISTED:
            console.print_text((f"  and {len(selection.open) - _LISTED} more", "dim"))
        console.print_text(("Review them with: fourcorners review", "dim"))
    if selection.unread:
        unread = console.count_noun(len(selection.unread), "file")
        console.print_text((f"{unread} could not be read: see fourcorners status", "yellow"))


def _print_answered(number: int, one: ContractMatch, role: str, names: Mapping[str, str]) -> None:
    kind = f", {single_line(one.entry.type)}" if one.entry.type else ""
    name = (single_line(one.entry.name), "bold")
    console.print_indented(0, (f"{number}. ", "dim"), name, (kind, "dim"))
    parties = [
        f"{party.name} ({party.role or party.short})" if party.short else party.name
        for party in one.parties
    ]
    console.print_indented(3, (single_line("; ".join(parties)), "dim"))
    if holder := _in_role(one, role):
        console.print_indented(3, single_line(f"{role}: {holder}"))
    for provision, finding in one.findings:
        _print_finding(names[provision], finding)
    console.print_text()


def _in_role(one: ContractMatch, role: str) -> str:
    held = [
        party.name
        for party in one.parties
        if role and role in (party.role.casefold(), party.short.casefold())
    ]
    return "; ".join(held)


def _print_finding(name: str, finding: Finding | None) -> None:
    head = (f"{single_line(name)}: ", "bold")
    if finding is None or finding.state is CellState.FAILED:
        console.print_indented(3, head, ("not reviewed", "yellow"))
        return
    if finding.state is CellState.NOT_APPLICABLE:
        console.print_indented(3, head, "not asked of such a contract")
        return
    if finding.state is CellState.TO_READ:
        console.print_indented(3, head, (f"to be read. {single_line(finding.reason)}", "yellow"))
        return
    if finding.state is CellState.NOT_FOUND:
        searched = finding.searched.passages if finding.searched else 0
        console.print_indented(3, head, f"none was identified in {searched} passages")
    else:
        rejected = ", rejected by a person" if finding.review.value == "rejected" else ""
        says = finding.value or finding.headline or "found"
        console.print_indented(3, head, single_line(f"{says}{rejected}"))
    for evidence in (*finding.evidence, *([finding.nearest] if finding.nearest else ())):
        place = shorten(evidence.path[-1], 60) if evidence.path else ""
        page = f"page {evidence.pages[0]}" if evidence.pages else ""
        where = ", ".join(part for part in (place, page) if part)
        lead = "Closest words (not a match): " if finding.nearest else ""
        words = f"{lead}“{shorten(evidence.quote.words, _SHOWN)}”"
        console.print_indented(5, words, (f" ({where})" if where else "", "dim"))


def _value(selection: Selection) -> dict[str, object]:
    return {
        "found": [
            {
                **_head(one),
                "findings": [
                    {"provision": provision, **_finding(finding)}
                    for provision, finding in one.findings
                ],
            }
            for one in selection.found
        ],
        "not_reviewed": [{**_head(one), "missing": one.missing} for one in selection.open],
        "others": [_head(one) for one in selection.others],
        "unread": [each.path for each in selection.unread],
    }


def _head(one: ContractMatch) -> dict[str, object]:
    return {
        "document": one.entry.id,
        "name": one.entry.name,
        "type": one.entry.type,
        "parties": one.parties,
    }


def _finding(finding: Finding | None) -> dict[str, object]:
    if finding is None:
        return {"state": "not_reviewed"}
    return {
        "state": finding.state,
        "review": finding.review,
        "quotes": [_quote(each) for each in finding.evidence],
        "nearest": _quote(finding.nearest) if finding.nearest else None,
        "passages_searched": finding.searched.passages if finding.searched else None,
        "error": finding.error,
    }


def _quote(evidence: Evidence) -> dict[str, object]:
    span = evidence.quote.span
    return {
        "words": evidence.quote.words,
        "span": [span.start, span.end] if span else None,
        "page": evidence.pages and evidence.pages[0],
        "path": evidence.path,
        "score": round(evidence.score, 4),
    }
