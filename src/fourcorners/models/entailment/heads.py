"""The parts of the entailment model that are learned: heads on words, and trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.models.entailment.features import hash_ngrams

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def sigmoid(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return 1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class TreeEnsemble:
    """Regression trees whose leaves add up; a leaf's children are the leaf itself.

    Attributes:
        roots: The place of each tree's first node.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    base: float
    depth: int

    def __call__(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        import numpy as np

        values = rows.ravel()  # taking from flat arrays is twice as fast as from rows
        starts = (np.arange(len(rows), dtype=np.int32) * rows.shape[1])[:, None]
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            seen = values.take(starts + self.feature.take(at))
            left = seen <= self.threshold.take(at)
            at = np.where(left, self.left.take(at), self.right.take(at))
        return np.asarray(self.base + self.value.take(at).sum(axis=1, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Runs of words that count, and what they say for each head.

    Attributes:
        buckets: Their hashes, in order.
        rarity: The weight of each.
        weights: An array (buckets, heads) of small integers, times `scales` for each head.
    """

    buckets: NDArray[np.int64]
    rarity: NDArray[np.float32]
    weights: NDArray[np.int8]
    scales: NDArray[np.float32]
    bias: NDArray[np.float32]

    def rows(self, texts: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return which buckets the texts hold, and an array (texts, these): rows of length one."""
        import numpy as np

        found = [self._known_places(hash_ngrams(text)) for text in texts]
        used = np.unique(np.concatenate([np.zeros(0, np.intp), *found]))
        values = np.zeros((len(texts), len(used)), np.float32)
        for row, columns in enumerate(found):
            values[row, np.searchsorted(used, columns)] = self.rarity[columns]
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        return np.asarray(used, np.intp), np.asarray(
            values / np.where(lengths > 0, lengths, 1), np.float32
        )

    def _known_places(self, wanted: NDArray[np.int64]) -> NDArray[np.intp]:
        import numpy as np

        at = np.minimum(np.searchsorted(self.buckets, wanted), len(self.buckets) - 1)
        return np.asarray(at[self.buckets[at] == wanted], np.intp)

    def select(self, used: NDArray[np.intp], heads: slice) -> NDArray[np.float32]:
        import numpy as np

        return self.weights[used, heads].astype(np.float32) * self.scales[heads]
