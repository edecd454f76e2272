"""Polarity: whether words that answer a question of yes or no lean to yes or to no.

A weight for each of the signs of `polarity.features`, taught on everyday questions with the
sentences that answer them (`training/polarity/train.py`). It knows how contracts put a yes and a
no, and neither the parties nor the world: only where it is sure is it worth hearing.
"""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fourcorners.errors import ModelError
from fourcorners.models.card import REMEDY, ModelInfo, load_card
from fourcorners.models.polarity.features import polarity_features
from fourcorners.models.registry import POLARITY, WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "weights.npz"


@dataclass(frozen=True, slots=True)
class PolarityModel:
    """The model, read.

    Attributes:
        codes: Hashes of the signs that count, in order.
        weights: What each speaks for yes; the constant is the last.
        threshold: The chance from which its answer is given.
    """

    info: ModelInfo
    codes: NDArray[np.uint32]
    weights: NDArray[np.float32]
    threshold: float

    def probability(self, question: str, words: str) -> float:
        """Return the chance that words which answer a question say yes, and not no."""
        import numpy as np

        found = polarity_features(question, words)
        wanted = np.array([hash_feature(sign) for sign in found], np.uint32)
        counts = np.array(list(found.values()))
        at = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        known = self.codes[at] == wanted
        odds = float(self.weights[:-1][at[known]] @ counts[known]) + float(self.weights[-1])
        return float(1 / (1 + np.exp(-odds)))


def hash_feature(sign: str) -> int:
    return zlib.crc32(sign.encode("utf-8", "replace"))


@cache
def default_polarity() -> PolarityModel:
    """Return the model that comes with the package; its file is read once, and verified.

    Raises:
        ModelError: If its card or file is missing or damaged.
    """
    import numpy as np

    info = load_card(WEIGHTS / POLARITY)
    try:
        with np.load(io.BytesIO(info.read(FILE)), allow_pickle=False) as file:
            return PolarityModel(
                info,
                file["codes"].astype(np.uint32),
                file["weights"].astype(np.float32),
                float(file["sure"]),
            )
    except (KeyError, ValueError, TypeError) as error:
        raise ModelError(
            f"model {info.name}: {FILE} is not of the form that is read ({error!r}).",
            remedy=REMEDY,
        ) from error
