"""Findings: the cells of a review, and what people say of them."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.operations.findings import (
    AnnotationRequest,
    FindingsRequest,
    annotate,
    find_finding,
)
from fourcorners.operations.findings import list_findings as list_findings_of
from fourcorners.research.columns.store import PREFIX
from fourcorners.review.finding import (
    Author,
    CellState,
    Finding,
    ReviewState,
    RiskAnswer,
    Severity,
)
from fourcorners.server.api.models import Cursor, Limit, Moment, Paged, PlaybookName
from fourcorners.server.api.requests import IdempotencyKey, run_once
from fourcorners.server.context import Context
from fourcorners.server.cursors import page_of
from fourcorners.server.links import quote_href
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.value import Value

router = APIRouter(tags=["Findings"])


class VerifiedWordsValue(Value):
    """Words that were verified against the document."""

    words: str
    span: Span
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
    place: Span | None = Field(description="Where the value is in the contract.")
    answers: dict[str, str]
    severity: Severity | None
    comment: str
    author: Author = Field(description="`rule` where the program says what a later review changed.")


class _FindingsQuery(FindingsRequest):
    """Which findings, and which part of them."""

    documents: Annotated[
        list[Annotated[str, Field(max_length=40)]],
        Query(
            alias="document",
            max_length=50,
            description="Only of these contracts, by id; repeat it for several.",
        ),
    ] = Field(default_factory=list)
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
    with context.access() as access:
        found = list_findings_of(access, asked)
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
    with context.access() as access:
        return FindingValue.from_finding(find_finding(access, document, provision, playbook))


@router.get("/documents/{document}/findings/{provision}/annotations")
def list_annotations(
    context: Context,
    document: str,
    provision: str,
    playbook: PlaybookName = "due-diligence",
) -> list[AnnotationValue]:
    """List what people said of a finding, comments among it, the first first."""
    with context.access() as access:
        finding = find_finding(access, document, provision, playbook)
    return [
        AnnotationValue.make(
            each,
            answers={given.id: given.value for given in each.answers},
        )
        for each in finding.remarks
    ]


@router.post("/findings/mark")
def mark_finding(
    context: Context, asked: AnnotationRequest, key: IdempotencyKey = None
) -> FindingValue:
    """Say what you think of a finding; nothing that was said before is lost."""

    def change() -> FindingValue:
        with context.access() as access:
            return FindingValue.from_finding(annotate(access, asked))

    return run_once(context, key, asked, FindingValue, change)


def _order(finding: Finding) -> tuple[str, str]:
    return finding.document, finding.provision
