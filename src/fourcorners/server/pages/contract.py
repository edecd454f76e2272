"""A contract: its outline, its words or its printed pages, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from fourcorners.documents.document import Box
from fourcorners.errors import InputError
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import NodeKind, Outline
from fourcorners.research.columns import store as column_store
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.errors import NotFound
from fourcorners.server.links import document_href, linked_span, words_hash
from fourcorners.server.rendering.typesetting import node_depths, typeset_document
from fourcorners.server.store import playbook_store
from fourcorners.text.invisible_characters import shorten
from fourcorners.text.span import Span

router = APIRouter()
_SHOWN = frozenset(NodeKind) - {NodeKind.ITEM, NodeKind.PARAGRAPH}
_DEEPEST = 3  # level in the list of contents


@router.get("/d/{document}")
def show(
    context: Context,
    document: str,
    s: Annotated[str, Query(max_length=40)] = "",
    h: Annotated[str, Query(max_length=64)] = "",
    view: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    with context.access() as access:
        entry = access.visible(document).entry
        read = access.document(document)
        outline, card = access.outline(document), access.card(document)
        findings = _findings(access, document)
        called = access.titles([document])[document]
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

    def to(span: Span) -> str:
        """Return a link to a span of this document that stays in the same view."""
        place = f"{span.start}-{span.end}"
        asked = {"s": place, "h": words_hash(span.text_in(text))} | ({"view": view} if view else {})
        return f"{document_href(document)}?{urlencode(asked)}#s={place}"

    return context.page(
        "contract.html.j2",
        entry=entry,
        called=called,
        document=read,
        outline=outline,
        headings=list(_headings(outline, text)),
        facts=_facts(card),
        findings=findings,
        marked=marked,
        missed=bool(s) and marked is None,
        blocks=[] if as_printed else typeset_document(read, outline, marked),
        boxes=boxes,
        has_original=original is not None,
        as_printed=as_printed,
        trouble=trouble,
        to=to,
        spans={node.id: node.span for node in outline.nodes},
    )


@router.get("/d/{document}/page/{number}.png")
def page(request: Request, context: Context, document: str, number: int) -> Response:
    with context.access() as access:
        read = access.document(document)
    tag = f'"{read.sha256[:16]}-{number}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=3600"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    original = context.state.page_renderer.find_original(read)
    if original is None:
        raise NotFound("the original file of this document is not available.")
    drawn = context.state.page_renderer.render_page(read, original, number)
    return Response(drawn, media_type="image/png", headers=headers)


def _facts(card: Card) -> list[tuple[str, str, Span]]:
    """Return what the contract says of itself: name, value, and the words it goes by."""
    facts: list[tuple[str, Fact[str] | Fact[date] | Fact[Party] | None]] = [
        ("Type", card.type),
        *(("Party", each) for each in card.parties),
        *(("Dated", card.agreement_date), ("Effective", card.effective_date)),
        ("First term ends" if card.renewal else "Expires", card.expiry_date),
        *(("Law", card.governing_law), ("Amends", card.amends)),
    ]
    return [(name, _value(fact.value), fact.span) for name, fact in facts if fact is not None]


def _value(value: str | date | Party) -> str:
    if isinstance(value, date):
        return f"{value.day} {value:%B %Y}"
    if isinstance(value, Party):
        known = value.short or value.role
        return f"{value.name} ({known})" if known else value.name
    return value


def _headings(outline: Outline, text: str) -> Iterator[dict[str, int | str]]:
    """Yield the parts that a reader looks for: what has a heading, and numbered sections.

    Those without a `title` have their first words as `opening`.
    """
    for node, depth in zip(outline.nodes, node_depths(outline), strict=True):
        title = " ".join(node.heading.text_in(text).split()) if node.heading else ""
        if depth > _DEEPEST or not (title or (node.kind in _SHOWN and node.label)):
            continue
        opening = "" if title else _opening(node.span.text_in(text)[:160], node.label)
        names = {"label": node.label, "title": title, "opening": opening}
        yield {"node": node.id, "depth": depth, **names}


def _opening(words: str, label: str) -> str:
    """Return the first words of a part, without the number that stands there."""
    first, _, rest = " ".join(words.split()).partition(" ")
    bare = first.strip("().:§")
    return shorten(rest if bare and label.endswith((bare, f"({bare})")) else f"{first} {rest}", 60)


def _findings(access: Access, document: str) -> list[tuple[str, Finding]]:
    """Return what reviews found in a document, and what failed, by the provision's name."""
    library = access.library_of(document, Role.READER)
    shown = []
    inside = access.visible(document).entry.collection
    asked = [
        column_store.columns_playbook(each.collection, each.playbook, [each])
        for each in column_store.columns_of_collections(library, (inside,))
    ]
    for book in [*playbook_store.usable_playbooks(access.common()), *asked]:
        wanted = [provision.id for provision in book.provisions]
        cells = store.load_cells(library, book, wanted, document).get(document, {})
        for provision in book.provisions:
            finding = cells.get(provision.id)
            if finding and finding.state in (CellState.FOUND, CellState.FAILED):
                shown.append((provision.name, finding))
    return shown
