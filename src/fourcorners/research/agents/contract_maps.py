"""What a model is shown of the contracts before it looks: number, name, card and headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fourcorners.errors import ConfigError, InputError
from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.entries import Entry, resolve_name
from fourcorners.outline.tree import Node
from fourcorners.research.agents.clause_lookup import has_words_after, outline_line
from fourcorners.research.answerability.search import search_answer
from fourcorners.research.context import ResearchContext

_MAPS = 12  # contracts whose headings are shown: those that a question finds, if there are more
_SHORT_MAPS = 3  # contracts whose top headings are shown again
_LISTED = 60  # contracts listed by name; further ones are counted
_HEADINGS = 60  # of one contract
_ALL_HEADINGS = 200  # of all of them


def limit_to_contract(context: ResearchContext, wanted: str) -> ResearchContext:
    """Return a context of the one contract that a number, a name or a part of a name means.

    Raises:
        InputError: If none is meant, or several are.
    """
    entries = context.contracts
    number = wanted.casefold().strip().removeprefix("contract").strip("[]#. ")
    if number.isdigit() and 1 <= int(number) <= len(entries):
        return replace(context, entries=(entries[int(number) - 1],))
    try:
        return replace(context, entries=(resolve_name(wanted, entries, {}),))
    except ConfigError:  # its message contains paths
        names = "; ".join(f"{at}. {each.name}" for at, each in enumerate(entries[:_LISTED], 1))
        raise InputError(
            f"no contract, or more than one, is meant by “{wanted}”; there are: {names}"
        ) from None


def outline_map(context: ResearchContext, question: str = "") -> list[tuple[str, str]]:
    """Return what a model is shown of each contract: its name, card and headings.

    The contract that a search for the question finds first gets the most headings. With many
    contracts only those that the search finds get any, and the last entry lists the others.
    """
    entries = context.contracts
    numbers = {entry.id: at for at, entry in enumerate(entries, 1)}
    likeliest = _found_first(context, entries, question) if len(entries) > 1 else list(entries)
    mapped = sorted(likeliest, key=lambda entry: numbers[entry.id])
    share = (_ALL_HEADINGS - _HEADINGS) // max(1, len(mapped) - 1)
    maps = []
    for entry in mapped:
        reading = read_contract(context.library, entry.id)  # headings alone: no source of an answer
        quota = _HEADINGS if entry is likeliest[0] else min(_HEADINGS, share)
        lines = [*_card_lines(entry, reading), *_heading_lines(reading, quota)]
        maps.append((f"contract {numbers[entry.id]}, {entry.name}", "\n".join(lines)))
    others = [entry for entry in entries if entry not in mapped]
    if others:
        lines = [f"{numbers[each.id]}. {each.name}" for each in others[:_LISTED]]
        lines += [f"… {len(others) - _LISTED} more contracts"] if len(others) > _LISTED else []
        maps.append(("the other contracts", "\n".join(lines)))
    return maps


def top_headings(context: ResearchContext) -> list[tuple[str, str]]:
    """Return name and top headings of each contract whose clauses may be asked for, cut short."""
    entries = context.contracts
    if len(entries) > _SHORT_MAPS:
        return []
    maps = []
    for number, entry in enumerate(entries, 1):
        reading = read_contract(context.library, entry.id)
        lines = [
            outline_line(reading, node)
            for node in reading.outline.nodes
            if node.label and (node.heading is None or has_words_after(reading, node))
            if (node.parent is None or not reading.outline.nodes[node.parent].label)
        ]
        shown = lines[:_HEADINGS]
        more = f"; … {len(lines) - len(shown)} more" if len(lines) > len(shown) else ""
        maps.append((f"headings of contract {number}, {entry.name}", "; ".join(shown) + more))
    return [(name, text) for name, text in maps if text]


def _found_first(context: ResearchContext, entries: Sequence[Entry], question: str) -> list[Entry]:
    by_id = {entry.id: entry for entry in entries}
    found: Iterable[str] = ()
    if question:
        found = (each.document for each in search_answer(context, question, limit=_MAPS).snippets)
    likeliest = dict.fromkeys([*found, *by_id])
    return [by_id[document] for document in likeliest if document in by_id][:_MAPS]


def _card_lines(entry: Entry, reading: Contract) -> list[str]:
    card = reading.card
    parties = "; ".join(
        fact.value.name + (f" ({fact.value.short})" if fact.value.short else "")
        for fact in card.parties
    )
    made = card.effective_date or card.agreement_date
    facts = (
        ("Title", entry.title if entry.title != entry.name else ""),
        ("Kind", entry.type),
        ("Parties", parties),
        ("Date", made.value.isoformat() if made else ""),
        ("Amends", card.amends.value if card.amends else ""),
    )
    return [f"{name}: {' '.join(value.split())}" for name, value in facts if value]


def _heading_lines(reading: Contract, quota: int) -> list[str]:
    """Return numbered headings, as many levels as fit; the rest are counted."""
    nodes = reading.outline.nodes
    depths: list[int] = []
    for node in nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
    headed = [node for node in nodes if node.heading and has_words_after(reading, node)]
    if not headed:
        return ["No headings were recognised; the search finds its clauses."]
    shown: list[Node] = []
    for level in sorted({depths[node.id] for node in headed}):
        within = [node for node in headed if depths[node.id] <= level]
        if len(within) > quota:
            shown = shown if len(shown) >= quota // 3 else within[:quota]
            break
        shown = within
    lines = [outline_line(reading, node) for node in shown]
    more = len(headed) - len(shown)
    return (
        [*lines, f"… {more} more headings: ask for clauses by number or words"] if more else lines
    )
