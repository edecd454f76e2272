"""Collections and documents: what there is, its words, and adding to it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from fourcorners.errors import InputError
from fourcorners.library.entries import Entry
from fourcorners.server.api.idempotency import IdempotencyKey, run_once
from fourcorners.server.api.models import (
    BoxValue,
    CardValue,
    CollectionValue,
    DocumentValue,
    FailureValue,
    NeighbourhoodValue,
    NodeValue,
    OutlineValue,
    Paged,
    SpanValue,
    TaskValue,
    TextValue,
)
from fourcorners.server.api.paging import page_of
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import HttpError
from fourcorners.server.links import quote_href
from fourcorners.server.store.uploads import MAX_FILES
from fourcorners.server.tasks.handlers.add import receive_files
from fourcorners.text.span import Span

router = APIRouter(tags=["Documents"])
Name = Annotated[str, Query(max_length=500, description="The collection's name.")]
Cursor = Annotated[str, Query(max_length=2_000, description="`next` of the part before.")]
Limit = Annotated[int, Query(ge=1, le=200)]
_AROUND = 2_000  # characters of context


@router.get("/collections")
def collections(context: Context) -> list[CollectionValue]:
    """List the collections that you may read."""
    with context.access() as access:
        return [
            CollectionValue(
                name=each.name,
                documents=each.documents,
                characters=each.characters,
                passages=each.passages,
                unread=len(access.failures(each.name)),
            )
            for each in access.collections()
        ]


@router.get("/failures")
def failures(context: Context, collection: Name) -> list[FailureValue]:
    """List the files of a collection that could not be read."""
    told = context.state.uploads.display_path
    with context.access() as access:
        found = access.failures(collection)
    return [FailureValue(file=told(e.path), reason=e.reason, remedy=e.remedy) for e in found]


@router.get("/documents")
def documents(
    context: Context, collection: Name | None = None, cursor: Cursor = "", limit: Limit = 100
) -> Paged[DocumentValue]:
    """List documents, by name."""
    with context.access() as access:
        here, after = page_of(access.documents(collection), _order, cursor, limit)
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
async def add(
    request: Request, context: Context, idempotency_key: IdempotencyKey = None
) -> TaskValue:
    """Upload files, archives among them, into a collection; the answer is the task to watch."""
    form = await request.form(max_files=MAX_FILES, max_fields=10)
    try:
        return await run_in_threadpool(_add, context, form, idempotency_key)
    finally:
        await form.close()


@router.get("/documents/{document}")
def document(context: Context, document: str) -> DocumentValue:
    """Return a document as the library lists it."""
    with context.access() as access:
        return DocumentValue.from_entry(access.visible(document).entry)


@router.delete("/documents/{document}", status_code=204)
def remove(context: Context, document: str, collection: Name) -> None:
    """Take a document out of a collection; from its last one it leaves the library."""
    with context.access() as access:
        path = access.visible(document).entry.path
        if access.remove(document, collection):
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
    return TextValue(
        document=document,
        span=SpanValue.from_span(span),
        characters=len(whole),
        text=span.text_in(whole),
    )


@router.get("/documents/{document}/outline")
def outline(context: Context, document: str) -> OutlineValue:
    """Return a document as a tree."""
    with context.access() as access:
        words, tree = access.text(document), access.outline(document)
    return OutlineValue(
        confidence=tree.confidence,
        windows=tree.windows,
        nodes=[
            NodeValue(
                id=node.id,
                parent=node.parent,
                kind=node.kind.value,
                label=node.label,
                heading=node.heading.text_in(words) if node.heading else "",
                span=SpanValue.from_span(node.span),
            )
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
    return NeighbourhoodValue(
        document=document,
        span=SpanValue.from_span(found),
        words=found.text_in(read.text),
        before=read.text[max(0, found.start - around) : found.start],
        after=read.text[found.end : found.end + around],
        path=list(tree.path(node, read.text)) if node else [],
        page=read.page_of(found.start),
        href=quote_href(document, found, found.text_in(read.text)),
        boxes=[BoxValue(page=b.page, x0=b.x0, y0=b.y0, x1=b.x1, y1=b.y1) for b in boxes],
    )


def _add(context: RequestContext, form: FormData, key: str | None) -> TaskValue:
    collection = " ".join(str(form.get("collection", "")).split())
    if not collection or len(collection) > 120:
        raise HttpError("a collection needs a name of at most 120 characters.")
    with context.access() as access:
        access.require(Role.EDITOR, collection, to_come=True)
    sent = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
    files = [(each.filename, each) for each in sent if each.filename]
    if not files:
        raise HttpError("no file was sent.", remedy="Send them as the field `files`.")
    asked = "\n".join([collection, *(f"{name} {each.size}" for name, each in files)])
    return run_once(
        context,
        key,
        asked,
        TaskValue,
        lambda: TaskValue.from_task(
            receive_files(context, collection, ((n, each.file) for n, each in files))
        ),
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
