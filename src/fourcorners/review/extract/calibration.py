"""From what speaks for a sentence to one probability: a logistic model a provision.

The weights are data (`calibration.json`): learned by `training/extraction/train.py` on expert
annotations, with the threshold at which a sentence counts as found. A provision that the file does
not know is judged by the `default` entry, learned over all provisions together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, TypedDict

from fourcorners.errors import ModelError
from fourcorners.review.extract.scoring import FEATURES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT = "default"


class _Entry(TypedDict):
    weights: list[float]
    bias: float
    threshold: float
    also: float


@dataclass(frozen=True, slots=True)
class Curve:
    """The logistic model of one provision: a weight for each of `FEATURES`, and a bias.

    The probability is that of a contract holding the provision whose best sentence looks like this
    one. From `threshold` on the best sentence makes the cell found, and with it every other
    sentence from `also` on is quoted.
    """

    weights: tuple[float, ...]
    bias: float
    threshold: float
    also: float

    def probability(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probability of each row of `features` (rows, `FEATURES`)."""
        import numpy as np

        logits = features.astype(np.float64) @ np.array(self.weights) + self.bias
        probability: NDArray[np.float32] = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
        return probability


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curves by provision id, with the name that findings record.

    Attributes:
        curves: For documents with vectors.
        by_words: For documents without: there, meaning says nothing.
        learned_from: The ids of the documents whose annotations the curves were fitted to.
    """

    version: str
    curves: Mapping[str, Curve]
    by_words: Mapping[str, Curve]
    learned_from: frozenset[str]

    def curve(self, provision: str, *, meaning: bool) -> Curve:
        """Return the curve of a provision, or the default one."""
        curves = self.curves if meaning else self.by_words
        return curves.get(provision) or curves[DEFAULT]


def parse_calibration(text: str) -> Calibration:
    """Read a calibration.

    Raises:
        ModelError: If it was made for other features than this version computes.
    """
    raw = json.loads(text)
    if tuple(raw["features"]) != FEATURES:
        raise ModelError(
            "the calibration was made for other features than this version computes.",
            remedy="Run training/extraction/train.py again.",
        )
    return Calibration(
        raw["version"],
        _curves(raw["provisions"]),
        _curves(raw["by_words"]),
        frozenset(raw["learned_from"]),
    )


def _curves(raw: Mapping[str, _Entry]) -> dict[str, Curve]:
    return {
        name: Curve(tuple(entry["weights"]), entry["bias"], entry["threshold"], entry["also"])
        for name, entry in raw.items()
    }


@cache
def default_calibration() -> Calibration:
    """Return the calibration that comes with the package."""
    return parse_calibration(
        resources.files("fourcorners.review.extract")
        .joinpath("calibration.json")
        .read_text("utf-8")
    )
