"""Findings: the cells of a review, and what people say of them."""

from __future__ import annotations

import sys
from typing import Annotated, Self

from fastapi import APIRouter, Path, Query
from pydantic import ConfigDict, Field

from fourcorners.documents.document import PageLabel
from fourcorners.operations.members import mention_warnings
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.bulk_findings import (
    BulkRequest,
    BulkResult,
    annotate_many,
    undo_many,
)
from fourcorners.operations.reviewing.findings import (
    AnnotationRequest,
    FindingsRequest,
    annotate,
    find_finding,
)
from fourcorners.operations.reviewing.findings import list_findings as list_findings_of
from fourcorners.research.columns.store import PREFIX
from fourcorners.review.finding import (
    Amendment,
    Annotation,
    Author,
    CellState,
    Finding,
    ReviewState,
    RiskAnswer,
    Severity,
)
from fourcorners.server.api.models import Cursor, Limit, Moment, Paged, PlaybookName
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.cursors import page_of
from fourcorners.server.links import quote_href
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.value import Value

router = APIRouter(tags=["Findings"], route_class=ApiRoute)
_LAST_WORD = 40  # characters by which a cut moves back to a space


class _Part(Value):
    """A part of a finding; what says nothing is sent over REST, and not over MCP."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class VerifiedWordsValue(_Part):
    """Words that were verified against the document."""

    words: str
    span: Span
    href: str
    cut: bool = Field(default=False, description="Whether the words go on after `span`.")

    @classmethod
    def from_quote(cls, document: str, quote: Quote, most: int, **more: object) -> Self:
        """Return a quote, or the whole words of it that are no more than some characters."""
        assert quote.span is not None  # noqa: S101
        words = cut_words(quote.words, most)
        span = Span(quote.span.start, quote.span.start + len(words))
        cut, href = words != quote.words, quote_href(document, span, words)
        return cls(words=words, span=span, href=href, cut=cut, **more)


class QuoteValue(VerifiedWordsValue):
    """Words that answer a provision, and how likely they do."""

    score: float
    pages: tuple[PageLabel, PageLabel] | None = Field(
        default=None, description="The first and the last; null where the file has none."
    )


class AmendmentValue(_Part):
    """A change to the words found, by an amendment or elsewhere in the same contract."""

    document: str = Field(description="The document that makes the change.")
    name: str
    place: str = Field(default="", description="The clause that makes it, by its number.")
    replaces: bool = Field(description="Whether the words found are no longer in force.")
    quote: VerifiedWordsValue
    old: VerifiedWordsValue | None = Field(default=None, description="The words before.")

    @classmethod
    def from_amendment(cls, document: str, given: Amendment, most: int) -> Self:
        quote = VerifiedWordsValue.from_quote(given.document, given.quote, most)
        old = given.old and VerifiedWordsValue.from_quote(document, given.old, most)
        return cls.make(given, quote=quote, old=old)


class RiskAnswerValue(_Part):
    """The answer to a question about a provision."""

    id: str
    question: str
    answer: str = Field(default="", description="In words; empty if it is left to a person.")
    value: str = Field(
        default="",
        description="For programs: an option's id, an ISO date or duration, a party's name.",
        examples=["P90D"],
    )
    statement: str = Field(
        default="", description="How the headline says it; empty if it does not."
    )
    confidence: float | None = Field(
        default=None, description="The probability that it is right; null where none was measured."
    )
    reason: str = ""
    party: str = Field(default="", description="Whom it concerns; empty if it concerns all.")
    author: Author = Author.RULE
    quotes: list[VerifiedWordsValue] = Field(default_factory=list)
    against: str = Field(default="", description="What in the contract cuts the other way.")
    against_quotes: list[VerifiedWordsValue] = Field(default_factory=list)

    @classmethod
    def from_answer(cls, document: str, given: RiskAnswer, most: int) -> Self:
        quotes, against = (
            [VerifiedWordsValue.from_quote(document, each, most) for each in several if each.span]
            for several in (given.quotes, given.against_quotes)
        )
        return cls.make(given, quotes=quotes, against_quotes=against)


class FindingValue(_Part):
    """One cell of the grid: a provision in a document."""

    headline: str = Field(
        default="",
        description="What the answers say, in a line; empty where nothing is asserted. What a "
        "person put there instead is in `value`.",
        examples=["90 days; either party"],
    )
    severity: Severity = Severity.NONE
    provision: str
    document: str
    state: CellState = CellState.FOUND
    review: ReviewState = Field(default=ReviewState.PROPOSED, description="What people said of it.")
    value: str = Field(default="", description="What a person put there instead.")
    answer: str = Field(default="", description="The answer of an asked column, in a word.")
    answers: list[RiskAnswerValue] = Field(default_factory=list)
    reason: str = ""
    severity_by: str = Field(default="", description="Who set the severity; empty where rules did.")
    possible_severity: Severity = Field(
        default=Severity.NONE,
        description="How grave open questions may make it; `none` if no graver than it is.",
    )
    open_questions: list[str] = Field(
        default_factory=list, description="The ids of the answers on which that depends."
    )
    quotes: list[QuoteValue] = Field(default_factory=list)
    amendments: list[AmendmentValue] = Field(
        default_factory=list,
        description="What changes the quotes; the answers are those of the words in force.",
    )
    claims: list[str] = Field(
        default_factory=list,
        description="What a language model gave as the contract's words, and the contract does "
        "not say.",
    )
    error: str = ""
    remedy: str = ""
    recommendation: str = Field(
        default="",
        description="What the playbook says to do about it; empty if it says nothing.",
    )

    @classmethod
    def from_finding(cls, finding: Finding, most: int = sys.maxsize) -> Self:
        """Return a finding whose quotes are cut where they have more than `most` characters."""
        document, answers = finding.document, finding.answers
        asked = answers[0].answer if answers and finding.provision.startswith(PREFIX) else ""
        quotes = [
            QuoteValue.from_quote(document, each.quote, most, score=each.score, pages=each.pages)
            for each in finding.evidence
            if each.quote.span is not None
        ]
        values = [RiskAnswerValue.from_answer(document, each, most) for each in answers]
        changes = [AmendmentValue.from_amendment(document, a, most) for a in finding.amendments]
        return cls.make(finding, answer=asked, answers=values, quotes=quotes, amendments=changes)


class MarkedFinding(FindingValue):
    """A finding after something was said of it."""

    warnings: list[str] = Field(
        default_factory=list, description="Who is mentioned in the comment, but is no member."
    )


class AnnotationValue(_Part):
    """What somebody said of a finding; nothing of it is ever changed."""

    by: str
    at: Moment
    state: ReviewState | None = Field(
        default=None, description="What they made of it; null for a comment."
    )
    value: str = ""
    place: Span | None = Field(default=None, description="Where the value is in the contract.")
    answers: dict[str, str] = Field(default_factory=dict)
    severity: Severity | None = None
    comment: str = ""
    withdrawn: str = Field(default="", description="A comment that was withdrawn.")
    author: Author = Field(
        default=Author.PERSON,
        description="`rule` where the program says what a later review changed.",
    )

    @classmethod
    def from_annotation(cls, given: Annotation) -> Self:
        return cls.make(given, answers={each.id: each.value for each in given.answers})


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
    return [AnnotationValue.from_annotation(each) for each in finding.remarks]


@router.post("/findings/mark")
def mark_finding(context: Context, asked: AnnotationRequest) -> MarkedFinding:
    """Say what you think of a finding; nothing that was said before is lost."""
    with context.access() as access:
        finding = FindingValue.from_finding(annotate(access, asked))
        library = access.library_of(asked.document, Role.REVIEWER)
        collection = library.entry(asked.document).collection
        warnings = mention_warnings(access, collection, asked.comment)
    return MarkedFinding.make(finding, warnings=warnings)


@router.post("/findings/mark-many")
def mark_many(context: Context, asked: BulkRequest) -> BulkResult:
    """Confirm, reject, flag, assign or comment on all findings that nobody has checked.

    Ask first without `count`; the answer tells how many there are.
    """
    with context.access() as access:
        return annotate_many(access, asked)


@router.post("/findings/mark-many/{number}/undo")
def undo_mark_many(context: Context, number: Annotated[int, Path(ge=1, le=1 << 60)]) -> BulkResult:
    """Take back what you did to many findings; each is as it was, unless it was changed since."""
    with context.access() as access:
        return undo_many(access, number)


def _order(finding: Finding) -> tuple[str, str]:
    return finding.document, finding.provision


def cut_words(words: str, most: int) -> str:
    """Return the beginning of the words, cut between two where they have more characters."""
    if len(words) <= most:
        return words
    space = words.rfind(" ", most - _LAST_WORD, most)
    return words[: space if space > 0 else most].rstrip()
