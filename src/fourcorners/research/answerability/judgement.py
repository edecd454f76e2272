"""Whether a contract answers a question: one calibrated judgement of what was read.

Weights and limits (`judgement.json`) were fitted on questions that the reader had not learned
(`training.questions.judge`). What a review makes of a known kind of clause that is asked for is a
sign among the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from fourcorners.search.sentences.weights import LinearWeights, odds_chance

FILE = Path(__file__).with_name("judgement.json")
_SURE = 6.0  # log-odds beyond which a review's opinion counts no more


class JudgementWeights(LinearWeights):
    """Weights of signs, and the chance from which they count as an answer."""

    limit: float


class JudgementFile(BaseModel):
    """Weights where a review judges a kind of clause that is asked for, and where none is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    provenance: str
    reader: str
    known: JudgementWeights
    unknown: JudgementWeights


@cache
def default_weights() -> JudgementFile:
    return JudgementFile.model_validate_json(FILE.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How likely a contract answers, and from where it counts as an answer."""

    chance: float
    threshold: float

    @property
    def answers(self) -> bool:
        return self.chance >= self.threshold


NOTHING = Judgement(0.0, 1.0)
"""Of a library in which nothing was found."""


def judge(odds: Sequence[float], margin: float | None) -> Judgement:
    """Judge a contract by the log-odds of its sentences that were read, the likeliest first.

    `margin` is how far a review is above its limit for the kind of clause that is asked for, in
    log-odds; None where no known kind is asked for.
    """
    if not odds:
        return NOTHING
    weights = default_weights().unknown if margin is None else default_weights().known
    chance = odds_chance(weights.log_odds(answer_signs(odds, margin)))
    return Judgement(chance, weights.limit)


def answer_signs(odds: Sequence[float], margin: float | None) -> dict[str, float]:
    """Return what speaks for a contract answering; at least one sentence was read."""
    signs = {"best": odds[0]}
    if margin is not None:
        signs["margin"] = max(-_SURE, min(_SURE, margin))
    return signs
