"""Answers as REST and MCP say them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import Field

from fourcorners.research.answer import (
    Answer,
    Citation,
    Draft,
    Gap,
    Statement,
    Verification,
)
from fourcorners.server.api.models import SpanValue, Value
from fourcorners.server.links import quote_href
from fourcorners.server.store.answers import StoredAnswer

_Verdict = Literal[
    "yes", "no", "the contract says", "it depends", "not in the contract", "cannot tell"
]


class CitedValue(Value):
    """Words of a contract that the program verified, with their place."""

    document: str
    name: str
    where: str = Field(examples=["clause 7.2(a), page 3"])
    words: str
    span: SpanValue
    because: str
    href: str

    @classmethod
    def from_citation(cls, cited: Citation | None) -> CitedValue | None:
        """Return words as the API says them; None for words without a place."""
        span = cited.quote.span if cited else None
        if cited is None or span is None:
            return None
        return cls(
            document=cited.document,
            name=cited.name,
            where=cited.where,
            words=cited.quote.words,
            span=SpanValue.from_span(span),
            because=cited.because,
            href=quote_href(cited.document, span, cited.quote.words),
        )


class StatementValue(Value):
    """A sentence, and the words that support it; what is not verified is a claim."""

    text: str
    role: str
    standing: str
    verified: bool
    problem: str
    part: str
    quotes: list[CitedValue]
    claims: list[str] = Field(description="Said to be the contract's words, and not found there.")

    @classmethod
    def list_of(cls, statements: Iterable[Statement]) -> list[Self]:
        """Return statements as the API says them."""
        return [
            cls(
                text=each.text,
                role=each.role.value,
                standing=each.standing.value,
                verified=each.standing is Verification.VERIFIED,
                problem=each.problem,
                part=each.part,
                quotes=[cited for one in each.quotes if (cited := CitedValue.from_citation(one))],
                claims=list(each.claims),
            )
            for each in statements
        ]


class GapValue(Value):
    """What is missing, and how it was looked for."""

    what: str
    part: str
    searched: str
    nearest: CitedValue | None

    @classmethod
    def from_gap(cls, gap: Gap) -> GapValue:
        """Return a gap as the API says it."""
        nearest = CitedValue.from_citation(gap.nearest)
        return cls(what=gap.what, part=gap.part, searched=gap.searched, nearest=nearest)


class ExternalValue(Value):
    """What a source outside of the contracts says; nothing in the answer rests on it."""

    text: str
    words: str
    source: str
    where: str
    fetched: str
    licence: str


class TurnValue(Value):
    """The report as it stood after a turn: what was asked, and what it came to until then."""

    turn: int
    asked: str
    tools: list[str]
    ruling: _Verdict
    answer: list[StatementValue]
    missing: list[str]

    @classmethod
    def from_draft(cls, draft: Draft) -> TurnValue:
        """Return a draft as the API says it."""
        return cls(
            turn=draft.turn,
            asked=draft.asked,
            tools=list(draft.tools),
            ruling=draft.answer.ruling.value,
            answer=StatementValue.list_of(draft.answer.sentences),
            missing=[each.what for each in draft.gaps],
        )


class StepValue(Value):
    """One thing that was done: a question to a model, or work of the program."""

    agent: str
    turn: int
    did: str
    model: str
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int


class ListedAnswerValue(Value):
    """An answer in a list."""

    id: str = Field(examples=["83cfd2903285"])
    question: str
    ruling: _Verdict
    collection: str = Field(description="Where it was asked; empty for all there is.")
    asked_by: str
    made_by: str
    made: str

    @classmethod
    def from_stored(cls, kept: StoredAnswer) -> ListedAnswerValue:
        """Return an answer in a list as the API says it."""
        listed, home = kept.summary, kept.home
        return cls(
            id=listed.id,
            question=listed.question,
            ruling=listed.ruling.value,
            collection=home.collection,
            asked_by=home.asked_by,
            made_by=listed.made_by,
            made=listed.made,
        )


class ReportValue(Value):
    """What a report comes to, and the words behind it."""

    confidence: float
    because: str
    answer: list[StatementValue]
    conditions: list[StatementValue]
    readings: list[StatementValue]
    findings: list[StatementValue]
    gaps: list[GapValue]
    next_questions: list[str]
    assumptions: list[str]
    stopped: str = Field(description="Why it ended before it was done; empty if it was done.")

    @classmethod
    def from_answer(cls, answer: Answer, **more: object) -> Self:
        """Return a report as the API says it; `more` are the fields of a subclass."""
        verdict = answer.answer
        return cls.model_validate(
            {
                "confidence": verdict.confidence,
                "because": verdict.because,
                "answer": StatementValue.list_of(verdict.sentences),
                "conditions": StatementValue.list_of(verdict.conditions),
                "readings": StatementValue.list_of(verdict.readings),
                "findings": StatementValue.list_of(answer.findings),
                "gaps": [GapValue.from_gap(each) for each in answer.gaps],
                "next_questions": list(answer.next_questions),
                "assumptions": list(answer.assumptions),
                "stopped": answer.stopped,
                **more,
            }
        )


class AnswerValue(ReportValue, ListedAnswerValue):
    """A report, whole."""

    asked: str
    title: str
    summary: list[StatementValue]
    external: list[ExternalValue]
    verified: int
    unverified: int
    turns: list[TurnValue] = Field(description="How it came about, turn by turn.")
    record: list[StepValue] = Field(description="All that was done for it, in order.")

    @classmethod
    def from_stored_answer(cls, answer: Answer, kept: StoredAnswer) -> AnswerValue:
        """Return a report with how it came about."""
        return cls.from_answer(
            answer,
            **ListedAnswerValue.from_stored(kept).model_dump(),
            asked=answer.asked,
            title=answer.title,
            summary=StatementValue.list_of(answer.summary),
            external=answer.external,
            verified=answer.counts.verified,
            unverified=answer.counts.unverified,
            turns=[TurnValue.from_draft(each) for each in answer.drafts],
            record=answer.record,
        )
