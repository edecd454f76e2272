"""Where the clauses that were judged stand in whole contracts, and which cut clauses cover them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fourcorners.precedents.clause import Clause
from fourcorners.text.span import Span, covered_length, intersect_spans, merge_spans

MIN_COVERAGE = 0.75
"""The share of a judged clause's characters that a clause must have to be a hit."""
_OMITTED = "<omitted>"
_SHORTEST = 20  # characters of a piece that can be placed


class ContractTexts:
    """The texts of contracts, searched without regard to white space and case."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._places: list[Sequence[int]] = []
        self._starts: list[int] = []
        self._documents = list(texts)
        squeezed, size = [], 0
        for text in texts.values():
            places = [at for at, character in enumerate(text) if not character.isspace()]
            plain = "".join(_lower(text[at]) for at in places) + "\0"
            self._places.append(places)
            self._starts.append(size)
            squeezed.append(plain)
            size += len(plain)
        self._text = "".join(squeezed)

    def find(self, piece: str, *, document: str | None = None) -> tuple[str, Span] | None:
        """Return the first place of some words, in one document if it is named."""
        plain = "".join(_lower(each) for each in piece if not each.isspace())
        if len(plain) < _SHORTEST:
            return None
        low, high = 0, len(self._text)
        if document is not None:
            at = self._documents.index(document)
            low = self._starts[at]
            high = low + len(self._places[at])
        found = self._text.find(plain, low, high)
        if found < 0:
            return None
        at = bisect_right(self._starts, found) - 1
        first = found - self._starts[at]
        places = self._places[at]
        return self._documents[at], Span(places[first], places[first + len(plain) - 1] + 1)


def _lower(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character


@dataclass(frozen=True, slots=True)
class LocatedClause:
    """Where a judged clause stands: pieces of one contract, what was left out of it apart."""

    document: str
    spans: tuple[Span, ...]


def locate_clauses(clauses: Mapping[str, str], shelf: ContractTexts) -> dict[str, LocatedClause]:
    """Return where judged clauses stand; one whose first piece is nowhere is left out."""
    found = {}
    for name, text in clauses.items():
        pieces = [each for each in text.replace("</omitted>", _OMITTED).split(_OMITTED) if each]
        first = next((hit for each in pieces if (hit := shelf.find(each.strip()))), None)
        if first is None:
            continue
        document = first[0]
        hits = [shelf.find(each.strip(), document=document) for each in pieces]
        found[name] = LocatedClause(document, tuple(merge_spans([hit[1] for hit in hits if hit])))
    return found


def covering_clauses(
    located: Mapping[str, LocatedClause], clauses: Sequence[Clause]
) -> dict[str, list[int]]:
    """Return for each judged clause the clauses that cover most of it, by their places."""
    held: dict[str, list[tuple[Span, int]]] = {}
    for row, clause in enumerate(clauses):
        for place in clause.places:
            if place.span is not None:
                held.setdefault(place.document, []).append((place.span, row))
    return {
        name: [
            row
            for span, row in held.get(each.document, ())
            if covered_length(intersect_spans([span], each.spans))
            >= MIN_COVERAGE * covered_length(each.spans)
        ]
        for name, each in located.items()
    }
