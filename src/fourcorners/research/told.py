"""The forms in which a language model answers the agents; all in them are claims until checked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Understood(BaseModel):
    """What a person wants to know."""

    question: str
    context: str = ""
    instructions: str = ""
    assumptions: list[str] = Field(default_factory=list)
    ask_back: str = ""


class NextQuestion(BaseModel):
    """What the researcher is asked."""

    question: str


class LookTold(BaseModel):
    """A tool, and the words that it is asked with."""

    tool: str
    words: str


class Chosen(BaseModel):
    """What to look with."""

    looks: list[LookTold]


class Response(BaseModel):
    """What passages tell, in sentences."""

    told: str


class QuoteTold(BaseModel):
    """Words that are said to stand in a passage."""

    passage: int
    words: str


class FindingTold(BaseModel):
    """A statement about the contract, and the words that are to support it."""

    number: int
    statement: str
    quotes: list[QuoteTold] = Field(default_factory=list)


class SentenceTold(BaseModel):
    """A sentence that rests on findings."""

    text: str
    findings: list[int] = Field(default_factory=list)


class AnswerTold(BaseModel):
    """The preliminary answer."""

    ruling: Literal[
        "yes", "no", "the contract says", "it depends", "not in the contract", "cannot tell"
    ]
    confidence: float = Field(ge=0, le=1)
    sentences: list[SentenceTold] = Field(default_factory=list)
    conditions: list[SentenceTold] = Field(default_factory=list)
    readings: list[SentenceTold] = Field(default_factory=list)


class OutsideTold(BaseModel):
    """What a source outside of the contracts says."""

    passage: int
    statement: str
    words: str


class DraftTold(BaseModel):
    """A whole report."""

    title: str
    findings: list[FindingTold]
    summary: list[SentenceTold] = Field(default_factory=list)
    answer: AnswerTold
    gaps: list[str] = Field(default_factory=list)
    next_questions: list[str] = Field(default_factory=list)
    external: list[OutsideTold] = Field(default_factory=list)
    confident: bool = False
