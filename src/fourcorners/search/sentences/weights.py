"""Weights of the signals: how they make one chance, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from fourcorners.search.sentences.signals import ASKED, KNOWN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class LinearWeights:
    """A linear weighing: the log-odds are `bias` + the sum of weight × signal."""

    bias: float
    weights: Mapping[str, float]

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


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """How signals are weighed where a known kind of clause is asked for, and where none is."""

    known: LinearWeights
    unknown: LinearWeights


class _WeighingFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    bias: float
    weights: dict[str, float]

    def weighing(self) -> LinearWeights:
        return LinearWeights(self.bias, self.weights)


class _WeightsFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    provenance: str
    known: _WeighingFile
    unknown: _WeighingFile


@cache
def default_weights() -> SignalWeights:
    content = _WeightsFile.model_validate_json(FILE.read_text(encoding="utf-8"))
    return SignalWeights(content.known.weighing(), content.unknown.weighing())
