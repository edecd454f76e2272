"""Reviews: playbooks, findings and what people say of them, and the columns that people asked."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.playbooks.playbook import Playbook
from fourcorners.research.columns import store as columns_store
from fourcorners.research.columns.store import MAX_QUESTION, PREFIX
from fourcorners.review import store
from fourcorners.review.finding import Finding, ReviewState, RiskAnswer, Severity
from fourcorners.review.parties import MAX_NAME, MAX_NAMES, set_side
from fourcorners.review.people import review_actions
from fourcorners.review.risk.answers import MAX_ANSWER
from fourcorners.server import columns as column_actions
from fourcorners.server.api.models import Paged, SpanValue, TaskValue, Value
from fourcorners.server.api.requests import IdempotencyKey, page_of, run_once
from fourcorners.server.auth.principal import Role
from fourcorners.server.columns import ColumnStatus
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.grid.dates import findings_at
from fourcorners.server.links import quote_href
from fourcorners.server.store import playbook_store
from fourcorners.server.tasks.handlers import review as reviewing
from fourcorners.server.tasks.queue import Task
from fourcorners.text.quote import Quote

router = APIRouter(tags=["Reviews"])
PlaybookId = Annotated[str, Query(max_length=200, examples=["due-diligence"])]
_QuestionId = Annotated[str, Field(max_length=200)]
_STATES = Literal["confirmed", "corrected", "rejected", "second_look", "proposed"]


class ProvisionValue(Value):
    """A kind of clause to look for."""

    id: str
    name: str
    definition: str
    query: str


class PlaybookValue(Value):
    """A list of provisions."""

    id: str
    name: str
    version: str
    hash: str
    provisions: list[ProvisionValue]


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
    author: Literal["rule", "model", "person"]
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
    state: Literal["found", "not_found", "failed", "not_applicable"]
    severity: Literal["high", "medium", "low", "none"]
    reason: str
    severity_by: str = Field(description="Who set the severity; empty where rules did.")
    quotes: list[QuoteValue]
    review: _STATES
    value: str
    error: str
    remedy: str

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


class ReviewRequest(Value):
    """A review to be run."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    again: bool = Field(default=False, description="Fill the cells anew that are filled already.")
    read_for: list[Annotated[str, Field(max_length=MAX_NAME)]] | None = Field(
        default=None,
        max_length=MAX_NAMES,
        description="The party for whom you read, by name, role or group, or several of a group: "
        "the collection remembers it. An empty list makes it nobody, null leaves it as it is. "
        "Until a party is named nothing is called ours or theirs.",
        examples=[["Larch"]],
    )


class MarkRequest(Value):
    """What someone says of a finding: a state, what should stand there instead, a comment."""

    playbook: str = Field(default="due-diligence", max_length=200)
    document: str = Field(max_length=40, examples=["2843aeec286e22ab"])
    provision: str = Field(max_length=200, examples=["change-of-control"])
    state: _STATES | None = None
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
    severity: Literal["high", "medium", "low", "none"] | None = Field(
        default=None, description="It wins over the playbook's rules; the comment is its reason."
    )
    comment: str = Field(default="", max_length=review_actions.MAX_COMMENT)


class ColumnRequest(Value):
    """A question to every contract of a review."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    question: str = Field(
        min_length=1,
        max_length=MAX_QUESTION,
        examples=["Is there a most favoured customer clause?"],
    )
    with_model: bool = Field(
        default=False, description="Let the configured language model read; by rules without it."
    )


class ColumnQuestion(Value):
    """What a column asks instead."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    with_model: bool = False


class VersionValue(Value):
    """A question that a column asked."""

    version: int
    question: str
    with_model: bool
    by: str
    at: str


class ColumnValue(Value):
    """A column; `provision` names its cells among the findings."""

    id: str = Field(examples=["asked-1f2e3d4c"])
    provision: str = Field(examples=["asked-1f2e3d4c-v1"])
    version: int
    collection: str
    playbook: str
    question: str
    with_model: bool
    by: str
    at: str
    open: int = Field(description="Contracts whose cells are empty or failed.")
    state: Literal["", "waiting", "running", "parked", "done", "failed", "cancelled"] = Field(
        description="Of its last task; empty if none is remembered."
    )
    task: str = Field(description="That task's id.")


class StartedValue(Value):
    """A column, and the task that fills it."""

    column: ColumnValue
    task: TaskValue


@router.get("/playbooks")
def playbooks(context: Context) -> list[PlaybookValue]:
    """List the playbooks that come with the package, and the house's own."""
    with context.access() as access:
        return [_playbook(book) for book in playbook_store.usable_playbooks(access.common())]


@router.get("/playbooks/{playbook}")
def playbook(context: Context, playbook: str) -> PlaybookValue:
    """Return a playbook."""
    with context.access() as access:
        return _playbook(playbook_store.load_playbook(access.common(), playbook))


@router.post("/reviews", status_code=202)
def review(context: Context, asked: ReviewRequest, key: IdempotencyKey = None) -> TaskValue:
    """Review a collection by a playbook; the answer is the task to watch."""
    with context.access() as access:
        access.require(Role.REVIEWER, asked.collection)
        book = playbook_store.load_playbook(access.common(), asked.playbook)
    spec = {"playbook": book.id, "again": "yes" if asked.again else ""}

    def do() -> Task:
        if asked.read_for is not None:
            with context.access() as access:
                library = access.library_for(asked.collection, Role.REVIEWER)
                by = context.principal.name
                set_side(library, asked.collection, asked.read_for, by=by)
        started = context.start_task(reviewing.KIND, reviewing.LANE, asked.collection, spec)
        column_actions.fill_new_documents(context, asked.collection, book.id)
        return started

    return run_once(context, key, asked, TaskValue, do)


@router.get("/findings")
def findings(
    context: Context,
    collection: Annotated[str, Query(max_length=500)],
    playbook: PlaybookId = "due-diligence",
    document: Annotated[str | None, Query(max_length=40)] = None,
    cursor: Annotated[str, Query(max_length=2_000)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> Paged[FindingValue]:
    """List the findings of a collection by a playbook, by document and provision.

    The cells of columns that people asked for are among them, under their names. Where it depends
    on the day how grave a cell is, it is as today has it.
    """
    with context.access() as access:
        book = playbook_store.load_playbook(access.common(), playbook)
        inside = {entry.id for entry in access.documents(collection)}
        if document is not None:
            access.visible(document)
            inside &= {document}
        library = access.library_for(collection, Role.READER)
        cells: dict[str, dict[str, Finding]] = {}
        for each in (book, columns_store.review_playbook(library, collection, book.id)):
            wanted = [provision.id for provision in each.provisions]
            for place, row in store.load_cells(library, each, wanted, document).items():
                cells.setdefault(place, {}).update(row)
        access.record("findings", {"collection": collection, "playbook": book.id})
    rows = [cells[key] for key in sorted(inside & cells.keys())]
    found = [row[name] for row in rows for name in sorted(row)]
    here, after = page_of(context, "findings", found, _order, cursor, limit)
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        dated = findings_at(library, book, here)
    return Paged(items=[FindingValue.from_finding(each) for each in dated], next=after)


@router.post("/findings/mark")
def mark(context: Context, marked: MarkRequest, key: IdempotencyKey = None) -> FindingValue:
    """Say what you think of a finding; nothing that was said before is lost."""

    def do() -> FindingValue:
        with context.access() as access:
            library = access.library_of(marked.document, Role.REVIEWER)
            book = playbook_store.load_playbook(library, marked.playbook)
            if marked.provision.startswith(PREFIX):
                column = column_actions.visible_column(access, marked.provision, Role.REVIEWER)
                book = columns_store.columns_playbook(column.collection, column.playbook, [column])
            with library.transaction():
                finding = review_actions.annotate_finding(
                    library,
                    book,
                    marked.document,
                    marked.provision,
                    by=context.principal.name,
                    state=None if marked.state is None else ReviewState(marked.state),
                    value=marked.value,
                    comment=marked.comment,
                    answers=marked.answers,
                    severity=None if marked.severity is None else Severity(marked.severity),
                )
                about = {"document": marked.document, "provision": marked.provision}
                access.record("mark", {**about}, always=True)
        return FindingValue.from_finding(finding)

    return run_once(context, key, marked, FindingValue, do)


@router.get("/columns")
def columns(
    context: Context,
    collection: Annotated[str, Query(max_length=500)],
    playbook: Annotated[str, Query(max_length=200)] = "due-diligence",
) -> list[ColumnValue]:
    """List the columns of a review that people asked for, in the order in which they did."""
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        book = playbook_store.load_playbook(library, playbook)
    return [
        _column(context, each) for each in column_actions.list_columns(context, collection, book.id)
    ]


@router.post("/columns", status_code=202)
def add(context: Context, asked: ColumnRequest, key: IdempotencyKey = None) -> StartedValue:
    """Ask a question of every contract of a review; its cells are findings like all others."""
    place, question = (asked.collection, asked.playbook), asked.question

    def do() -> StartedValue:
        added = column_actions.add_column(context, *place, question, with_model=asked.with_model)
        return _started(context, added)

    return run_once(context, key, asked, StartedValue, do)


@router.get("/columns/{column}")
def column(context: Context, column: str) -> ColumnValue:
    """Return a column."""
    found = column_actions.find_column(context, column)
    standing = column_actions.list_columns(context, found.collection, found.playbook)
    return _column(context, next(each for each in standing if each.column.id == found.id))


@router.get("/columns/{column}/versions")
def versions(context: Context, column: str) -> list[VersionValue]:
    """Return all that a column asked, the first first; the last is what it asks now."""
    found = column_actions.find_column(context, column)
    with context.access() as access:
        held = columns_store.column_versions(
            access.library_for(found.collection, Role.READER), found.id
        )
    return [VersionValue.make(each) for each in held]


@router.post("/columns/{column}/question", status_code=202)
def change(context: Context, column: str, asked: ColumnQuestion) -> StartedValue:
    """Ask something else in a column: its next version, filled anew."""
    return _started(
        context,
        column_actions.update_column(context, column, asked.question, with_model=asked.with_model),
    )


@router.post("/columns/{column}/fill", status_code=202)
def fill(context: Context, column: str) -> TaskValue:
    """Have the empty and the failed cells of a column filled."""
    found = column_actions.find_column(context, column, Role.REVIEWER)
    return TaskValue.make(column_actions.fill_column(context, found))


@router.delete("/columns/{column}", status_code=204)
def remove(context: Context, column: str) -> None:
    """Take a column out of its review."""
    column_actions.remove_column(context, column)


def _order(finding: Finding) -> tuple[str, str]:
    return finding.document, finding.provision


def _started(context: RequestContext, standing: ColumnStatus) -> StartedValue:
    return StartedValue.make(standing, column=_column(context, standing))


def _column(context: RequestContext, standing: ColumnStatus) -> ColumnValue:
    each, task = standing.column, standing.task
    with context.access() as access:
        documents = [entry.id for entry in access.documents(each.collection)]
        short = columns_store.empty_cells(access.common(), each, documents)
    state, identity = (task.state, task.id) if task else ("", "")
    return ColumnValue.make(each, open=len(short), state=state, task=identity)


def _playbook(book: Playbook) -> PlaybookValue:
    provisions = [ProvisionValue.make(each, query=str(each.query)) for each in book.provisions]
    return PlaybookValue.make(book, provisions=provisions)
