"""`Verdict`: what a document says of a hypothesis, with the places that show it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Label(StrEnum):
    ENTAILMENT = "Entailment"
    CONTRADICTION = "Contradiction"
    NOT_MENTIONED = "NotMentioned"


LABELS = tuple(Label)
"""In the order in which scores are given."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer with its evidence.

    Attributes:
        scores: The probability of each of `LABELS`; they add up to 1.
        evidence: Places of the spans that were looked at, with the probability that each is
            evidence; the best first. They are ranked even where nothing is mentioned.
        against: For each of `evidence`, how likely it contradicts the hypothesis, if it is
            evidence.
        margin: How far apart the probabilities of two answers must be for the likelier one to be
            relied on; greater where the hypothesis was never learned.
    """

    label: Label
    scores: tuple[float, float, float]
    evidence: tuple[tuple[int, float], ...]
    against: tuple[float, ...] = ()
    margin: float = 0.0
