"""The lexical side: rows of the words index, with each leaf's part of the score."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import log
from typing import cast
from weakref import WeakKeyDictionary

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import integer
from fourcorners.library.entries import PassageRow
from fourcorners.library.words import WordTotals, totals, word_count
from fourcorners.search.fields import rows_of
from fourcorners.search.fusion import best_first
from fourcorners.search.query.fts import BODY, CompiledLeaf, compile_query, limited
from fourcorners.search.query.match import holds, leaf_instances
from fourcorners.search.query.tree import Field, Leaf, Near, Node, Or
from fourcorners.search.within import K1, B
from fourcorners.text.words import WordIndex

# One statement a leaf, summed here: FTS5 refuses bm25() in some shapes of a UNION. The filter
# column has weight 0.
_SELECT = "SELECT rowid, -bm25(words, 1.0, 0.0) FROM words WHERE words MATCH ?"
_BEST = """
    SELECT rowid, bm25(words, 1.0, 0.0) AS score FROM words WHERE words MATCH ?
    ORDER BY score, rowid LIMIT ?
"""
_COUNT = "SELECT count(*) FROM words WHERE words MATCH ?"
MOST_BEARERS = 60_000
"""Passages that the words of a plain question may stand in, a passage counted for each word.

Ranking takes a microsecond for each. Beyond, the commonest words do not count, which tell least.
"""
FEWEST_WORDS = 3
"""Words of a plain question that always count, the rarest first."""
_LEAST_RARITY = 1e-6  # of a word in more than half of the passages, as SQLite has it


@dataclass(frozen=True, slots=True)
class LexicalRows:
    """The rows that satisfy a query.

    Attributes:
        scores: For each row, the sum of its parts.
        parts: For each scored leaf its label and boost × -bm25 by row; a label may occur twice.
    """

    scores: Mapping[int, float]
    parts: Sequence[tuple[str, Mapping[int, float]]]

    def terms(self, row: int, words: str) -> Iterator[tuple[str, float]]:
        """Yield label and part of the score of each leaf that a row satisfies.

        Args:
            row: One of those found.
            words: The words of its passage.
        """
        del words
        for label, part in self.parts:
            if row in part:
                yield label, part[row]


@dataclass(frozen=True, slots=True)
class BestRows(LexicalRows):
    """The best rows that bear any of some words; the parts of scores are worked out on asking.

    SQLite has added the parts up, in the order of the leaves; of the rows shown they are worked out
    again as it does, to the last digit.
    """

    library: Catalogue
    leaves: Sequence[CompiledLeaf]

    def terms(self, row: int, words: str) -> Iterator[tuple[str, float]]:
        """Yield label and part of the score of each leaf that a row satisfies."""
        index, counted = WordIndex(words), _counted(self.library)
        length = word_count(self.library, row)
        for leaf in self.leaves:
            assert not isinstance(leaf.leaf, Field)  # noqa: S101 - `best` takes none
            if often := len(leaf_instances(leaf.leaf, index)):
                bearers = counted.bearers(self.library, leaf.expression)
                yield leaf.label, _bm25(often, length, counted.whole, bearers)


@dataclass(frozen=True, slots=True)
class _Counted:
    """How many passages there are, and how many bear a word, as long as none comes or goes."""

    version: str
    whole: WordTotals
    known: dict[str, int] = field(default_factory=dict)

    def bearers(self, library: Catalogue, expression: str) -> int:
        """Return how many passages of the whole library bear what an expression finds."""
        if expression not in self.known:
            rows = library.execute(_COUNT, (f"{BODY} : ({expression})",))
            self.known[expression] = integer(rows[0][0])
        return self.known[expression]


_COUNTED: WeakKeyDictionary[Catalogue, _Counted] = WeakKeyDictionary()


def _counted(library: Catalogue) -> _Counted:
    version = library.content_version
    counted = _COUNTED.get(library)
    if counted is None or counted.version != version:
        counted = _COUNTED[library] = _Counted(version, totals(library))
    return counted


def _bm25(often: int, length: int, whole: WordTotals, bearers: int) -> float:
    """Return what FTS5's bm25() gives, negated, of one phrase that stands `often` in a row."""
    rarity = log((whole.rows - bearers + 0.5) / (bearers + 0.5))
    rarity = rarity if rarity > 0 else _LEAST_RARITY
    mean = whole.words / whole.rows
    return rarity * ((often * (K1 + 1.0)) / (often + K1 * (1 - B + B * length / mean)))


def best(
    library: Catalogue, tree: Node, filters: Collection[Collection[str]], limit: int
) -> LexicalRows:
    """Return the best of the rows that `lexical` finds; of equal ones those that come first.

    Where any of some words will do, SQLite ranks the rows: that takes half the time of fetching
    them all; of many words in a large library the commonest do not count (`MOST_BEARERS`).
    """
    leaves: Sequence[CompiledLeaf] = compile_query(tree).leaves
    if not _any_of(tree, leaves):
        found = lexical(library, tree, filters)
        rows = best_first(sorted(found.scores), found.scores)[:limit]
        return LexicalRows({row: found.scores[row] for row in rows}, found.parts)
    leaves = _rarest(library, leaves)
    wanted = " OR ".join(leaf.expression for leaf in leaves)
    ranked = cast(
        "list[tuple[int, float]]", library.execute(_BEST, (limited(wanted, filters), limit))
    )
    return BestRows({row: -score for row, score in ranked}, (), library, leaves)


def _rarest(library: Catalogue, leaves: Sequence[CompiledLeaf]) -> Sequence[CompiledLeaf]:
    """Leave out the commonest words where ranking by all would take too long; keep the order."""
    if len(leaves) <= FEWEST_WORDS:
        return leaves
    counted = _counted(library)
    if counted.whole.rows * len(leaves) <= MOST_BEARERS:
        return leaves
    bearers = [counted.bearers(library, leaf.expression) for leaf in leaves]
    order = sorted(range(len(leaves)), key=bearers.__getitem__)
    so_far = accumulate(bearers[at] for at in order)
    kept = {
        at
        for place, (at, total) in enumerate(zip(order, so_far, strict=True))
        if place < FEWEST_WORDS or total <= MOST_BEARERS
    }
    return [leaf for at, leaf in enumerate(leaves) if at in kept]


def _any_of(tree: Node, leaves: Sequence[CompiledLeaf]) -> bool:
    """Tell whether any of some words will do, and none counts more than another."""
    parts = tree.parts if isinstance(tree, Or) else (tree,)
    return len(parts) == len(leaves) and all(
        leaf.boost == 1.0 and leaf.scored and not isinstance(leaf.leaf, Near | Field)
        for leaf in leaves
    )


def lexical(library: Catalogue, tree: Node, filters: Collection[Collection[str]]) -> LexicalRows:
    """Return the rows that satisfy a query within filters (tokens, as `Filters.tokens` gives)."""
    plan = compile_query(tree)
    found = [_leaf_rows(library, leaf, filters) for leaf in plan.leaves]
    selected, counting = plan.select([rows.keys() for rows in found])
    scores = dict.fromkeys(selected, 0.0)
    parts = []
    for leaf, rows, counted in zip(plan.leaves, found, counting, strict=True):
        if not leaf.scored:
            continue
        part = {row: leaf.boost * rows[row] for row in counted}
        for row, value in part.items():
            scores[row] += value
        parts.append((leaf.label, part))
    return LexicalRows(scores, parts)


def _leaf_rows(
    library: Catalogue, leaf: CompiledLeaf, filters: Collection[Collection[str]]
) -> dict[int, float]:
    if isinstance(leaf.leaf, Field):
        return dict.fromkeys(rows_of(library, leaf.leaf, filters), 0.0)
    rows = library.execute(_SELECT, (limited(leaf.expression, filters),))
    found = dict(cast("list[tuple[int, float]]", rows))
    return found if leaf.exact else _verified(library, leaf.leaf, found)


def _verified(library: Catalogue, leaf: Leaf, rows: Mapping[int, float]) -> dict[int, float]:
    """Keep the rows whose passage satisfies the leaf; the index has found too many."""
    by_document: dict[str, list[PassageRow]] = {}
    for passage in library.passage_rows(rows).values():
        by_document.setdefault(passage.document, []).append(passage)
    return {
        row: rows[row]
        for document, passages in by_document.items()
        for row in _holding(leaf, library.text(document), passages)
    }


def _holding(leaf: Leaf, text: str, passages: Iterable[PassageRow]) -> list[int]:
    return [
        passage.row for passage in passages if holds(leaf, WordIndex(passage.passage.span.of(text)))
    ]
