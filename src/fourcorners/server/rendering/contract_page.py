"""What a contract's page shows beside its words: facts, findings, terms, references, outline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fourcorners.outline.card.card import Card, Fact
from fourcorners.outline.tree import NodeKind, Outline
from fourcorners.research.columns import store as kept
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.store import playbook_store as books
from fourcorners.text.invisible_characters import shorten
from fourcorners.text.span import Span

_SHOWN = frozenset(NodeKind) - {NodeKind.ITEM, NodeKind.PARAGRAPH}
_DEEPEST = 3  # level in the list of contents


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact of the card, with the words it goes by."""

    name: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class OutlineHeading:
    """A part of the contract in the outline pane; `opening` are its words without a title."""

    node: int
    label: str
    title: str
    depth: int
    opening: str = ""


@dataclass(frozen=True, slots=True)
class FindingEntry:
    """A finding of the document, with what it is a finding of."""

    playbook: str
    provision: str
    finding: Finding


def card_facts(card: Card) -> list[FactRow]:
    """Return what the contract says of itself, a row a fact."""
    rows: list[FactRow] = []

    def add(name: str, fact: Fact[str] | None) -> None:
        if fact is not None:
            rows.append(FactRow(name, fact.value, fact.span))

    add("Type", card.type)
    for party in card.parties:
        value = party.value.name
        known = party.value.short or party.value.role
        rows.append(FactRow("Party", f"{value} ({known})" if known else value, party.span))
    for name, day in (
        ("Dated", card.agreement_date),
        ("Effective", card.effective_date),
        ("Expires", card.expiry_date),
    ):
        if day is not None:
            rows.append(FactRow(name, f"{day.value.day} {day.value:%B %Y}", day.span))
    add("Law", card.governing_law)
    add("Amends", card.amends)
    return rows


def outline_headings(outline: Outline, text: str) -> Iterator[OutlineHeading]:
    """Yield the parts that a reader looks for: what has a heading, and numbered sections."""
    depths: list[int] = []
    for node in outline.nodes:
        depth = 0 if node.parent is None else depths[node.parent] + 1
        depths.append(depth)
        title = " ".join(node.heading.text_in(text).split()) if node.heading else ""
        if depth > _DEEPEST or not (title or (node.kind in _SHOWN and node.label)):
            continue
        opening = "" if title else _opening(node.span.text_in(text)[:160], node.label)
        yield OutlineHeading(node.id, node.label, title, depth, opening)


def _opening(words: str, label: str) -> str:
    """Return the first words of a part, without the number that stands there."""
    first, _, rest = " ".join(words.split()).partition(" ")
    bare = first.strip("().:§")
    return shorten(rest if bare and label.endswith((bare, f"({bare})")) else f"{first} {rest}", 60)


def list_findings(access: Access, document: str) -> list[FindingEntry]:
    """Return what reviews found in a document, and what failed, by playbook."""
    library = access.library_of(document, Role.READER)
    shown = []
    inside = access.visible(document).entry.collections
    asked = [
        kept.columns_playbook(each.collection, each.playbook, [each])
        for each in kept.columns_of_collections(library, inside)
    ]
    for book in [*books.usable_playbooks(access.common()), *asked]:
        wanted = [provision.id for provision in book.provisions]
        cells = store.load_cells(library, book, wanted, document).get(document, {})
        for provision in book.provisions:
            finding = cells.get(provision.id)
            if finding and finding.state in (CellState.FOUND, CellState.FAILED):
                shown.append(FindingEntry(book.name, provision.name, finding))
    return shown
