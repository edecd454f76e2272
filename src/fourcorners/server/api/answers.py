"""Questions, and the reports that answer them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from fourcorners.operations import answers as stored_answers
from fourcorners.operations.answers import StoredAnswer
from fourcorners.operations.ask import AskRequest
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.research.answer import (
    Answer,
    Citation,
    ContractRow,
    Draft,
    ExternalStatement,
    Gap,
    Statement,
    Verification,
)
from fourcorners.server.api.models import (
    CollectionName,
    Cursor,
    DocumentName,
    Limit,
    Moment,
    Paged,
    TaskValue,
    file_responses,
)
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.cursors import cut_page, decode_cursor
from fourcorners.server.links import quote_href
from fourcorners.server.pages import ask as ask_pages
from fourcorners.server.tasks.handlers.ask import start_question
from fourcorners.text.span import Span
from fourcorners.value import Value

router = APIRouter(tags=["Answers"], route_class=ApiRoute)
_Verdict = Literal["yes", "no", "the contract says", "it depends", "no answer found", "cannot tell"]
_REPORT = file_responses(FILE_TYPES[each] for each in ask_pages.FORMS)


class CitationValue(Value):
    """Words of a contract that the program verified, with their place."""

    document: str
    name: str
    where: str = Field(examples=["clause 7.2(a), page 3"])
    words: str
    span: Span
    because: str
    href: str

    @classmethod
    def from_citation(cls, cited: Citation | None) -> CitationValue | None:
        """Return words with their link; None for words without a place."""
        if cited is None or cited.quote.span is None:
            return None
        words, span = cited.quote.words, cited.quote.span
        return cls.make(cited, words=words, span=span, href=quote_href(cited.document, span, words))


class StatementValue(Value):
    """A sentence, and the words that support it; what is not verified is a claim."""

    text: str
    role: str
    standing: str
    verified: bool
    problem: str
    part: str
    quotes: list[CitationValue]
    claims: list[str] = Field(description="Said to be the contract's words, and not found there.")

    @classmethod
    def list_of(cls, statements: Iterable[Statement]) -> list[Self]:
        return [
            cls.make(
                each,
                verified=each.standing is Verification.VERIFIED,
                quotes=[
                    cited for one in each.quotes if (cited := CitationValue.from_citation(one))
                ],
            )
            for each in statements
        ]


class GapValue(Value):
    """What is missing, and how it was looked for."""

    what: str
    part: str
    searched: str
    nearest: CitationValue | None

    @classmethod
    def list_of(cls, gaps: Iterable[Gap]) -> list[Self]:
        return [cls.make(each, nearest=CitationValue.from_citation(each.nearest)) for each in gaps]


class ContractRowValue(Value):
    """What one contract of a collection says to the question."""

    document: str
    title: str
    state: Literal["yes", "no", "not said", "to be read"]
    value: str = Field(description="What it says in a few words.", examples=["P90D"])
    quote: CitationValue | None
    leads: list[CitationValue] = Field(description="Of words in a list, what leads to them.")

    @classmethod
    def list_of(cls, rows: Iterable[ContractRow]) -> list[Self]:
        return [
            cls.make(
                each,
                quote=CitationValue.from_citation(each.quote),
                leads=[*filter(None, map(CitationValue.from_citation, each.leads))],
            )
            for each in rows
        ]


class RulingValue(Value):
    """A ruling, and whose it is: with `unchecked` the program itself "cannot tell"."""

    ruling: _Verdict
    unchecked: _Verdict | None = Field(
        default=None, description="The model's ruling, where no verified sentence carries it."
    )


class TurnValue(RulingValue):
    """The report after a turn: what was asked, and the result so far."""

    turn: int
    asked: str
    tools: list[str]
    answer: list[StatementValue]
    missing: list[str]

    @classmethod
    def from_draft(cls, draft: Draft) -> TurnValue:
        return cls.make(
            draft,
            ruling=draft.answer.ruling,
            unchecked=draft.answer.unchecked,
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


class AnswerSummaryValue(RulingValue):
    """An answer in a list."""

    id: str = Field(examples=["83cfd2903285"])
    question: str
    headline: str = Field(description="The answer in a line; empty where a model answered.")
    collection: str = Field(description="Where it was asked; empty for all there is.")
    asked_by: str
    follows: str = Field(description="The answer that the question follows, by id; or empty.")
    made_by: str
    made: Moment

    @classmethod
    def from_stored(cls, stored: StoredAnswer) -> AnswerSummaryValue:
        home = stored.home
        return cls.make(
            stored.summary,
            collection=home.collection,
            asked_by=home.asked_by,
            follows=home.follows,
        )


class ReportValue(RulingValue):
    """What a report concludes, and the words behind it."""

    headline: str = Field(description="The answer in a line; empty where a model answered.")
    confidence: float
    because: str
    answer: list[StatementValue]
    conditions: list[StatementValue]
    readings: list[StatementValue]
    findings: list[StatementValue]
    beside: list[StatementValue] = Field(
        description="What belongs to the words that answer: definitions, clauses referred to."
    )
    gaps: list[GapValue]
    rows: list[ContractRowValue] = Field(
        description="A row for each contract, for a question to a collection."
    )
    directions: list[str] = Field(description="Where to research further.")
    next_questions: list[str]
    assumptions: list[str]
    stopped: str = Field(description="Why it ended before it was done; empty if it was done.")

    @classmethod
    def from_answer(cls, answer: Answer, **more: object) -> Self:
        """Return a report; `more` are the fields of a subclass that the answer has not."""
        verdict, listed = answer.answer, StatementValue.list_of
        return cls.make(
            answer,
            headline=verdict.headline,
            confidence=verdict.confidence,
            because=verdict.because,
            ruling=verdict.ruling,
            unchecked=verdict.unchecked,
            answer=listed(verdict.sentences),
            conditions=listed(verdict.conditions),
            readings=listed(verdict.readings),
            findings=listed(answer.findings),
            beside=listed(answer.beside),
            gaps=GapValue.list_of(answer.gaps),
            rows=ContractRowValue.list_of(answer.rows),
            **more,
        )


class AnswerValue(ReportValue, AnswerSummaryValue):
    """A report, whole."""

    asked: str
    title: str
    summary: list[StatementValue]
    reasoning: list[list[StatementValue]] = Field(description="Paragraphs, by their sentences.")
    external: list[ExternalStatement]
    verified: int
    unverified: int
    turns: list[TurnValue] = Field(description="How it came about, turn by turn.")
    record: list[StepValue] = Field(description="All that was done for it, in order.")

    @classmethod
    def from_stored_answer(cls, answer: Answer, stored: StoredAnswer) -> AnswerValue:
        return cls.from_answer(
            answer,
            **AnswerSummaryValue.from_stored(stored).model_dump(
                include={"id", "collection", "asked_by", "follows", "made_by", "made"}
            ),
            question=answer.question,
            summary=StatementValue.list_of(answer.summary),
            reasoning=[StatementValue.list_of(each) for each in answer.reasoning],
            verified=answer.counts.verified,
            unverified=answer.counts.unverified,
            turns=[TurnValue.from_draft(each) for each in answer.drafts],
        )


@router.post("/answers", status_code=202)
def ask_question(context: Context, asked: AskRequest) -> TaskValue:
    """Ask contracts; the answer is the task to watch, whose result names the report."""
    return TaskValue.make(start_question(context, asked))


@router.get("/answers")
def list_answers(
    context: Context,
    collection: CollectionName | None = None,
    document: DocumentName | None = None,
    cursor: Cursor = "",
    limit: Limit = 50,
) -> Paged[AnswerSummaryValue]:
    """List the answers that you may see, the newest first."""
    after = decode_cursor(context, "answers", cursor) if cursor else None
    with context.access() as access:
        rest = stored_answers.list_answers(access, collection=collection or None, document=document)
    if after is not None:
        rest = [each for each in rest if _order(each) < after]
    here, more = cut_page(context, "answers", rest, _order, limit)
    return Paged(items=[AnswerSummaryValue.from_stored(each) for each in here], next=more)


def _order(stored: StoredAnswer) -> tuple[str, str]:
    return stored.summary.made, stored.summary.id


@router.get("/answers/{answer}")
def get_answer(context: Context, answer: str) -> AnswerValue:
    """Return a report."""
    with context.access() as access:
        found, stored = stored_answers.find_answer(access, answer)
    return AnswerValue.from_stored_answer(found, stored)


@router.get("/answers/{answer}/report", response_class=Response, responses=_REPORT)
def export_answer(
    context: Context,
    answer: str,
    form: Annotated[
        Literal["docx", "pdf", "xlsx", "html", "md", "json"],
        Query(alias="format", description="Of the file; `xlsx` for the table of contracts."),
    ] = "docx",
) -> Response:
    """Return a report as a file to send."""
    return ask_pages.report(context, answer, form)
