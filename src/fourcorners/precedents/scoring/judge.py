"""What was learned of precedents from lawyers' stars: an adapter of vectors, and weights.

Query and clause vectors each go through a matrix (near the identity) before they are compared; that
and the features of `features.py` are added up with weights. The model is for one encoder; a card
beside it says what it was learned from, and what it scored out of fold.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.models.card import load_card
from fourcorners.models.card_text import describe_model
from fourcorners.models.registry import PRECEDENTS as NAME
from fourcorners.models.registry import WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "model.npz"
STARS = (2, 3, 4, 5)


@dataclass(frozen=True, slots=True, eq=False)
class PrecedentModel:
    """The model.

    Attributes:
        encoder: Whose vectors it is for.
        learned_from: The SHA-256 of each query and clause that it learned from.
        query_matrix: What a query's vector is multiplied with.
        clause_matrix: The same of a clause's.
        sharpness: What the difference counts that the two matrices make.
        mean: Of each feature.
        spread: The same.
        weights: Of the features so standardised.
        levels: For 2, 3, 4 and 5 stars: scale and shift of the chance of so many.
    """

    name: str
    encoder: str
    learned_from: frozenset[str]
    query_matrix: NDArray[np.float32]
    clause_matrix: NDArray[np.float32]
    sharpness: float
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    weights: NDArray[np.float64]
    levels: NDArray[np.float64]

    def scores(
        self,
        features: NDArray[np.float64],
        query: NDArray[np.float32],
        clauses: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Return one score a clause.

        Args:
            features: A row a clause, as `scoring.LEARNED` names them; the first is the cosine.
            query: The query's unit vector.
            clauses: The clauses' unit vectors, a row each.
        """
        import numpy as np

        asked = self.query_matrix @ query
        held = clauses @ self.clause_matrix.T
        lengths = np.linalg.norm(held, axis=1) * np.linalg.norm(asked)
        moved = (held @ asked) / np.maximum(lengths, 1e-12) - clauses @ query
        standard = (features - self.mean) / self.spread
        found: NDArray[np.float64] = standard @ self.weights + self.sharpness * moved
        return found

    def rating_probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each score the chance of at least 2, 3, 4 and 5 stars: four columns."""
        import numpy as np

        scaled = np.outer(scores, self.levels[:, 0]) + self.levels[:, 1]
        chances = 1.0 / (1.0 + np.exp(-np.clip(scaled, -60.0, 60.0)))
        ordered: NDArray[np.float64] = np.minimum.accumulate(chances, axis=1)
        return ordered

    def stars(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the stars to be expected, 1 to 5."""
        expected: NDArray[np.float64] = 1.0 + self.rating_probabilities(scores).sum(axis=1)
        return expected


def text_hash(text: str) -> str:
    """Return the hash by which a card names a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@cache
def default_model(folder: Path = WEIGHTS / NAME) -> PrecedentModel:
    """Return the model that comes with the package, verified.

    Raises:
        ModelError: If its card or its file is missing or damaged.
    """
    import numpy as np

    info = load_card(folder)
    card = describe_model(folder)
    with np.load(io.BytesIO(info.read(FILE)), allow_pickle=False) as held:
        return PrecedentModel(
            name=info.identity,
            encoder=card.encoder,
            learned_from=frozenset(card.learned_from),
            query_matrix=held["query_matrix"].astype(np.float32),
            clause_matrix=held["clause_matrix"].astype(np.float32),
            sharpness=float(held["sharpness"]),
            mean=held["mean"].astype(np.float64),
            spread=held["spread"].astype(np.float64),
            weights=held["weights"].astype(np.float64),
            levels=held["levels"].astype(np.float64),
        )
