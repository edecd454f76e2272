"""The mark-up next to the contract: changes to accept, edit or reject, then to download."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import ConfigDict, Field

from fourcorners.documents.media_types import MediaType
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.knowledge.banks import list_banks, may_use_banks
from fourcorners.operations.markup import store
from fourcorners.operations.markup.decisions import OPEN, decide_change
from fourcorners.operations.markup.exports import load_markup, write_markup
from fourcorners.operations.markup.proposals import add_provision, find_markup
from fourcorners.operations.markup.store import DecisionRequest, Markup, MarkupRequest
from fourcorners.operations.principal import Role
from fourcorners.redline.decisions import (
    DecisionState,
    apply_decision,
    change_id,
    edit_place,
    proposed_words,
)
from fourcorners.redline.open_points import Target
from fourcorners.redline.proposal import Basis, ProposedChange
from fourcorners.redline.word import source_words
from fourcorners.review.parties import display_name, side_in
from fourcorners.server.context import Context, send_file
from fourcorners.server.links import document_href
from fourcorners.server.rendering.contract_view import text_windows, window_at
from fourcorners.server.rendering.typesetting import PlacedChange, typeset_document
from fourcorners.server.tasks.handlers.markup import start_proposal
from fourcorners.text.span import Span

router = APIRouter()
_UNSAFE = re.compile(r"[^\w.-]+")
_AROUND = 260  # characters of the clause that are shown before a change, and after it
_Name = Annotated[str, Form(max_length=500)]
_Word = Annotated[str, Query(max_length=200)]


@router.get("/d/{document}/markup")
def show(
    context: Context,
    document: str,
    p: _Word = "",
    new: _Word = "",
    part: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Show a person's mark-up of a contract; where there is none, the form to make one."""
    with context.access() as access:
        read = access.document(document)
        outline, entry = access.outline(document), access.visible(document).entry
        latest = store.find_markup(access.common(), document, p, context.principal.name)
        called = access.titles([document])[document]
        choices = markup_choices(access, document)
        has_banks = may_use_banks(access)
    shown = None if new else latest
    views = change_views(shown, read.text) if shown else []
    windows = text_windows(read, outline)
    number = min(max(part, 1), len(windows))
    within = windows[number - 1]

    def window_href(number: int) -> str:
        return f"{_address(document, p)}&part={number}"

    return context.page(
        "markup.html.j2",
        entry=entry,
        called=called,
        document=document,
        markup=shown,
        latest=latest,
        wanted=p,
        views=views,
        counts=_counts(shown) if shown else {},
        blocks=typeset_document(
            read,
            outline,
            changes=[each.placed for each in views if _is_shown(each.change.span, within)],
            within=within,
            elsewhere=lambda offset: window_href(window_at(windows, offset) + 1),
        ),
        number=number,
        last=len(windows),
        window_href=window_href,
        part_of=lambda place: window_at(windows, place.start) + 1,
        is_word=read.media_type == MediaType.DOCX,
        may_mark=context.principal.may(Role.REVIEWER, entry.collection),
        has_banks=has_banks,
        **choices,
    )


def _is_shown(place: Span, within: Span) -> bool:
    """Tell whether a window shows a change, which may only add words, at one place."""
    return place.overlaps(within) or within.start <= place.start <= within.end


@router.post("/d/{document}/markup")
def propose(
    context: Context,
    document: str,
    p: Annotated[list[_Name], Form()],
    party: _Name = "",
    aim: Annotated[Target, Form()] = "smallest",
    bank: _Name = "",
) -> Response:
    """Propose changes of a contract for one of its parties, in place of those before."""
    asked = MarkupRequest.from_fields(playbook=",".join(p), party=party, target=aim, bank=bank)
    task = start_proposal(context, document, asked)
    return context.redirect(f"/tasks/{task.id}" if task else _address(document, asked.playbook))


class _DecisionForm(DecisionRequest):
    """What someone decides of a change, by the names of the form's fields."""

    model_config = ConfigDict(extra="ignore")
    playbook: str = Field(alias="p", max_length=500)
    state: Literal["accepted", "edited", "rejected", "open"] = Field(alias="says")
    change: str = Field(max_length=20)
    expired: bool = False


@router.post("/d/{document}/markup/decide")
def decide(context: Context, document: str, form: Annotated[_DecisionForm, Form()]) -> Response:
    """Keep what someone decides of a change."""
    p, change = form.playbook, form.change
    with context.access() as access:
        decide_change(access, context.state.settings, document, change, form)
    if not context.is_partial:
        return context.redirect(f"{_address(document, p)}#change-{quote(change)}")
    with context.access() as access:
        found, text = find_markup(access, document, p), access.text(document)
        has_banks = may_use_banks(access)
    return context.page(
        "_change.html.j2",
        view=next(each for each in change_views(found, text) if each.id == change),
        counts=_counts(found),
        markup=found,
        document=document,
        may_mark=True,
        has_banks=has_banks,
        is_answer=True,
    )


@router.post("/d/{document}/markup/include")
def add_open_point(context: Context, document: str, p: _Name, provision: _Name) -> Response:
    """Propose a change of what was left to the person, as they have decided to change it."""
    with context.access() as access:
        add_provision(access, context.state.engines, document, p, provision)
    return context.redirect(_address(document, p))


@router.get("/d/{document}/markup/download")
def export(context: Context, document: str, p: _Word = "", form: _Word = "") -> Response:
    """Return the changes that were accepted or edited: in the Word file, or as a table."""
    with context.access() as access:
        made = load_markup(access, document, p, form)
    name = f"{_UNSAFE.sub('-', made.title).strip('-') or 'contract'} marked.{made.form}"
    return send_file(name, made.media_type, write_markup(made, context.state.settings))


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change as the page shows it, as its person left it.

    Attributes:
        state: `open`, or what was decided.
        words: What its place says with it, to be edited.
        before: The words before it in its clause.
        after: The words after it.
    """

    id: str
    change: ProposedChange
    state: str
    by: str
    words: str
    before: str
    after: str

    @property
    def is_edited(self) -> bool:
        return self.change.basis is Basis.EDITED

    @property
    def source(self) -> str:
        return source_words(self.change.source)

    @property
    def placed(self) -> PlacedChange:
        """Return it as the text shows it: a new clause starts a paragraph."""
        look = f"{self.state} clause" if self.change.new_clause else self.state
        return PlacedChange(self.id, self.change.span, self.change.edits, look)


def change_views(found: Markup, text: str) -> list[ChangeView]:
    """Return the changes of a mark-up as their person left them, in order of the contract."""
    return [_view(found, each, text) for each in found.redline.changes]


def _view(found: Markup, proposed: ProposedChange, text: str) -> ChangeView:
    decision = found.decisions.get(change_id(proposed))
    change = apply_decision(found.redline, proposed, decision, text)
    is_edited = change is not proposed
    place = change.span if is_edited else edit_place(found.redline, change, text)
    around = change.span
    for each in change.quotes if change.new_clause is None else ():
        if each.span is not None and each.span.contains(change.span):
            around = each.span
            break
    before, after = text[around.start : change.span.start], text[change.span.end : around.end]
    return ChangeView(
        id=change_id(proposed),
        change=change,
        state=decision.state.value if decision else OPEN,
        by=decision.by if decision else "",
        words=proposed_words(change, place, text),
        before=before if len(before) <= _AROUND else f"… {before[-_AROUND:].partition(' ')[2]}",
        after=after if len(after) <= _AROUND else f"{after[:_AROUND].rpartition(' ')[0]} …",
    )


def _counts(found: Markup) -> dict[str, int]:
    states = [
        decision.state.value if (decision := found.decisions.get(change_id(each))) else OPEN
        for each in found.redline.changes
    ]
    return {each: states.count(each) for each in (OPEN, *DecisionState)}


def markup_choices(access: Access, document: str) -> dict[str, Any]:
    """Return what a person may choose from: parties (ours first), playbooks, clause banks."""
    card, collection = access.card(document), access.visible(document).entry.collection
    library = access.library_for(collection, Role.READER)
    side = side_in(library, document, library.read_for(collection))
    parties = sorted(
        (fact.value for fact in card.parties), key=lambda each: side.whose(each) != "ours"
    )
    books = playbooks.usable_playbooks(access, collection)
    return {
        "parties": [(each.name, display_name(each)) for each in parties],
        "playbooks": [book for book in books if any(each.positions for each in book.provisions)],
        "banks": bank_names(access),
    }


def bank_names(access: Access) -> list[str]:
    """Return the clause banks that a person may use."""
    banks = list_banks(access) if may_use_banks(access) else []
    return list(dict.fromkeys(each.bank for each in banks))


def _address(document: str, playbook: str) -> str:
    return f"{document_href(document)}/markup?{urlencode({'p': playbook})}"
