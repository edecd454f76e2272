"""The clauses of a bank, or of whole contracts, which the outline cuts into clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.playbooks.bank import store as banks
from fourcorners.precedents.clause import Clause, Place, fold_duplicates
from fourcorners.text.span import Span

MAX_LENGTH = 8_000  # characters of a section that is a clause as a whole
MAX_DEPTH = 6  # parts with headings of their own, from which a section is a collection of clauses
MIN_WORDS = 12  # of a clause worth drafting from; by hand
_NONE = frozenset({NodeKind.TITLE, NodeKind.SIGNATURE})


def bank_clauses(library: Library, bank: str, *, provision: str | None = None) -> list[Clause]:
    """Return the clauses of a bank, each once.

    Raises:
        ConfigError: If there is no such bank.
    """
    return fold_duplicates(
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
        for each in banks.bank_clauses(library, bank, provision=provision)
    )


def library_clauses(library: Catalogue, collection: str | None = None) -> list[Clause]:
    """Return the clauses of the contracts (of a collection), each once.

    Raises:
        ConfigError: If there is no such collection.
    """
    return document_clauses(library, library.documents(collection))


def document_clauses(library: Catalogue, entries: Iterable[Entry]) -> list[Clause]:
    """Return the clauses of some contracts, each once."""
    return fold_duplicates(
        clause for entry in entries for clause in _of_contract(library, entry.id, entry.name)
    )


def _of_contract(library: Catalogue, document: str, name: str) -> Iterator[Clause]:
    text, outline = library.text(document), library.outline(document)
    cut = (
        [(passage.span, ()) for passage in library.passages(document)]
        if outline.windows or not outline.nodes
        else list(cut_clauses(outline, text))
    )
    for span, path in cut:
        own = span.strip(text)
        if len(own.text_in(text).split()) >= MIN_WORDS:
            yield Clause(own.text_in(text), (Place(name, path, document, own),))


def cut_clauses(outline: Outline, text: str) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Cut a contract into clauses: sections, and what stands in them too.

    A precedent may be a section as a whole or one part of it: both are there to choose from, and
    a ranking leaves the better one (`rank.Apart`). Of a section that is too long, or a collection
    of clauses, the words before its first part are a clause of their own.
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
        whole = len(node.span) <= MAX_LENGTH and headed < MAX_DEPTH
        if not parts or whole:
            yield node.span, outline.path(node, text)
        elif parts[0].span.start > node.span.start:
            yield Span(node.span.start, parts[0].span.start), outline.path(node, text)
        waiting.extend(parts[::-1])
