"""Reviews: playbooks, findings, and what people say of them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import Finding, ReviewState
from fourcorners.review.people import review_actions as states
from fourcorners.server.api.idempotency import IdempotencyKey, run_once
from fourcorners.server.api.models import Paged, SpanValue, TaskValue, Value
from fourcorners.server.api.paging import page_of
from fourcorners.server.auth.principal import Role
from fourcorners.server.columns import actions as asking
from fourcorners.server.columns import store as kept
from fourcorners.server.context import Context
from fourcorners.server.grid.dates import findings_at
from fourcorners.server.links import quote_href
from fourcorners.server.store import playbook_store as books
from fourcorners.server.tasks.handlers import review as reviewing

router = APIRouter(tags=["Reviews"])
PlaybookId = Annotated[str, Query(max_length=200, examples=["due-diligence"])]
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


class QuoteValue(Value):
    """Words that were verified against the document."""

    words: str
    span: SpanValue
    score: float
    href: str


class FindingValue(Value):
    """One cell of the grid: a provision in a document."""

    document: str
    provision: str
    answer: str = Field(description="What the question of an asked column comes to, in a word.")
    state: Literal["found", "not_found", "failed", "not_applicable"]
    severity: Literal["high", "medium", "low", "none"]
    reason: str
    quotes: list[QuoteValue]
    review: _STATES
    value: str
    error: str
    remedy: str

    @classmethod
    def from_finding(cls, finding: Finding) -> FindingValue:
        """Return a finding as the API says it."""
        return cls(
            document=finding.document,
            provision=finding.provision,
            answer=finding.answers[0].answer
            if finding.provision.startswith(kept.PREFIX) and finding.answers
            else "",
            state=finding.state.value,
            severity=finding.severity.value,
            reason=finding.reason,
            quotes=[
                QuoteValue(
                    words=each.quote.words,
                    span=SpanValue.from_span(each.quote.span),
                    score=each.score,
                    href=quote_href(finding.document, each.quote.span, each.quote.words),
                )
                for each in finding.evidence
                if each.quote.span is not None
            ],
            review=finding.review.value,
            value=finding.value,
            error=finding.error,
            remedy=finding.remedy,
        )


class ReviewRequest(Value):
    """A review to be run."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    again: bool = Field(default=False, description="Fill the cells anew that are filled already.")


class MarkRequest(Value):
    """What someone says of a finding: a state, a value that should stand there, a comment."""

    playbook: str = Field(default="due-diligence", max_length=200)
    document: str = Field(max_length=40, examples=["2843aeec286e22ab"])
    provision: str = Field(max_length=200, examples=["change-of-control"])
    state: _STATES | None = None
    value: str = Field(default="", max_length=states.MAX_VALUE)
    comment: str = Field(default="", max_length=states.MAX_COMMENT)


@router.get("/playbooks")
def playbooks(context: Context) -> list[PlaybookValue]:
    """List the playbooks that come with the package, and the house's own."""
    with context.access() as access:
        return [_value(book) for book in books.usable_playbooks(access.common())]


@router.get("/playbooks/{playbook}")
def playbook(context: Context, playbook: str) -> PlaybookValue:
    """Return a playbook."""
    with context.access() as access:
        return _value(books.load_playbook(access.common(), playbook))


@router.post("/reviews", status_code=202)
def review(
    context: Context, asked: ReviewRequest, idempotency_key: IdempotencyKey = None
) -> TaskValue:
    """Review a collection by a playbook; the answer is the task to watch."""
    with context.access() as access:
        access.require(Role.REVIEWER, asked.collection)
        book = books.load_playbook(access.common(), asked.playbook)
    spec = {"playbook": book.id, "again": "yes" if asked.again else ""}

    def do() -> TaskValue:
        started = context.start_task(reviewing.KIND, reviewing.LANE, asked.collection, spec)
        asking.fill_new_documents(context, asked.collection, book.id)
        return TaskValue.from_task(started)

    return run_once(context, idempotency_key, asked.model_dump_json(), TaskValue, do)


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
        book = books.load_playbook(access.common(), playbook)
        inside = {entry.id for entry in access.documents(collection)}
        if document is not None:
            access.visible(document)
            inside &= {document}
        library = access.library_for(collection, Role.READER)
        cells: dict[str, dict[str, Finding]] = {}
        for each in (book, kept.review_playbook(library, collection, book.id)):
            wanted = [provision.id for provision in each.provisions]
            for place, row in store.load_cells(library, each, wanted, document).items():
                cells.setdefault(place, {}).update(row)
        access.record("findings", {"collection": collection, "playbook": book.id})
    rows = [cells[key] for key in sorted(inside & cells.keys())]
    found = [row[name] for row in rows for name in sorted(row)]
    here, after = page_of(found, lambda each: (each.document, each.provision), cursor, limit)
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        told = findings_at(library, book, here)
    return Paged(items=[FindingValue.from_finding(each) for each in told], next=after)


@router.post("/findings/mark")
def mark(
    context: Context, said: MarkRequest, idempotency_key: IdempotencyKey = None
) -> FindingValue:
    """Say what you think of a finding; nothing that was said before is lost."""

    def do() -> FindingValue:
        with context.access() as access:
            library = access.library_of(said.document, Role.REVIEWER)
            book = books.load_playbook(library, said.playbook)
            if said.provision.startswith(kept.PREFIX):
                column = kept.find_column(library, said.provision)
                access.require(Role.REVIEWER, column.collection)
                book = kept.columns_playbook(column.collection, column.playbook, [column])
            with library.transaction():
                finding = states.annotate_finding(
                    library,
                    book,
                    said.document,
                    said.provision,
                    by=context.principal.name,
                    state=None if said.state is None else ReviewState(said.state),
                    value=said.value,
                    comment=said.comment,
                )
                access.record(
                    "mark",
                    {"document": said.document, "provision": said.provision},
                    always=True,
                )
        return FindingValue.from_finding(finding)

    return run_once(context, idempotency_key, said.model_dump_json(), FindingValue, do)


def _value(book: Playbook) -> PlaybookValue:
    return PlaybookValue(
        id=book.id,
        name=book.name,
        version=book.version,
        hash=book.hash,
        provisions=[
            ProvisionValue(
                id=each.id, name=each.name, definition=each.definition, query=str(each.query)
            )
            for each in book.provisions
        ],
    )
