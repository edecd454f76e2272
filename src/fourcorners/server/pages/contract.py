"""A contract: its outline, its words or its printed pages, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from fourcorners.documents.document import Box, Document, Page
from fourcorners.errors import InputError
from fourcorners.server.context import Context
from fourcorners.server.errors import NotFound
from fourcorners.server.links import document_href, linked_span, words_hash
from fourcorners.server.rendering.contract_page import card_facts, list_findings, outline_headings
from fourcorners.server.rendering.typesetting import typeset_document
from fourcorners.text.span import Span

router = APIRouter()
_PAGE_WIDTH = 1440  # pixels that a page is drawn in


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as it was printed, with the boxes of the highlighted words on it."""

    page: Page
    boxes: tuple[Box, ...]


@router.get("/d/{document}")
def show(
    context: Context,
    document: str,
    s: Annotated[str, Query(max_length=40)] = "",
    h: Annotated[str, Query(max_length=64)] = "",
    view: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """Show a contract, with the span that the address names highlighted."""
    with context.access() as access:
        entry = access.visible(document).entry
        read = access.document(document)
        outline, card = access.outline(document), access.card(document)
        findings = list_findings(access, document)
    marked = linked_span(s, h, read.text) if s else None
    original = context.state.page_renderer.find_original(read)
    as_printed = original is not None and view != "text"
    boxes: list[Box] = []
    trouble = ""
    if as_printed and original is not None and marked is not None:
        try:
            boxes = context.state.page_renderer.span_boxes(read, original, marked)
        except InputError as error:
            trouble = error.message
    text = read.text
    return context.page(
        "contract.html.j2",
        entry=entry,
        document=read,
        outline=outline,
        headings=list(outline_headings(outline, text)),
        facts=card_facts(card),
        findings=findings,
        marked=marked,
        missed=bool(s) and marked is None,
        blocks=[] if as_printed else typeset_document(read, outline, marked),
        sheets=_sheets(read, boxes) if as_printed else [],
        pages_of=_pages_of(read),
        has_original=original is not None,
        as_printed=as_printed,
        trouble=trouble,
        to=_linker(document, text, view),
        node_href=_node_linker(
            outline_spans={n.id: n.span for n in outline.nodes}, read=read, as_printed=as_printed
        ),
    )


@router.get("/d/{document}/page/{number}.png")
def page(request: Request, context: Context, document: str, number: int) -> Response:
    """Return a page of the original as a picture."""
    with context.access() as access:
        read = access.document(document)
    tag = f'"{read.sha256[:16]}-{number}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=3600"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    original = context.state.page_renderer.find_original(read)
    if original is None:
        raise NotFound("the original of this document is not at hand.")
    drawn = context.state.page_renderer.render_page(read, original, number, _PAGE_WIDTH)
    return Response(drawn, media_type="image/png", headers=headers)


def _sheets(document: Document, boxes: list[Box]) -> list[Sheet]:
    return [
        Sheet(page, tuple(box for box in boxes if box.page == page.number))
        for page in document.pages
    ]


def _pages_of(document: Document) -> Callable[[Span], int | None]:
    return lambda span: document.page_of(span.start)


def _linker(document: str, text: str, view: str) -> Callable[[Span], str]:
    """Return what makes links to spans of this document that stay in the same view."""

    def to(span: Span) -> str:
        place = f"{span.start}-{span.end}"
        asked = {"s": place, "h": words_hash(span.text_in(text))} | ({"view": view} if view else {})
        return f"{document_href(document)}?{urlencode(asked)}#s={place}"

    return to


def _node_linker(
    *, outline_spans: dict[int, Span], read: Document, as_printed: bool
) -> Callable[[int], str]:
    """Return what makes links to parts of this document: to their page where it is as printed."""

    def to(node: int) -> str:
        if as_printed:
            return f"#page-{read.page_of(outline_spans[node].start)}"
        return f"#n{node}"

    return to
