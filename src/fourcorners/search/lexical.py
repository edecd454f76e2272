"""The lexical side: rows of the words index, with each leaf's part of the score."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.entries import PassageRow
from fourcorners.search.fields import rows_of
from fourcorners.search.query.fts import CompiledLeaf, compile_query, limited
from fourcorners.search.query.match import holds
from fourcorners.search.query.tree import Field, Leaf, Node
from fourcorners.text.words import WordIndex

# One statement a leaf, summed here: FTS5 refuses bm25() in some shapes of a UNION. The filter
# column has weight 0.
_SELECT = "SELECT rowid, -bm25(words, 1.0, 0.0) FROM words WHERE words MATCH ?"


@dataclass(frozen=True, slots=True)
class LexicalRows:
    """The rows that satisfy a query.

    Attributes:
        scores: For each row, the sum of its parts.
        parts: For each scored leaf its label and boost × -bm25 by row; a label may occur twice.
    """

    scores: Mapping[int, float]
    parts: Sequence[tuple[str, Mapping[int, float]]]


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
