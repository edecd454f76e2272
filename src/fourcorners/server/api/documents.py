"""Documents: adding them, taking them out, and what they say."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import Field
from starlette.datastructures import FormData

from fourcorners.errors import InputError
from fourcorners.library.entries import Entry
from fourcorners.operations.contracts import lint
from fourcorners.operations.contracts.lint import LintResult
from fourcorners.operations.documents import TagsChange, set_tags, tags_of
from fourcorners.operations.errors import Refusal
from fourcorners.operations.reviewing import families
from fourcorners.operations.reviewing.families import ContractFamily, FamilyRequest
from fourcorners.operations.reviewing.reviews import PartyNames, give_contract_parties
from fourcorners.playbooks.playbook import Level
from fourcorners.server.api.models import (
    CardValue,
    CollectionName,
    Cursor,
    DocumentValue,
    Limit,
    NeighbourhoodValue,
    NodeValue,
    OutlineValue,
    Paged,
    TaskValue,
    TextValue,
    file_responses,
)
from fourcorners.server.api.requests import ApiRoute, IdempotencyKey, run_once
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.cursors import page_of
from fourcorners.server.links import quote_href
from fourcorners.server.nul import read_form
from fourcorners.server.pages import contract as contract_pages
from fourcorners.server.pages.collection import uploaded_files
from fourcorners.server.store.uploads import MAX_FILES
from fourcorners.server.tasks.handlers.add import receive_files
from fourcorners.text.span import Span
from fourcorners.value import Value

router = APIRouter(tags=["Documents"], route_class=ApiRoute)
_AROUND = 2_000  # characters of context
_ORIGINAL = file_responses(["application/octet-stream"])
_PICTURE = file_responses(["image/png"])


class PartiesChange(Value):
    """The parties of a document."""

    parties: PartyNames = Field(
        description="Each with its term in the document in brackets; the term alone for a name "
        "that is left blank.",
        examples=[["Larch Supply Limited (Supplier)", "(Customer)"]],
    )


@router.get("/documents")
def list_documents(
    context: Context,
    collection: CollectionName | None = None,
    cursor: Cursor = "",
    limit: Limit = 100,
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
                                "description": "Repeat the field for several files. A name may "
                                "have folders.",
                            },
                        },
                    },
                    "example": {
                        "collection": "Project Larch",
                        "files": ["01-services-agreement.docx", "leases/02-lease.pdf"],
                    },
                }
            },
        }
    },
)
async def upload_documents(
    request: Request, context: Context, key: IdempotencyKey = None
) -> TaskValue:
    """Upload files, archives among them, into a collection; the answer is the task to watch.

    With curl: `-F collection="Project Larch" -F files=@services.docx -F files=@lease.pdf`.
    """
    form = await read_form(request, max_files=MAX_FILES, max_fields=10)
    try:
        return await run_in_threadpool(_add, context, form, key)
    finally:
        await form.close()


@router.get("/documents/{document}")
def get_document(context: Context, document: str) -> DocumentValue:
    """Return a document as the library lists it."""
    with context.access() as access:
        return DocumentValue.from_entry(access.visible(document).entry)


@router.delete("/documents/{document}", status_code=204)
def delete_document(context: Context, document: str) -> None:
    """Take a document out of the library, with all that was found in it."""
    with context.access() as access:
        paths = access.remove(document)
    context.delete_files(paths)


@router.get("/documents/{document}/original", response_class=Response, responses=_ORIGINAL)
def get_original(context: Context, document: str) -> Response:
    """Return the file that a document was read from, as it came."""
    return contract_pages.download(context, document)


@router.get("/documents/{document}/pages/{page}", response_class=Response, responses=_PICTURE)
def get_page_image(
    request: Request,
    context: Context,
    document: str,
    page: Annotated[int, Path(ge=1, le=100_000)],
) -> Response:
    """Return a page of a PDF as a picture."""
    return contract_pages.page(request, context, document, page)


@router.get("/documents/{document}/text")
def get_text(
    context: Context,
    document: str,
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int | None, Query(ge=0)] = None,
) -> TextValue:
    """Return the text of a document, or a part of it."""
    with context.access() as access:
        whole = access.text(document)
    span = _span(whole, start, len(whole) if end is None else min(end, len(whole)), empty=True)
    words, place = span.text_in(whole), span
    return TextValue(document=document, span=place, characters=len(whole), text=words)


@router.get("/documents/{document}/outline")
def get_outline(context: Context, document: str) -> OutlineValue:
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
def get_card(context: Context, document: str) -> CardValue:
    """Return what a document says of itself."""
    with context.access() as access:
        return CardValue.from_card(access.card(document), access.text(document))


@router.get("/documents/{document}/lint")
def lint_document(
    context: Context,
    document: str,
    least: Annotated[Level, Query(description="Only slips of this severity or higher.")] = "low",
) -> LintResult:
    """Check the drafting of a document: its references, terms and numbering."""
    asked = lint.LintRequest.from_fields(document=document, least=least)
    with context.access() as access:
        return lint.lint_document(access, asked)


@router.put("/documents/{document}/parties")
def set_parties(context: Context, document: str, given: PartiesChange) -> CardValue:
    """Give a document other parties than those that were read; an empty list takes them back.

    Its next review is made with them.
    """
    with context.access() as access:
        give_contract_parties(access, document, given.parties)
        return CardValue.from_card(access.card(document), access.text(document))


@router.get("/documents/{document}/tags")
def get_tags(context: Context, document: str) -> TagsChange:
    """Return the tags that people gave a document."""
    with context.access() as access:
        return TagsChange(tags=tags_of(access, document))


@router.put("/documents/{document}/tags")
def set_document_tags(context: Context, document: str, given: TagsChange) -> TagsChange:
    """Give a document tags in place of those that it has, as a reviewer of its collection."""
    with context.access() as access:
        return TagsChange(tags=set_tags(access, document, given.tags))


@router.get("/documents/{document}/span")
def get_span(
    context: Context,
    document: str,
    start: Annotated[int, Query(ge=0)],
    end: Annotated[int, Query(ge=1)],
    around: Annotated[int, Query(ge=0, le=_AROUND)] = 240,
) -> NeighbourhoodValue:
    """Return words of a document in context, with their place on the page."""
    return read_span(context, document, start, end, around)


def read_span(
    context: RequestContext, document: str, start: int, end: int, around: int, *, boxes: bool = True
) -> NeighbourhoodValue:
    """Return words in context and, on request, their place on the page.

    An end beyond the text is taken for its end.
    """
    with context.access() as access:
        read, tree = access.document(document), access.outline(document)
    length = len(read.text)
    found = _span(read.text, start, min(end, length))
    node = tree.node_at(found.start)
    printed = context.state.page_renderer.find_printed(read) if boxes and read.pages else None
    places = []
    if printed is not None:
        try:
            places = context.state.page_renderer.span_boxes(printed, found)
        except InputError:
            places = []  # as where the original is not at hand
    words = found.text_in(read.text)
    return NeighbourhoodValue(
        document=document,
        span=found,
        words=words,
        before=read.text[max(0, found.start - around) : found.start],
        after=read.text[found.end : found.end + around],
        path=list(tree.path(node, read.text)) if node else [],
        page=read.page_of(found.start),
        href=quote_href(document, found, words),
        boxes=places,
        next=found.end if found.end < length else None,
        cut=f"the text ends at {length:,}" if end > length else "",
    )


def _add(context: RequestContext, form: FormData, key: str | None) -> TaskValue:
    collection, files = uploaded_files(context, form, "Send them as the field `files`.")
    asked = "\n".join([collection, *(f"{name} {file.size}" for name, file in files)])
    sent = ((name, file.file) for name, file in files)

    def receive() -> TaskValue:
        return TaskValue.make(receive_files(context, collection, sent))

    return run_once(context, key, asked, TaskValue, receive)


def _order(entry: Entry) -> tuple[str, ...]:
    return (entry.name.casefold(), entry.path, entry.id)


def _span(text: str, start: int, end: int, *, empty: bool = False) -> Span:
    if start > end or end > len(text) or (start == end and not empty):
        raise Refusal(
            f"there are no words at {start}-{end}: the text has {len(text)} characters.",
            remedy="Give 0 <= start < end <= that.",
        )
    return Span(start, end)


@router.get("/documents/{document}/family")
def get_family(context: Context, document: str) -> ContractFamily:
    """Return the family of a document: the contract at its head, and what belongs to it."""
    with context.access() as access:
        return families.find_family(access, document)


@router.put("/documents/{document}/family")
def set_family(context: Context, document: str, asked: FamilyRequest) -> ContractFamily:
    """Say which contract a document belongs to; it goes before what the documents say."""
    with context.access() as access:
        return families.set_family(access, document, asked)
