"""Several versions of a contract: what each changed, and which brought what the last one has.

Each is compared with the one before it. A word keeps the number of the version by which it came
for as long as the following versions have it in the same clause; those of a clause that moved have
the number of the version in which it did.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.comparison.compare import compare_documents
from fourcorners.comparison.comparison import (
    Clause,
    ClauseChange,
    Comparison,
    Relation,
)
from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Words, common_pairs, find_replacements

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

_WHOLE = frozenset({Relation.ADDED, Relation.REMOVED, Relation.REPLACED})
_DIVISIONS = frozenset({Relation.SPLIT, Relation.MERGED, Relation.DIVIDED})


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of a contract in order, each compared with the one before it.

    Attributes:
        numbers: How each version is called; rising, and with gaps if one could not be read.
    """

    documents: tuple[Document, ...]
    numbers: tuple[int, ...]
    rounds: tuple[Comparison, ...]
    encoder: Encoder | None

    def against(self, number: int) -> Comparison:
        """Compare the last version with an earlier one.

        If there are more than two, each change has the numbers of those that brought it.
        """
        at = self.numbers.index(number)
        rounds = self.rounds[at:]
        found = rounds[-1]
        if self.numbers == (1, 2):
            return found
        if len(rounds) > 1:
            found = compare_documents(self.documents[at], self.documents[-1], encoder=self.encoder)
        return _Trace(rounds, self.numbers[at + 1 :]).apply(found)


def compare_versions(
    documents: Sequence[Document],
    numbers: Sequence[int] = (),
    *,
    encoder: Encoder | None = None,
) -> Versions:
    """Compare each version with the one before it; they are numbered from 1 if not otherwise.

    Raises:
        ConfigError: If the same file is given twice, or only one.
        InputError: If one has no text to compare.
    """
    if len(documents) < 2:
        raise ConfigError("One version is no comparison.", remedy="Name two versions or more.")
    files = [(each.id, Path(each.path).absolute()) for each in documents]
    twice = [each.name for at, each in enumerate(documents) if files[at] in files[:at]]
    if twice and len(documents) > 2:
        raise ConfigError(
            f"{twice[0]} is given twice.", remedy="Name each version once, the oldest first."
        )
    rounds = tuple(
        compare_documents(documents[at - 1], each, encoder=encoder)
        for at, each in enumerate(documents)
        if at
    )
    numbers = tuple(numbers) or tuple(range(1, len(documents) + 1))
    return Versions(tuple(documents), numbers, rounds, encoder)


class _Trace:
    """The way of each word through some rounds, by their clauses."""

    def __init__(self, rounds: Sequence[Comparison], numbers: Sequence[int]) -> None:
        self._rounds, self._numbers = rounds, tuple(numbers)
        texts = [rounds[0].before.text, *(each.after.text for each in rounds)]
        words = [Words.read(text) for text in texts]
        self._first, self._last = words[0], words[-1]
        pairs = [
            list(_unchanged_words(each, *sides))
            for each, sides in zip(rounds, pairwise(words), strict=True)
        ]
        steps = list(zip(pairs, self._numbers, pairwise(words), strict=True))
        added_by, removed_by = [0] * len(words[0]), [0] * len(words[-1])
        for stays, number, (_, each) in steps:
            known = {j: added_by[i] or number * moved for i, j, moved in stays}
            added_by = [known.get(j, number) for j in range(len(each))]
        for stays, number, (each, _) in reversed(steps):
            known = {i: removed_by[j] or number * moved for i, j, moved in stays}
            removed_by = [known.get(i, number) for i in range(len(each))]
        self._added_by, self._removed_by = added_by, removed_by
        self._clauses = [
            {own.span: each for each in found.clauses for own in each.after} for found in rounds
        ]

    def apply(self, comparison: Comparison) -> Comparison:
        clauses = tuple(map(self._trace_clause, comparison.clauses))
        rounds = dict(zip(self._numbers, self._rounds, strict=True))
        return replace(comparison, clauses=clauses, rounds=rounds)

    def _trace_clause(self, change: ClauseChange) -> ClauseChange:
        changes = tuple(
            replace(each, versions=self._versions([each.before], [each.after]))
            for each in change.changes
        )
        found = {number for each in changes for number in each.versions}
        if change.relation in _WHOLE:
            spans = ([each.span for each in side] for side in (change.before, change.after))
            found.update(self._versions(*spans))
        found.update(self._reshaped(change))
        return replace(change, changes=changes, versions=tuple(sorted(found)))

    def _versions(self, before: Sequence[Span], after: Sequence[Span]) -> tuple[int, ...]:
        """Return by which versions some words went and others came."""
        sides = ((self._first, self._removed_by, before), (self._last, self._added_by, after))
        found = {
            versions[at]
            for words, versions, spans in sides
            for span in spans
            for at in _positions(words, span)
        }
        return tuple(sorted(found - {0}))

    def _reshaped(self, change: ClauseChange) -> Iterator[int]:
        """Yield the versions in which clauses moved, were numbered or were divided as they are."""
        spans = {each.span for each in change.after}
        for known, number in zip(self._clauses[::-1], self._numbers[::-1], strict=True):
            hits = [known[span] for span in spans if span in known]
            if any(
                (each.is_moved and change.is_moved)
                or (each.is_renumbered and change.is_renumbered)
                or (each.relation is change.relation and change.relation in _DIVISIONS)
                for each in hits
            ):
                yield number
            spans = {own.span for each in hits for own in each.before}


def _unchanged_words(
    comparison: Comparison, old: Words, new: Words
) -> Iterator[tuple[int, int, bool]]:
    """Yield where the words are that a clause has in both versions, and whether it moved."""
    for change in comparison.clauses:
        if change.relation in _WHOLE:
            continue
        before, after = _words_of(old, change.before), _words_of(new, change.after)
        left, right = old.select(before), new.select(after)
        pairs = common_pairs(find_replacements(left, right), len(left), len(right))
        for i, j in pairs:
            if i < len(left):
                yield before[i], after[j], change.is_moved


def _words_of(words: Words, clauses: Sequence[Clause]) -> list[int]:
    return [at for each in clauses for at in _positions(words, each.span)]


def _positions(words: Words, span: Span) -> range:
    return range(bisect_left(words.starts, span.start), bisect_left(words.starts, span.end))
