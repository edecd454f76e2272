"""Documents: collections, the check of their papers, search, and precedents to draft from."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import ConfigDict, Field
from starlette.datastructures import FormData

from fourcorners.errors import InputError
from fourcorners.library.entries import Entry
from fourcorners.server.api.models import (
    BoxValue,
    CardValue,
    CollectionValue,
    DocumentValue,
    FailureValue,
    HitValue,
    NeighbourhoodValue,
    NodeValue,
    OutlineValue,
    Paged,
    SpanValue,
    TaskValue,
    TextValue,
    Value,
)
from fourcorners.server.api.requests import IdempotencyKey, page_of, run_once
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import HttpError, NotFound
from fourcorners.server.links import document_href, quote_href
from fourcorners.server.pages import collection as collection_pages
from fourcorners.server.pages.collection import uploaded_files
from fourcorners.server.store import health_checks
from fourcorners.server.store.health_checks import ProblemClass
from fourcorners.server.store.uploads import MAX_FILES
from fourcorners.server.tasks.handlers.add import receive_files
from fourcorners.text.span import Span

router = APIRouter(tags=["Documents"])
search_router = APIRouter()
Name = Annotated[str, Query(max_length=500, description="The collection's name.")]
Cursor = Annotated[str, Query(max_length=2_000, description="`next` of the part before.")]
Limit = Annotated[int, Query(ge=1, le=200)]
_AROUND = 2_000  # characters of context


class CheckRequest(Value):
    """Whose papers are to be checked."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    as_of: str = Field(
        default="",
        pattern=r"^(\d{4}-\d{2}-\d{2})?$",
        description="The day on which terms are judged; empty for today.",
    )


class SymptomValue(Value):
    """One thing to look at before a review."""

    model_config = ConfigDict(populate_by_name=True)

    class_: ProblemClass = Field(alias="class")
    concern: str = Field(examples=["missing-attachment"])
    severity: Literal["high", "medium", "low", "none"]
    document: str = Field(description="Its id; empty for a file that could not be read.")
    name: str
    message: str
    remedy: str
    span: SpanValue | None
    words: str = Field(description="Those at the span.")
    places: list[SpanValue] = Field(description="All such words, where there are several.")
    others: list[str] = Field(description="The names of other files that it concerns.")
    href: str


class HealthValue(Value):
    """What a check of papers found, the gravest first."""

    made: str
    as_of: str
    stale: bool = Field(description="Whether files have come or gone since.")
    documents: int
    unread: int
    pages: int
    characters: int
    classes: dict[ProblemClass, int]
    symptoms: list[SymptomValue]


class PlaceValue(Value):
    """Where a clause stands; `span` and `href` are null where that is not known."""

    document: str
    name: str
    path: list[str]
    span: SpanValue | None
    href: str | None


class PrecedentValue(Value):
    """A clause to draft from, once for all places that have its words."""

    text: str
    places: list[PlaceValue]
    score: float
    stars: float | None = Field(description="What a lawyer would give it, 1 to 5, if known.")


@router.get("/collections")
def collections(context: Context) -> list[CollectionValue]:
    """List the collections that you may read."""
    with context.access() as access:
        return [
            CollectionValue.make(each, unread=len(access.failures(each.name)))
            for each in access.collections()
        ]


@router.get("/failures")
def failures(context: Context, collection: Name) -> list[FailureValue]:
    """List the files of a collection that could not be read."""
    shown_path = context.state.uploads.display_path
    with context.access() as access:
        found = access.failures(collection)
    return [FailureValue(file=shown_path(e.path), reason=e.reason, remedy=e.remedy) for e in found]


@router.get("/documents")
def documents(
    context: Context, collection: Name | None = None, cursor: Cursor = "", limit: Limit = 100
) -> Paged[DocumentValue]:
    """List documents, by name."""
    with context.access() as access:
        found = access.documents(collection)
    here, after = page_of(context, "documents", found, _order, cursor, limit)
    return Paged(items=[DocumentValue.from_entry(entry) for entry in here], next=after)


@router.post(
    "/documents",
    status_code=202,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["collection", "files"],
                        "properties": {
                            "collection": {"type": "string", "example": "Project Larch"},
                            "files": {
                                "type": "array",
                                "items": {"type": "string", "format": "binary"},
                            },
                        },
                    }
                }
            },
        }
    },
)
async def add(request: Request, context: Context, key: IdempotencyKey = None) -> TaskValue:
    """Upload files, archives among them, into a collection; the answer is the task to watch."""
    form = await request.form(max_files=MAX_FILES, max_fields=10)
    try:
        return await run_in_threadpool(_add, context, form, key)
    finally:
        await form.close()


@router.get("/documents/{document}")
def document(context: Context, document: str) -> DocumentValue:
    """Return a document as the library lists it."""
    with context.access() as access:
        return DocumentValue.from_entry(access.visible(document).entry)


@router.delete("/documents/{document}", status_code=204)
def remove(context: Context, document: str) -> None:
    """Take a document out of the library, with all that was found in it."""
    with context.access() as access:
        for path in access.remove(document):
            context.state.uploads.delete_file(path)


@router.get("/documents/{document}/text")
def text(
    context: Context,
    document: str,
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int | None, Query(ge=0)] = None,
) -> TextValue:
    """Return the text of a document, or a part of it."""
    with context.access() as access:
        whole = access.text(document)
    span = _span(whole, start, len(whole) if end is None else min(end, len(whole)), empty=True)
    words, place = span.text_in(whole), SpanValue.make(span)
    return TextValue(document=document, span=place, characters=len(whole), text=words)


@router.get("/documents/{document}/outline")
def outline(context: Context, document: str) -> OutlineValue:
    """Return a document as a tree."""
    with context.access() as access:
        words, tree = access.text(document), access.outline(document)
    return OutlineValue(
        confidence=tree.confidence,
        windows=tree.windows,
        nodes=[
            NodeValue.make(node, heading=node.heading.text_in(words) if node.heading else "")
            for node in tree.nodes
        ],
    )


@router.get("/documents/{document}/card")
def card(context: Context, document: str) -> CardValue:
    """Return what a document says of itself."""
    with context.access() as access:
        return CardValue.from_card(access.card(document), access.text(document))


@router.get("/documents/{document}/span")
def span(
    context: Context,
    document: str,
    start: Annotated[int, Query(ge=0)],
    end: Annotated[int, Query(ge=1)],
    around: Annotated[int, Query(ge=0, le=_AROUND)] = 240,
) -> NeighbourhoodValue:
    """Return words of a document with what stands around them, and where they stand on paper."""
    with context.access() as access:
        read, tree = access.document(document), access.outline(document)
    found = _span(read.text, start, end)
    node = tree.node_at(found.start)
    original = context.state.page_renderer.find_original(read)
    boxes = []
    if original is not None:
        try:
            boxes = context.state.page_renderer.span_boxes(read, original, found)
        except InputError:
            boxes = []  # as where the original is not at hand
    words = found.text_in(read.text)
    return NeighbourhoodValue(
        document=document,
        span=SpanValue.make(found),
        words=words,
        before=read.text[max(0, found.start - around) : found.start],
        after=read.text[found.end : found.end + around],
        path=list(tree.path(node, read.text)) if node else [],
        page=read.page_of(found.start),
        href=quote_href(document, found, words),
        boxes=[BoxValue.make(each) for each in boxes],
    )


@router.post("/health", status_code=202)
def check(context: Context, asked: CheckRequest, key: IdempotencyKey = None) -> TaskValue:
    """Check the papers of a collection; the answer is the task to watch."""
    as_of = collection_pages.parse_date(asked.as_of) if asked.as_of else None
    return run_once(
        context,
        key,
        asked,
        TaskValue,
        lambda: collection_pages.begin(context, asked.collection, as_of),
    )


@router.get("/health")
def health(
    context: Context, collection: Annotated[str, Query(max_length=500, examples=["Project Larch"])]
) -> HealthValue:
    """Return what the last check of a collection's papers found."""
    shown_path = context.state.uploads.display_path
    with context.access() as access:
        checked = access.last_health_check(collection)
        if checked is None:
            raise NotFound(
                "the papers of this collection were not checked yet.",
                remedy="Have them checked: POST to the same route.",
            )
        found = checked.health
        symptoms = []
        for each in found.symptoms:
            words, href = "", document_href(each.document) if each.document else ""
            if each.document and each.span:
                words = each.span.text_in(access.text(each.document))
                href = quote_href(each.document, each.span, words)
            symptoms.append(
                SymptomValue.make(
                    each,
                    class_=health_checks.problem_class(each.concern),
                    name=each.name if each.document else shown_path(each.name),
                    words=words,
                    places=[SpanValue.make(place) for place in each.places],
                    others=[shown_path(other) for other in each.others],
                    href=href,
                )
            )
    return HealthValue.make(
        found,
        made=checked.made,
        as_of=checked.as_of.isoformat(),
        stale=checked.stale,
        classes={kind: len(some) for kind, some in health_checks.group_by_class(found)},
        symptoms=symptoms,
    )


@search_router.get("/search", tags=["Search"])
def search(
    context: Context,
    q: Annotated[
        str,
        Query(min_length=1, max_length=2_000, examples=['"change control"~5', "can they leave"]),
    ],
    collection: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> list[HitValue]:
    """Find passages that match a query, or that answer a question of three or more plain words."""
    with context.access() as access:
        found = access.search(q, context.state.engines, collection=collection, limit=limit)
    return [
        HitValue.make(hit, href=quote_href(hit.document, hit.span, hit.words)) for hit in found.hits
    ]


@search_router.get("/precedents", tags=["Precedents"])
def precedents(
    context: Context,
    q: Annotated[str, Query(min_length=1, max_length=2_000, examples=["mutual cap on liability"])],
    collection: Annotated[str, Query(max_length=500)],
    limit: Annotated[int, Query(ge=1, le=50)] = 5,
) -> list[PrecedentValue]:
    """Find the clauses of a collection that serve best as precedents."""
    from fourcorners.precedents.clause import document_clauses
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.scoring.collection import cached_vectors

    encoder = context.state.engines.encoder
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        clauses = document_clauses(library, access.documents(collection))
        stock = ClauseStock(
            clauses, encoder, vectors=lambda texts: cached_vectors(library, texts, encoder)
        )
        found = rank_clauses(q, stock, limit=limit)
        access.record("precedents", {"collection": collection, "found": len(found)})
    return [
        PrecedentValue(
            text=each.clause.text,
            places=[
                PlaceValue.make(
                    place,
                    name=place.source,
                    href=quote_href(place.document, place.span) if place.span else None,
                )
                for place in each.clause.places
            ],
            score=each.score,
            stars=each.expected,
        )
        for each in found
    ]


def _add(context: RequestContext, form: FormData, key: str | None) -> TaskValue:
    collection, files = uploaded_files(context, form, "Send them as the field `files`.")
    asked = "\n".join([collection, *(f"{name} {file.size}" for name, file in files)])
    sent = ((name, file.file) for name, file in files)
    return run_once(
        context, key, asked, TaskValue, lambda: receive_files(context, collection, sent)
    )


def _order(entry: Entry) -> tuple[str, ...]:
    return (entry.name.casefold(), entry.path, entry.id)


def _span(text: str, start: int, end: int, *, empty: bool = False) -> Span:
    if start > end or end > len(text) or (start == end and not empty):
        raise HttpError(
            f"there are no words at {start}-{end}: the text has {len(text)} characters.",
            remedy="Give 0 <= start < end <= that.",
        )
    return Span(start, end)
