"""Clauses of a bank or of whole contracts, with the places of the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.playbooks.bank.store import bank_clauses as stored_clauses
from fourcorners.text.normalisation import normalise_text
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.precedents", "clause")
_LABEL = _PATTERNS["label"]
OMITTED = "<omitted>"
"""What joins the sections of a clause that are apart in its contract, as in ACORD."""
_RUN = 8  # words
_BROKEN = _PATTERNS["broken"]


@dataclass(frozen=True, slots=True)
class ClausePlace:
    """The place of a clause.

    Attributes:
        source: The contract, or the citation that a bank has; empty if that is not known.
        path: Label and heading of the sections above it, the outermost first.
        document: The id of the contract in the library; empty for a clause of a bank.
        span: Its span in the contract; None if that is not known.
    """

    source: str
    path: tuple[str, ...] = ()
    document: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, once for all places that have the same words.

    Attributes:
        places: At least one, in the order in which they were found.
        stars: What somebody gave it, 1 to 5; None if nobody has.
        provision: What the bank holds it under; empty for a clause of a contract.
    """

    text: str
    places: tuple[ClausePlace, ...]
    stars: int | None = None
    provision: str = ""


def normalised_words(text: str) -> str:
    if text.isascii() and not _BROKEN.search(text):  # most are: what remains then is quick
        seen = text.replace("`", "'")
    else:
        seen = normalise_text(text).text
    plain = " ".join(seen.casefold().split())
    label = _LABEL.match(plain)
    return plain[label.end() :] if label else plain


def shingles(text: str) -> frozenset[int]:
    """Return the hashes of all runs of eight words; of a shorter text that of its words."""
    tokens = normalised_words(text).split()
    runs = range(max(1, len(tokens) - _RUN + 1))
    return frozenset(hash(tuple(tokens[at : at + _RUN])) for at in runs)


def fold_duplicates(clauses: Iterable[Clause]) -> list[Clause]:
    """Fold clauses of the same words into the first of them.

    It takes the most stars, with the provision under which they were given: what is no good for one
    provision may be for another.
    """
    unique: dict[str, Clause] = {}
    for clause in clauses:
        key = normalised_words(clause.text)
        first = unique.get(key)
        if first is None:
            unique[key] = clause
            continue
        better = (clause.stars or 0) > (first.stars or 0)
        places = dict.fromkeys((*first.places, *clause.places))
        unique[key] = Clause(
            first.text,
            tuple(places),
            clause.stars if better else first.stars,
            clause.provision if better else first.provision or clause.provision,
        )
    return list(unique.values())


MAX_LENGTH = 8_000  # characters of a section that is a clause as a whole
MAX_DEPTH = 6  # parts with separate headings, from which a section is a collection of clauses
MIN_WORDS = 12  # of a clause worth drafting from; by hand
MIN_BANK_WORDS = 4  # of one that somebody stored: what has fewer is a heading or a label
MAX_UNDIVIDED = 600  # words of a section without parts, above which its passages are the clauses
_NONE = frozenset({NodeKind.TITLE, NodeKind.SIGNATURE})


def bank_clauses(
    library: Library, bank: str, *, provision: str | None = None, on: date | None = None
) -> list[Clause]:
    """Return the clauses of a bank, each once; of a day, none that have expired by then.

    Raises:
        ConfigError: If there is no such bank.
    """
    return fold_duplicates(
        Clause(
            each.text,
            (
                ClausePlace(
                    each.source,
                    span=Span(each.start, each.end)
                    if each.start is not None and each.end is not None
                    else None,
                ),
            ),
            each.stars,
            each.provision,
        )
        for each in stored_clauses(library, bank, provision=provision)
        if len(each.text.split()) >= MIN_BANK_WORDS
        and not (on is not None and each.facts.is_expired(on))
    )


@without_damaged
def library_clauses(library: Catalogue, collection: str | None = None) -> list[Clause]:
    """Return the clauses of the contracts (of a collection), each once.

    Raises:
        ConfigError: If there is no such collection.
    """
    return document_clauses(library, library.documents(collection))


def document_clauses(library: Catalogue, entries: Iterable[Entry]) -> list[Clause]:
    return fold_duplicates(
        clause for entry in entries for clause in _of_contract(library, entry.id, entry.name)
    )


def _of_contract(library: Catalogue, document: str, name: str) -> Iterator[Clause]:
    text, outline = library.text(document), library.outline(document)
    exclusions = library.exclusions(document)
    passages = [passage.span for passage in library.passages(document)]
    cut = (
        [(span, ()) for span in passages]
        if outline.windows or not outline.nodes
        else cut_long(list(cut_clauses(outline, text)), passages, text)
    )
    for span, path in cut:
        own = span.strip(text)
        if any(each.span.overlaps(own) for each in exclusions):
            continue  # hidden text and tables of contents are not precedents
        if len(own.text_in(text).split()) >= MIN_WORDS:
            yield Clause(own.text_in(text), (ClausePlace(name, path, document, own),))


def cut_long(
    cut: Sequence[tuple[Span, tuple[str, ...]]], passages: Sequence[Span], text: str
) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield clauses, with the passages of each one that is long and has no parts."""
    for span, path in cut:
        if len(span.text_in(text).split()) <= MAX_UNDIVIDED or any(
            other != span and span.contains(other) for other, _ in cut
        ):
            yield span, path
        else:
            yield from ((part, path) for each in passages if (part := span.intersection(each)))


def cut_clauses(outline: Outline, text: str) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Cut a contract into clauses: sections, and also their parts.

    A precedent may be a whole section or one part of it: both are candidates, and a ranking keeps
    the better one. In a section that is too long, or a collection of clauses, the words before its
    first part are a separate clause.
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
