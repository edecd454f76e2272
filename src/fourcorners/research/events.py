"""Events that are emitted while a question is answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from fourcorners.research.answer import Answer, Draft, Gap, Step
from fourcorners.research.tool import Material


@dataclass(frozen=True, slots=True)
class PlanEvent:
    """What is to be done.

    Attributes:
        turns: How often the researcher is asked at most; 0 without a language model.
        calls: Maximum exchanges with a model, without repairs.
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
    turn: int
    question: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceEvent:
    turn: int
    materials: tuple[Material, ...]


@dataclass(frozen=True, slots=True)
class DraftEvent:
    draft: Draft


@dataclass(frozen=True, slots=True)
class GapEvent:
    turn: int
    gap: Gap


@dataclass(frozen=True, slots=True)
class StepEvent:
    step: Step


@dataclass(frozen=True, slots=True)
class AnswerEvent:
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


def draft_of(report: Answer, turn: int, asked: str, tools: Iterable[str]) -> Draft:
    """Return a report as the draft after a turn."""
    return Draft(
        turn=turn,
        asked=asked,
        tools=tuple(dict.fromkeys(tools)),
        title=report.title,
        summary=report.summary,
        findings=report.findings,
        answer=report.answer,
        gaps=report.gaps,
        next_questions=report.next_questions,
        counts=report.counts,
    )
