"""A contract: its outline, its words or its printed pages, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError, InputError
from fourcorners.library.originals.files import Originals
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.reviews import give_contract_parties
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.playbooks.playbook import Playbook
from fourcorners.reports.grid import STATE_WORDS
from fourcorners.research.columns import store as column_store
from fourcorners.research.columns.store import review_playbook
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.parties import display_name, write_party
from fourcorners.server.context import Context, RequestContext, send_file
from fourcorners.server.links import document_href, linked_span
from fourcorners.server.rendering.contract_view import ContractView, open_view, window_at
from fourcorners.server.rendering.page_renderer import WIDTHS
from fourcorners.server.rendering.typesetting import node_depths
from fourcorners.text.invisible_characters import shorten, show_invisible
from fourcorners.text.normalisation import find_phrase
from fourcorners.text.span import Span

router = APIRouter()
_MOST_HEADINGS, _MOST_REFERENCES = 600, 300  # in the lists next to a contract
_MOST_FOUND = 500  # places of words that are looked for
_MOST_LINES = 3_000  # of a printed page
_SHOWN = frozenset(NodeKind) - {NodeKind.ITEM, NodeKind.PARAGRAPH}
_DEEPEST = 3  # level in the list of contents


_Place = Annotated[str, Query(max_length=40)]
_Hash = Annotated[str, Query(max_length=64)]
_View = Annotated[str, Query(max_length=10)]


class _Shown(BaseModel):
    """What is shown of a contract: the words at `s` with the hash `h`, or a numbered part."""

    s: str = Field(default="", max_length=40)
    h: str = Field(default="", max_length=64)
    near: bool = False
    view: str = Field(default="", max_length=10)
    part: int = Field(default=0, ge=0, le=1_000_000)


@router.get("/d/{document}")
def show(context: Context, document: str, asked: Annotated[_Shown, Query()]) -> Response:
    with context.access() as access:
        entry, role = access.visible(document).entry, access.visible(document).role
        card = access.card(document)
        findings = _findings(access, document)
        called = access.titles([document])[document]
        shown = _open(context, access, document, asked)
    outline, text = shown.outline, shown.document.text
    references = [each for each in outline.references if each.span.overlaps(shown.within)]
    return context.page(
        "contract.html.j2",
        entry=entry,
        called=called,
        view=shown,
        blocks=[] if shown.is_printed else list(shown.blocks(context.require_client)),
        headings=_headings(outline, text, shown.within),
        facts=_facts(card),
        parties=[write_party(fact.value) for fact in card.parties],
        given_by=next((fact.by for fact in card.parties if fact.by), ""),
        may_review=role >= Role.REVIEWER,
        findings=findings,
        missed=bool(asked.s) and shown.marked is None,
        references=references[:_MOST_REFERENCES],
        dangling=sum(each.target is None for each in outline.references),
    )


@router.post("/d/{document}/parties")
def set_parties(
    context: Context, document: str, parties: Annotated[str, Form(max_length=5_000)] = ""
) -> Response:
    """Give a contract the parties that a person wrote, one a line; none for those read."""
    with context.access() as access:
        give_contract_parties(access, document, parties.splitlines())
    return context.redirect(document_href(document))


@router.get("/d/{document}/view")
def show_view(context: Context, document: str, asked: Annotated[_Shown, Query()]) -> Response:
    """Draw the words of a contract alone, to show next to something else."""
    with context.access() as access:
        called = access.titles([document])[document]
        shown = _open(context, access, document, asked)
    return context.page(
        "_side_contract.html.j2",
        called=called,
        view=shown,
        blocks=[] if shown.is_printed else list(shown.blocks(context.require_client)),
        missed=bool(asked.s) and shown.marked is None,
    )


@router.get("/d/{document}/pages")
def show_pages_state(context: Context, document: str, s: _Place = "", h: _Hash = "") -> Response:
    """Draw the choice between pages and text, for who reads the text while pages are prepared."""
    with context.access() as access:
        shown = _open(context, access, document, _Shown(s=s, h=h))
    return context.page("_contract_views.html.j2", view=shown, shows_text=True, waited=True)


@router.get("/d/{document}/part/{number}")
def show_part(context: Context, document: str, number: int, view: _View = "") -> Response:
    """Draw another window of a contract, to follow those that are drawn."""
    with context.access() as access:
        shown = _open(context, access, document, _Shown(view=view, part=number))
    if number != shown.number:
        raise NotFound(f"this contract has {len(shown.windows):,} parts.")
    return context.page(
        "_contract_part.html.j2",
        view=shown,
        blocks=[] if shown.is_printed else list(shown.blocks(context.require_client)),
    )


@router.get("/d/{document}/page/{number}.png")
def page(
    request: Request, context: Context, document: str, number: int, large: bool = False
) -> Response:
    with context.access() as access:
        read = access.document(document)
    printed = _printed(context, read, number)
    tag = f'"{printed.sha256[:16]}-{number}{"-large" if large else ""}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=3600"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    renderer, width = context.state.page_renderer, WIDTHS[large]
    drawn = renderer.render_page(printed, number, width, context.require_client)
    return Response(drawn, media_type="image/png", headers=headers)


@router.get("/d/{document}/page/{number}.json")
def page_words(context: Context, document: str, number: int) -> Response:
    """Return the lines of a printed page: where each starts in the text, its box, its words."""
    with context.access() as access:
        read = access.document(document)
    printed = _printed(context, read, number)
    lines = context.state.page_renderer.page_lines(printed, number, context.require_client)
    value = [
        (span.start, box.x0, box.y0, box.x1, box.y1, show_invisible(span.text_in(read.text)))
        for span, box in lines[:_MOST_LINES]
    ]
    return JSONResponse(value, headers={"Cache-Control": "private, max-age=3600"})


@router.get("/d/{document}/find")
def find(
    context: Context, document: str, q: Annotated[str, Query(max_length=200)], view: _View = ""
) -> Response:
    """Return where words are in a contract: start, end, part and page of each place, in order.

    The page is 0 of words that are on none.
    """
    with context.access() as access:
        shown = _open(context, access, document, _Shown(view=view))
    places = [
        (place.start, place.end, window_at(shown.windows, place.start) + 1, shown.page_of(place))
        for place in find_phrase(shown.document.text, q, _MOST_FOUND)
    ]
    return JSONResponse({"places": places, "most": _MOST_FOUND})


@router.get("/d/{document}/original")
def download(context: Context, document: str) -> Response:
    """Send the file that a contract was read from, if it is still that one."""
    with context.access() as access:
        read = access.document(document)
        access.record("download", {"document": document})
    try:
        data = Originals(context.state.settings.originals).load(read)
    except InputError as error:
        raise NotFound(
            "the original file is missing or has changed.", remedy="Read the text, or add it again."
        ) from error
    return send_file(read.name, "application/octet-stream", data)


def _open(context: RequestContext, access: Access, document: str, asked: _Shown) -> ContractView:
    read, outline = access.document(document), access.outline(document)
    marked = linked_span(asked.s, asked.h, read.text) if asked.s else None
    renderer, is_text = context.state.page_renderer, asked.view == "text"
    shown = open_view(read, outline, renderer, marked=marked, text=is_text, number=asked.part)
    return replace(shown, is_near=asked.near and marked is not None)


def _printed(context: RequestContext, document: Document, page: int) -> Document:
    printed = context.state.page_renderer.find_printed(document)
    if printed is None:
        raise NotFound("the pages of this document are not available.")
    if not 1 <= page <= len(printed.pages):
        raise NotFound(
            f"this contract has no page {page}.",
            remedy=f"Its pages are 1 to {len(printed.pages):,}.",
        )
    return printed


def _facts(card: Card) -> list[tuple[str, str | date, Span]]:
    """Return what the contract says of itself: name, value, and the words it goes by."""
    facts: list[tuple[str, Fact[str] | Fact[date] | Fact[Party] | None]] = [
        ("Type", card.type),
        *(("Party", each) for each in card.parties),
        *(("Dated", card.agreement_date), ("Effective", card.effective_date)),
        ("First term ends" if card.renewal else "Expires", card.expiry_date),
        *(("Law", card.governing_law), ("Amends", card.amends)),
    ]
    unsure = (("Dated", "agreement"), ("Effective", "effective"), ("Expires", "end"))
    return [
        *((name, _value(fact.value), fact.span) for name, fact in facts if fact is not None),
        *(
            (name, card.readings(kind), each.span)
            for name, kind in unsure
            if (each := card.value(kind)) and each.other
        ),
    ]


def _value(value: str | date | Party) -> str | date:
    if isinstance(value, Party):
        return display_name(value) if value.is_blank else write_party(value)
    return value


def _headings(outline: Outline, text: str, within: Span) -> list[dict[str, int | str]]:
    """Return the parts that a reader looks for: what has a heading, and numbered sections.

    Those without a `title` have their first words as `opening`. Of more than `_MOST_HEADINGS`, the
    deeper ones are left out; then those of other windows.
    """
    named = [
        (node, depth)
        for node, depth in zip(outline.nodes, node_depths(outline), strict=True)
        if depth <= _DEEPEST and (node.heading or (node.kind in _SHOWN and node.label))
    ]
    for deepest in range(_DEEPEST - 1, -1, -1):
        if len(named) <= _MOST_HEADINGS:
            break
        named = [each for each in named if each[1] <= deepest]
    if len(named) > _MOST_HEADINGS:
        named = [each for each in named if each[0].span.overlaps(within)][:_MOST_HEADINGS]
    return [_heading(node, depth, text) for node, depth in named]


def _heading(node: Node, depth: int, text: str) -> dict[str, int | str]:
    title = " ".join(node.heading.text_in(text)[:400].split()) if node.heading else ""
    opening = "" if title else _opening(node.span.text_in(text)[:160], node.label)
    return {
        "node": node.id, "depth": depth, "label": node.label, "title": title, "opening": opening,
    }  # fmt: skip


def _opening(words: str, label: str) -> str:
    """Return the first words of a part, without its number."""
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
    for book in [*playbooks.usable_playbooks(access, inside), *asked]:
        wanted = [provision.id for provision in book.provisions]
        cells = store.load_cells(library, book, wanted, document).get(document, {})
        for provision in book.provisions:
            finding = cells.get(provision.id)
            if finding and finding.state in (CellState.FOUND, CellState.FAILED):
                shown.append((provision.name, finding))
    return shown


@dataclass(frozen=True, slots=True)
class CellChoice:
    """A cell of a review that may quote other words; `playbook` is the grid's."""

    playbook: str
    provision: str
    name: str
    state: str


@router.get("/d/{document}/cells")
def choose_cell(
    context: Context,
    document: str,
    start: Annotated[int, Query(ge=0)],
    end: Annotated[int, Query(ge=1)],
) -> Response:
    """Ask to which provision of which review the selected words belong."""
    with context.access() as access:
        entry = access.visible(document).entry
        text = access.text(document)
        if not start < end <= len(text):
            raise ConfigError("there are no words at these places.", remedy="Select them again.")
        may_mark = context.principal.may(Role.REVIEWER, entry.collection)
        reviews = list(_reviews(access, document, entry.collection)) if may_mark else []
    return context.page(
        "_use_words.html.j2",
        entry=entry,
        place=f"{start}-{end}",
        words=Span(start, end).text_in(text),
        reviews=reviews,
        may_mark=may_mark,
    )


def _reviews(
    access: Access, document: str, collection: str
) -> Iterator[tuple[Playbook, list[CellChoice]]]:
    """Yield the reviews that have read a document, with its cells in them."""
    library = access.library_of(document, Role.REVIEWER)
    for book in playbooks.usable_playbooks(access, collection):
        choices = []
        for part in (book, review_playbook(library, collection, book.id)):
            wanted = [provision.id for provision in part.provisions]
            cells = store.load_cells(library, part, wanted, document).get(document, {})
            choices += [
                CellChoice(book.id, each.id, each.name, STATE_WORDS[cells[each.id].state])
                for each in part.provisions
                if each.id in cells
            ]
        if choices:
            yield book, choices
