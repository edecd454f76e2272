"""Weights of the signals: how they make one chance, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from fourcorners.search.sentences.signals import ASKED, KNOWN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("weights.json")


class LinearWeights(BaseModel):
    """A linear weighing: the log-odds are `bias` + the sum of weight × signal."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    bias: float
    weights: dict[str, float]

    def log_odds(self, features: Mapping[str, float]) -> float:
        """Return the log-odds of features that are known by name."""
        return self.bias + sum(weight * features[name] for name, weight in self.weights.items())

    def probabilities(self, signals: NDArray[np.float32], more: float = 0.0) -> NDArray[np.float64]:
        """Return for each row of signals (`ASKED` then `KNOWN`) how likely it answers.

        `more` is added to the log-odds of all.
        """
        import numpy as np

        row = np.array([self.weights.get(name, 0.0) for name in (*ASKED, *KNOWN)])
        odds = self.bias + more + signals.astype(np.float64) @ row
        chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-odds))
        return chances

    def parts(self, signals: NDArray[np.float32]) -> dict[str, float]:
        """Return what each signal of one row adds to the log-odds, where it adds anything."""
        added = {
            name: float(value) * self.weights.get(name, 0.0)
            for name, value in zip((*ASKED, *KNOWN), signals, strict=True)
        }
        return {name: value for name, value in added.items() if value}


class SignalWeights(BaseModel):
    """How signals are weighed where a known kind of clause is asked for, and where none is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    provenance: str
    known: LinearWeights
    unknown: LinearWeights


@cache
def default_weights() -> SignalWeights:
    return SignalWeights.model_validate_json(FILE.read_text(encoding="utf-8"))


def chance_odds(chance: float, least: float) -> float:
    """Return the log-odds of a chance, which is kept `least` off 0 and 1."""
    bounded = min(max(chance, least), 1 - least)
    return log(bounded / (1 - bounded))


def odds_chance(odds: float) -> float:
    """Return the chance of log-odds."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, odds))))
