"""The clauses of a bank, or of whole contracts, which the outline cuts into clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.store import Library
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.playbooks import bank as banks
from fourcorners.precedents.clause import Clause, Place, once
from fourcorners.text.span import Span

LONGEST = 2_000  # characters of a section that is a clause as a whole; a longer one is cut
MANY = 4  # parts with headings of their own, from which a section is a collection of clauses
FEWEST_WORDS = 12
_NONE = frozenset({NodeKind.TITLE, NodeKind.SIGNATURE})
_REFERRED = 600  # characters of a section that is shown because a clause refers to it


def of_bank(library: Library, bank: str, *, provision: str | None = None) -> list[Clause]:
    """Return the clauses of a bank, each once.

    Raises:
        ConfigError: If there is no such bank.
    """
    return once(
        Clause(
            each.text,
            (
                Place(
                    each.source,
                    span=Span(each.start, each.end)
                    if each.start is not None and each.end is not None
                    else None,
                ),
            ),
            each.stars,
            each.provision,
        )
        for each in banks.clauses_of(library, bank, provision=provision)
    )


def of_contracts(library: Catalogue, collection: str | None = None) -> list[Clause]:
    """Return the clauses of the contracts (of a collection), each once.

    Raises:
        ConfigError: If there is no such collection.
    """
    return once(
        clause
        for entry in library.documents(collection)
        for clause in _of_contract(library, entry.id, entry.name)
    )


def _of_contract(library: Catalogue, document: str, name: str) -> Iterator[Clause]:
    text, outline = library.text(document), library.outline(document)
    cut = (
        [(passage.span, ()) for passage in library.passages(document)]
        if outline.windows or not outline.nodes
        else list(clauses(outline, text))
    )
    for span, path in cut:
        own = span.strip(text)
        if len(own.of(text).split()) >= FEWEST_WORDS:
            yield Clause(own.of(text), (Place(name, path, document, own),))


def clauses(outline: Outline, text: str) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Cut a contract into clauses: sections, and of long or mixed ones what stands in them.

    The words of a long section before its first part are a clause of their own. Clauses do not
    overlap, and come in order.
    """
    below: dict[int | None, list[Node]] = {}
    for node in outline.nodes:
        below.setdefault(node.parent, []).append(node)
    waiting = below.get(None, [])[::-1]
    while waiting:
        node = waiting.pop()
        if node.kind in _NONE:
            continue
        parts = below.get(node.id, [])
        headed = sum(part.heading is not None for part in parts)
        if not parts or (len(node.span) <= LONGEST and headed < MANY):
            yield node.span, outline.path(node, text)
            continue
        if parts[0].span.start > node.span.start:
            yield Span(node.span.start, parts[0].span.start), outline.path(node, text)
        waiting.extend(parts[::-1])


@dataclass(frozen=True, slots=True)
class Referred:
    """A section that a clause refers to, with its words (the first of them if it is long)."""

    raw: str
    path: tuple[str, ...]
    text: str


def referred(library: Catalogue, place: Place) -> list[Referred]:
    """Return the sections outside a clause that it refers to, each once."""
    if not place.document or place.span is None:
        return []
    text, outline = library.text(place.document), library.outline(place.document)
    found: dict[int, Referred] = {}
    for each in outline.references:
        if each.target is None or not place.span.contains(each.span):
            continue
        node = outline.nodes[each.target]
        if place.span.contains(node.span) or node.span.contains(place.span):
            continue
        words = Span(node.span.start, min(node.span.end, node.span.start + _REFERRED)).of(text)
        if len(node.span) > _REFERRED:
            words = words.rpartition(" ")[0] + " …"
        found.setdefault(
            node.id,
            Referred(each.raw or each.span.of(text), outline.path(node, text), words.strip()),
        )
    return list(found.values())
