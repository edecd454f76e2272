"""Search inside one document, without a library: passages ranked by words and by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.outline.tree import Passage
from fourcorners.search.bm25 import K1, B
from fourcorners.search.fusion import RRF_K
from fourcorners.search.query import And, Field, Node, Not, Or, Query
from fourcorners.search.query.match import Place, leaf_instances
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CELLS = 1_000_000  # cells of a matches × passages table at a time


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage of the document with the parts of its score.

    Attributes:
        score: What the passages are ranked by: the sum over the rankings that hold it of
            1 / (60 + rank).
        lexical: The sum of boost × BM25 over the query's leaves, counted over this document's
            passages; 0 where the passage does not satisfy the query.
        cosine: How near its vector is to the question's; None without vectors.
        matched: The exact places of the words that matched, in order.
    """

    passage: Passage
    score: float
    lexical: float
    cosine: float | None
    matched: tuple[Span, ...]


def rank_passages(
    index: WordIndex,
    passages: Sequence[Passage],
    query: Query,
    *,
    vectors: NDArray[np.float32] | None = None,
    like: NDArray[np.float32] | None = None,
    limit: int | None = None,
) -> list[RankedPassage]:
    """Return the document's passages, the best first.

    With vectors every passage is ranked, because the clause that answers may say it in other
    words; without, only those that satisfy the query. A proximity must lie within one passage.

    Args:
        index: Of the document's whole text.
        passages: Of the same document.
        query: Its tree is asked of each passage; whether it is plain does not matter.
        vectors: One row a passage, L2-normalised, in the same order.
        like: The question's vector, L2-normalised; needs `vectors`.
        limit: How many to return at most; all by default.

    Raises:
        ValueError: If only one of `vectors` and `like` is given, or their shapes do not fit.
    """
    import numpy as np

    if (vectors is None) != (like is None):
        raise ValueError("give both vectors and like, or neither")
    if vectors is not None and like is not None and vectors.shape != (len(passages), len(like)):
        raise ValueError(f"vectors of shape {vectors.shape} do not fit {len(passages)} passages")
    if not passages:
        return []
    ranges = np.array([index.word_range(passage.span) for passage in passages], dtype=np.int64)
    table = _Table(index, ranges)
    held, lexical = table.evaluate(query.tree, 1.0)
    order = np.lexsort((np.arange(len(passages)), -lexical))
    matching = order[held[order]]
    score = np.zeros(len(passages))
    score[matching] += 1 / (RRF_K + np.arange(1, len(matching) + 1))
    cosine = None
    if vectors is not None and like is not None:
        cosine = vectors @ like
        nearest = np.lexsort((np.arange(len(passages)), -cosine))
        score[nearest] += 1 / (RRF_K + np.arange(1, len(passages) + 1))
        candidates = np.arange(len(passages))
    else:
        candidates = np.sort(matching)
    best = candidates[np.lexsort((candidates, -lexical[candidates], -score[candidates]))][:limit]
    return [
        RankedPassage(
            passages[at],
            float(score[at]),
            float(lexical[at]),
            None if cosine is None else float(cosine[at]),
            table.matched(query.tree, at) if held[at] else (),
        )
        for at in best.tolist()
    ]


class _Table:
    """The query's leaves against all passages at once."""

    def __init__(self, index: WordIndex, ranges: NDArray[np.int64]) -> None:
        import numpy as np

        self._index = index
        self._first, self._beyond = ranges[:, 0], ranges[:, 1]
        lengths = (self._beyond - self._first).astype(np.float64)
        mean = lengths.mean() or 1.0
        self._length = K1 * (1 - B + B * lengths / mean)
        self._instances: dict[int, list[tuple[Place, ...]]] = {}
        self._held: dict[int, NDArray[np.bool_]] = {}

    def evaluate(self, node: Node, boost: float) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return for each passage whether the node holds in it, and what it then scores."""
        import numpy as np

        match node:
            case Not():
                inner, _ = self.evaluate(node.part, boost)
                held, score = ~inner, np.zeros(len(inner))
            case And() | Or():
                parts = [self.evaluate(part, boost * node.boost) for part in node.parts]
                combine = np.logical_and if isinstance(node, And) else np.logical_or
                held = combine.reduce([part for part, _ in parts])
                score = np.where(held, np.sum([part for _, part in parts], axis=0), 0.0)
            case Field():
                raise TypeError("a field says which documents to search, and this is one")
            case _:
                instances = leaf_instances(node, self._index)
                self._instances[id(node)] = instances
                count = self._count_matches(instances)
                held, score = count > 0, self._bm25(count) * (boost * node.boost)
        self._held[id(node)] = held
        return held, score

    def matched(self, node: Node, at: int) -> tuple[Span, ...]:
        places = sorted(set(self._places(node, at)))
        return tuple(self._index.span_between(first, beyond - 1) for first, beyond in places)

    def _places(self, node: Node, at: int) -> Iterator[Place]:
        if isinstance(node, Not) or not self._held[id(node)][at]:
            return
        if isinstance(node, And | Or):
            for part in node.parts:
                yield from self._places(part, at)
            return
        first, beyond = int(self._first[at]), int(self._beyond[at])
        for instance in self._instances[id(node)]:
            if all(first <= start and end <= beyond for start, end in instance):
                yield from instance

    def _count_matches(self, instances: Sequence[tuple[Place, ...]]) -> NDArray[np.int64]:
        """Count for each passage the instances that lie wholly in it."""
        import numpy as np

        count = np.zeros(len(self._first), dtype=np.int64)
        if not instances:
            return count
        starts = np.array([min(place[0] for place in parts) for parts in instances])
        ends = np.array([max(place[1] for place in parts) for parts in instances])
        step = max(1, _CELLS // len(count))
        for low in range(0, len(starts), step):
            inside = starts[low : low + step, None] >= self._first
            inside &= ends[low : low + step, None] <= self._beyond
            count += inside.sum(axis=0)
        return count

    def _bm25(self, count: NDArray[np.int64]) -> NDArray[np.float64]:
        import numpy as np

        having = int(np.count_nonzero(count))
        rarity = np.log1p((len(count) - having + 0.5) / (having + 0.5))
        score: NDArray[np.float64] = rarity * count * (K1 + 1) / (count + self._length)
        return score
