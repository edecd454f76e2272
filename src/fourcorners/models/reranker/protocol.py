"""`Reranker`, what search asks of a model that reads a question and a passage together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Reranker(Protocol):
    """A question and passages in, one logit a passage out: the higher, the better it answers."""

    @property
    def name(self) -> str:
        """Name the model, its version and a hash of its files: other scores, another name."""

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True)
class ThresholdReranker:
    """A reranker with the chance from which a passage that it reads is returned at all.

    What is below is left out where passages are ranked; the scores are the reranker's own.
    """

    reranker: Reranker
    threshold: float

    @property
    def name(self) -> str:
        return self.reranker.name

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        return self.reranker.scores(question, passages)


def probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the sigmoid of logits, between 0 and 1."""
    import numpy as np

    scaled = np.asarray(logits, dtype=np.float64)
    # The exponent is never positive, so that it cannot overflow.
    small = np.exp(-np.abs(scaled))
    return np.where(scaled >= 0, 1.0, small) / (1.0 + small)
