"""Lexical search: rows of the words index, with each leaf's part of the score."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from fourcorners.library.catalogue import Catalogue
from fourcorners.search.fields import field_rows
from fourcorners.search.fusion import sort_by_score
from fourcorners.search.index import Index, index_of
from fourcorners.search.query.fts import CompiledLeaf, compile_query
from fourcorners.search.query.tree import And, Field, Node, Or, Proximity
from fourcorners.text.tokenization import WordIndex

MAX_FREQUENCY = 60_000
"""Maximum total frequency of the words of a plain question, in passages.

Ranking takes a microsecond for each. Beyond it, the most frequent words, which are the least
informative, do not count.
"""
MIN_WORDS = 3
"""Words of a plain question that always count, the rarest first."""


@dataclass(frozen=True, slots=True)
class LexicalRows:
    """The rows that satisfy a query, each with its total score.

    Attributes:
        parts: For each scored leaf its label and boost × -bm25 by row; a label may occur twice.
    """

    scores: Mapping[int, float]
    parts: Sequence[tuple[str, Mapping[int, float]]]

    def terms(self, row: int, words: str) -> Iterator[tuple[str, float]]:
        """Yield the label and score of each leaf that a row satisfies."""
        del words
        for label, part in self.parts:
            if row in part:
                yield label, part[row]


@dataclass(frozen=True, slots=True)
class BestRows(LexicalRows):
    """The best rows with any of some words; score components are computed on demand.

    The index adds the components up, in the order of the leaves; for displayed rows they are
    recomputed identically, to the last digit.
    """

    index: Index
    leaves: Sequence[CompiledLeaf]

    def terms(self, row: int, words: str) -> Iterator[tuple[str, float]]:
        index = WordIndex(words)
        for leaf in self.leaves:
            part = self.index.leaf_score(leaf, row, index)
            if part is not None:
                yield leaf.label, part


def best_rows(
    library: Catalogue, tree: Node, filters: Collection[Collection[str]], limit: int
) -> LexicalRows:
    """Return the best of the rows that `matching_rows` finds; ties are ordered by row.

    If any of some words suffices, the index ranks the rows: that takes half the time of fetching
    them all; with many words in a large library the most frequent do not count (`MAX_FREQUENCY`).
    If even those that must count are too frequent, only rows with all of them are ranked, if there
    are enough.
    """
    leaves: Sequence[CompiledLeaf] = compile_query(tree).leaves
    if not _any_of(tree, leaves):
        found = matching_rows(library, tree, filters)
        rows = sort_by_score(sorted(found.scores), found.scores)[:limit]
        return replace(found, scores={row: found.scores[row] for row in rows})
    index = index_of(library)
    leaves, often = _rarest(index, leaves)
    if often > MAX_FREQUENCY and len(leaves) > 1:
        bearing_all = index.best_rows(leaves, filters, limit, every=True)
        if len(bearing_all) == limit:
            return BestRows(bearing_all, (), index, leaves)
    return BestRows(index.best_rows(leaves, filters, limit), (), index, leaves)


def _rarest(index: Index, leaves: Sequence[CompiledLeaf]) -> tuple[Sequence[CompiledLeaf], int]:
    """Leave out the most frequent words if ranking by all would take too long; keep the order.

    Returns the words, and the number of rows to rank, counting a row once for each word.
    """
    most = index.totals().rows * len(leaves)
    if most <= MAX_FREQUENCY:
        return leaves, most
    frequencies = [index.document_frequency(leaf) for leaf in leaves]
    order = sorted(range(len(leaves)), key=frequencies.__getitem__)
    so_far = accumulate(frequencies[at] for at in order)
    rare = {
        at
        for place, (at, total) in enumerate(zip(order, so_far, strict=True))
        if place < MIN_WORDS or total <= MAX_FREQUENCY
    }
    left = [at for at in range(len(leaves)) if at in rare]
    return [leaves[at] for at in left], sum(frequencies[at] for at in left)


def _any_of(tree: Node, leaves: Sequence[CompiledLeaf]) -> bool:
    """Return whether any of some words suffices, and all count equally."""
    return _are_alike(tree.parts if isinstance(tree, Or) else (tree,), leaves)


def _are_alike(parts: Sequence[Node], leaves: Sequence[CompiledLeaf]) -> bool:
    return len(parts) == len(leaves) and all(
        leaf.boost == 1.0 and leaf.scored and not isinstance(leaf.leaf, Proximity | Field)
        for leaf in leaves
    )


def top_rows(
    library: Catalogue, tree: Node, filters: Collection[Collection[str]], limit: int
) -> LexicalRows:
    """Return at least the best `limit` of the rows that `matching_rows` finds, or all.

    What the index can rank by itself is not fetched entirely: words, phrases and proximities, and
    words of which all or any must match.
    """
    leaves, index = compile_query(tree).leaves, index_of(library)
    if isinstance(tree, And | Or):
        if not _are_alike(tree.parts, leaves):
            return matching_rows(library, tree, filters)
        rows = index.best_rows(leaves, filters, limit, every=isinstance(tree, And))
        return BestRows(rows, (), index, leaves)
    (leaf,) = leaves
    if not leaf.exact or isinstance(leaf.leaf, Field):
        return matching_rows(library, tree, filters)
    rows = index.best_rows(leaves, filters, limit)
    part = {row: leaf.boost * score for row, score in rows.items()}
    return LexicalRows(part, [(leaf.label, part)])


def matching_rows(
    library: Catalogue, tree: Node, filters: Collection[Collection[str]]
) -> LexicalRows:
    """Return the rows that satisfy a query within filters (tokens, as `Filters.tokens` gives).

    For words that must all match, the index ranks the rows with all of them: each word alone has
    far more rows.
    """
    plan = compile_query(tree)
    index = index_of(library)
    if isinstance(tree, And) and _are_alike(tree.parts, plan.leaves):
        every = index.best_rows(plan.leaves, filters, None, every=True)
        return BestRows(every, (), index, plan.leaves)
    found = [
        dict.fromkeys(field_rows(library, leaf.leaf, filters), 0.0)
        if isinstance(leaf.leaf, Field)
        else index.scores(leaf, filters)
        for leaf in plan.leaves
    ]
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
