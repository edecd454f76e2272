"""The forms in which a language model answers the agents; all in them are claims until checked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class UnderstoodQuestion(BaseModel):
    """What a person wants to know."""

    question: str
    context: str = ""
    instructions: str = ""
    assumptions: list[str] = Field(default_factory=list)
    ask_back: str = ""


class NextQuestion(BaseModel):
    """What the researcher is asked."""

    question: str


class ToolCall(BaseModel):
    """A tool, the words that it is asked with, and the contract where several are told of."""

    tool: str
    words: str
    contract: str = ""


class ToolChoice(BaseModel):
    """What to look with."""

    looks: list[ToolCall]


class PassageResponse(BaseModel):
    """What passages tell, in sentences."""

    response: str


class QuoteClaim(BaseModel):
    """Words that are said to stand in a passage."""

    passage: int
    words: str


class FindingClaim(BaseModel):
    """A statement about the contract, and the words that are to support it."""

    number: int
    statement: str
    quotes: list[QuoteClaim] = Field(default_factory=list)


class SentenceClaim(BaseModel):
    """A sentence that rests on findings."""

    text: str
    findings: list[int] = Field(default_factory=list)


class AnswerClaim(BaseModel):
    """The preliminary answer."""

    ruling: Literal[
        "yes", "no", "the contract says", "it depends", "not in the contract", "cannot tell"
    ]
    confidence: float = Field(ge=0, le=1)
    sentences: list[SentenceClaim] = Field(default_factory=list)
    conditions: list[SentenceClaim] = Field(default_factory=list)
    readings: list[SentenceClaim] = Field(default_factory=list)


class ExternalClaim(BaseModel):
    """What a source outside of the contracts says."""

    passage: int
    statement: str
    words: str


class DraftReport(BaseModel):
    """A whole report."""

    title: str
    findings: list[FindingClaim]
    summary: list[SentenceClaim] = Field(default_factory=list)
    answer: AnswerClaim
    gaps: list[str] = Field(default_factory=list)
    next_questions: list[str] = Field(default_factory=list)
    external: list[ExternalClaim] = Field(default_factory=list)
    confident: bool = False
