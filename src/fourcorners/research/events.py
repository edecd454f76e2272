"""What happens while a question is answered, as it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fourcorners.research.answer import Answer, Draft, Gap, Step
from fourcorners.research.tool import Material


@dataclass(frozen=True, slots=True)
class PlanEvent:
    """What is to be done.

    Attributes:
        parts: The parts of the question.
        turns: How often the researcher is asked at most; 0 without a language model.
        calls: Exchanges with a model that this takes at most, repairs apart.
    """

    question: str
    parts: tuple[str, ...]
    turns: int
    calls: int
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClarificationEvent:
    """The archivist asks the person back, once; the reply is what the caller's `reply` returns."""

    question: str


@dataclass(frozen=True, slots=True)
class QuestionEvent:
    """A question to the researcher, and the tools that it looks with."""

    turn: int
    question: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceEvent:
    """What the researcher's tools brought."""

    turn: int
    materials: tuple[Material, ...]


@dataclass(frozen=True, slots=True)
class DraftEvent:
    """The report as it stands after a turn."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class GapEvent:
    """Something that is still missing."""

    turn: int
    gap: Gap


@dataclass(frozen=True, slots=True)
class StepEvent:
    """A step with what it used."""

    step: Step


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """The report, whole."""

    answer: Answer


Event: TypeAlias = (
    PlanEvent
    | ClarificationEvent
    | QuestionEvent
    | EvidenceEvent
    | DraftEvent
    | GapEvent
    | StepEvent
    | AnswerEvent
)
