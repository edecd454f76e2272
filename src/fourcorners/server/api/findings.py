"""Findings: the cells of a review, and what people say of them."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from fourcorners.operations.principal import Role
from fourcorners.playbooks.playbook import Level
from fourcorners.research.columns import store as columns_store
from fourcorners.research.columns.store import PREFIX
from fourcorners.review.finding import (
    Author,
    CellState,
    Finding,
    ReviewState,
    RiskAnswer,
    Severity,
)
from fourcorners.review.people import review_actions
from fourcorners.review.risk.answers import MAX_ANSWER
from fourcorners.server import columns as column_actions
from fourcorners.server.api.models import Moment, Paged, SpanValue
from fourcorners.server.api.parameters import (
    CollectionName,
    Cursor,
    DocumentName,
    Limit,
    PlaybookName,
)
from fourcorners.server.api.requests import IdempotencyKey, page_of, run_once
from fourcorners.server.context import Context
from fourcorners.server.grid.findings import FindingFilter, load_finding, load_findings
from fourcorners.server.links import quote_href
from fourcorners.server.store import playbook_store
from fourcorners.text.quote import Quote
from fourcorners.value import Value

router = APIRouter(tags=["Findings"])
_QuestionId = Annotated[str, Field(max_length=200)]


class VerifiedWordsValue(Value):
    """Words that were verified against the document."""

    words: str
    span: SpanValue
    href: str

    @classmethod
    def from_quote(cls, document: str, quote: Quote, **more: object) -> Self:
        assert quote.span is not None  # noqa: S101
        href = quote_href(document, quote.span, quote.words)
        return cls.make(quote, href=href, **more)


class QuoteValue(VerifiedWordsValue):
    """Words that answer a provision, and how likely they do."""

    score: float


class RiskAnswerValue(Value):
    """What a question about a provision comes to."""

    id: str
    question: str
    answer: str = Field(description="In words; empty if it is left to a person.")
    value: str = Field(
        description="For programs: an option's id, an ISO date or duration, a party's name.",
        examples=["P90D"],
    )
    statement: str = Field(description="How the headline says it; empty if it does not.")
    confidence: float | None = Field(
        description="The probability that it is right; null where none was measured."
    )
    reason: str
    party: str = Field(description="Whom it concerns; empty if it concerns all.")
    author: Author
    quotes: list[VerifiedWordsValue]
    against: str
    against_quotes: list[VerifiedWordsValue]

    @classmethod
    def from_answer(cls, document: str, given: RiskAnswer) -> Self:
        quotes, against = (
            [VerifiedWordsValue.from_quote(document, each) for each in several if each.span]
            for several in (given.quotes, given.against_quotes)
        )
        return cls.make(given, quotes=quotes, against_quotes=against)


class FindingValue(Value):
    """One cell of the grid: a provision in a document."""

    document: str
    provision: str
    headline: str = Field(
        description="What the answers say, in a line; empty where nothing is asserted. What a "
        "person put there instead is in `value`.",
        examples=["90 days; either party"],
    )
    answer: str = Field(description="What the question of an asked column comes to, in a word.")
    answers: list[RiskAnswerValue]
    state: CellState
    severity: Severity
    reason: str
    severity_by: str = Field(description="Who set the severity; empty where rules did.")
    possible_severity: Severity = Field(
        description="How grave open questions may make a finding that is to be read."
    )
    quotes: list[QuoteValue]
    claims: list[str] = Field(
        description="What a language model gave as the contract's words, and the contract does "
        "not say."
    )
    review: ReviewState
    value: str
    error: str
    remedy: str
    recommendation: str = Field(
        description="What the playbook says to do about it; empty if it says nothing."
    )

    @classmethod
    def from_finding(cls, finding: Finding) -> FindingValue:
        answers = finding.answers if finding.provision.startswith(PREFIX) else ()
        quotes = [
            QuoteValue.from_quote(finding.document, each.quote, score=each.score)
            for each in finding.evidence
            if each.quote.span is not None
        ]
        return cls.make(
            finding,
            answer=answers[0].answer if answers else "",
            answers=[RiskAnswerValue.from_answer(finding.document, e) for e in finding.answers],
            quotes=quotes,
        )


class AnnotationValue(Value):
    """What somebody said of a finding; nothing of it is ever changed."""

    by: str
    at: Moment
    state: ReviewState | None = Field(description="What they made of it; null for a comment.")
    value: str
    place: SpanValue | None = Field(description="Where the value stands in the contract.")
    answers: dict[str, str]
    severity: Severity | None
    comment: str
    author: Author = Field(description="`rule` where the program says what a later review changed.")


class MarkRequest(Value):
    """What someone says of a finding: a state, what should stand there instead, a comment."""

    playbook: str = Field(default="due-diligence", max_length=200)
    document: str = Field(max_length=40, examples=["2843aeec286e22ab"])
    provision: str = Field(max_length=200, examples=["change-of-control"])
    state: ReviewState | None = None
    value: str = Field(
        default="",
        max_length=review_actions.MAX_VALUE,
        description="Words of the contract are found, read for their answers and judged by the "
        "playbook; any others are shown as yours.",
    )
    answers: dict[_QuestionId, Annotated[str, Field(max_length=MAX_ANSWER)]] = Field(
        default_factory=dict,
        max_length=50,
        description="Your answers to risk questions, by their ids: an option, a date, a period, an "
        "amount, a party or words; `-` where the contract does not say. Severity and "
        "recommendation follow from them.",
        examples=[{"effect": "consent"}],
    )
    severity: Level | None = Field(
        default=None, description="It wins over the playbook's rules; the comment is its reason."
    )
    comment: str = Field(default="", max_length=review_actions.MAX_COMMENT)
    assignee: str = Field(
        default="",
        max_length=review_actions.MAX_NAME,
        description="Who is asked to look at it, instead of all the rest; the comment says why.",
    )


class _FindingsQuery(BaseModel):
    """Which findings, and which part of them."""

    collection: CollectionName
    playbook: PlaybookName = "due-diligence"
    document: DocumentName | None = None
    provision: Annotated[str | None, Query(max_length=200, examples=["assignment"])] = None
    state: CellState | None = None
    severity: Severity | None = None
    review: ReviewState | None = None
    cursor: Cursor = ""
    limit: Limit = 100


@router.get("/findings")
def list_findings(
    context: Context, asked: Annotated[_FindingsQuery, Query()]
) -> Paged[FindingValue]:
    """List the findings of a collection by a playbook, by document and provision.

    The cells of columns that people asked for are among them, under their names. Where it depends
    on the day how grave a cell is, it is as today has it.
    """
    fits = FindingFilter(asked.document, asked.provision, asked.state, asked.severity, asked.review)
    found = load_findings(context, asked.collection, asked.playbook, fits)
    here, after = page_of(context, "findings", found, _order, asked.cursor, asked.limit)
    return Paged(items=[FindingValue.from_finding(each) for each in here], next=after)


@router.get("/documents/{document}/findings/{provision}")
def get_finding(
    context: Context,
    document: str,
    provision: str,
    playbook: PlaybookName = "due-diligence",
) -> FindingValue:
    """Return a finding."""
    return FindingValue.from_finding(load_finding(context, document, provision, playbook))


@router.get("/documents/{document}/findings/{provision}/annotations")
def list_annotations(
    context: Context,
    document: str,
    provision: str,
    playbook: PlaybookName = "due-diligence",
) -> list[AnnotationValue]:
    """List what people said of a finding, comments among it, the first first."""
    finding = load_finding(context, document, provision, playbook)
    return [
        AnnotationValue.make(
            each,
            place=None if each.place is None else SpanValue.make(each.place),
            answers={given.id: given.value for given in each.answers},
        )
        for each in finding.remarks
    ]


@router.post("/findings/mark")
def mark_finding(context: Context, marked: MarkRequest, key: IdempotencyKey = None) -> FindingValue:
    """Say what you think of a finding; nothing that was said before is lost."""

    def do() -> FindingValue:
        with context.access() as access:
            library = access.library_of(marked.document, Role.REVIEWER)
            book = playbook_store.load_playbook(library, marked.playbook)
            if marked.provision.startswith(PREFIX):
                column = column_actions.visible_column(access, marked.provision, Role.REVIEWER)
                book = columns_store.columns_playbook(column.collection, column.playbook, [column])
            place, by = (library, book, marked.document, marked.provision), context.principal.name
            with library.transaction():
                if marked.assignee.strip():
                    finding = review_actions.assign_finding(
                        *place, to=marked.assignee, by=by, why=marked.comment
                    )
                else:
                    finding = review_actions.annotate_finding(
                        *place,
                        review_actions.NewAnnotation(
                            by=by,
                            state=marked.state,
                            value=marked.value,
                            comment=marked.comment,
                            answers=marked.answers,
                            severity=Severity(marked.severity) if marked.severity else None,
                        ),
                    )
                about = {"document": marked.document, "provision": marked.provision}
                access.record("mark", {**about}, always=True)
        return FindingValue.from_finding(finding)

    return run_once(context, key, marked, FindingValue, do)


def _order(finding: Finding) -> tuple[str, str]:
    return finding.document, finding.provision
