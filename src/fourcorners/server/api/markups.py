"""The mark-up of a contract: proposed changes, what its person decides, and the file with them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from fourcorners.operations.markup import decisions
from fourcorners.operations.markup.exports import FORMS, load_markup, write_markup
from fourcorners.operations.markup.proposals import find_markup, propose_changes
from fourcorners.operations.markup.store import DecisionRequest, Markup, MarkupRequest
from fourcorners.redline.proposal import OpenPoint, ResponseKind
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.server.api.models import Moment, file_responses
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.pages.markup import ChangeView, change_views
from fourcorners.text.span import Span
from fourcorners.value import Value

router = APIRouter(tags=["Mark-ups"], route_class=ApiRoute)
_FILES = file_responses(FILE_TYPES[each] for each in FORMS)
_Playbook = Annotated[str, Query(max_length=200, description="Empty for the one used last.")]


class MarkupQuoteValue(Value):
    """Words of the contract that a change goes by; `span` is null if they were not found there."""

    words: str
    span: Span | None


class MarkupEditValue(Value):
    """Words that stay, go or come."""

    kind: Literal["equal", "delete", "insert"]
    text: str


class ProposedChangeValue(Value):
    """A change of the contract, as its person left it."""

    id: str
    state: Literal["accepted", "edited", "rejected", "open"]
    provision: str
    name: str
    extent: str
    path: list[str]
    span: Span = Field(description="The words that the edits start from.")
    edits: list[MarkupEditValue]
    words: str = Field(description="What its place says with it, to be edited.")
    found: str = Field(description="What the clause says now; empty for a clause that is missing.")
    target_kind: str
    target: str
    quotes: list[MarkupQuoteValue]
    source: str
    blanks: list[str]


class OpenPointValue(Value):
    """What is left to a person."""

    provision: str
    name: str
    reason: str
    path: list[str]
    quotes: list[MarkupQuoteValue]
    offered: str = Field(description="Suggested wording; empty for none.")


class ChangeResponseValue(Value):
    """A tracked change of somebody else, and what to answer to it by the playbook."""

    author: str
    before: str
    after: str
    kind: ResponseKind
    provision: str = Field(description="Empty where the playbook says nothing about it.")
    name: str
    reason: str
    path: list[str]


class MarkupValue(Value):
    """A person's mark-up of a contract."""

    document: str
    playbook: str
    party: str
    made: Moment
    word: bool = Field(description="Whether it can be written into the Word file.")
    changes: list[ProposedChangeValue]
    to_decide: list[OpenPointValue]
    accepted: list[str] = Field(description="What is in a position that is accepted.")
    missing: list[str] = Field(description="What was not found, and is not proposed.")
    unjudged: list[str] = Field(description="What was found, and is in no known position.")
    responses: list[ChangeResponseValue] = Field(
        description="To the tracked changes of others; none without the request's `reviewer`."
    )

    @classmethod
    def from_markup(cls, found: Markup, text: str) -> MarkupValue:
        return cls(
            document=found.redline.document,
            playbook=found.playbook,
            party=found.redline.party,
            made=found.at,
            word=found.proposal.is_word,
            changes=[_change(each) for each in change_views(found, text)],
            to_decide=[_open_point(each) for each in found.redline.open_points],
            accepted=list(found.redline.accepted),
            missing=list(found.redline.missing),
            unjudged=list(found.redline.unjudged),
            responses=[
                ChangeResponseValue.make(
                    each, author=each.change.author, before=each.change.before, path=list(each.path)
                )
                for each in found.redline.responses
            ],
        )


@router.post("/documents/{document}/markup")
def propose_markup(context: Context, document: str, asked: MarkupRequest) -> MarkupValue:
    """Propose changes of a contract, which is reviewed first where it was not."""
    with context.access() as access:
        found = propose_changes(access, context.state.engines, document, asked)
    return _value(context, found)


@router.get("/documents/{document}/markup")
def get_markup(context: Context, document: str, playbook: _Playbook = "") -> MarkupValue:
    """Return your mark-up of a contract."""
    with context.access() as access:
        found = find_markup(access, document, playbook)
    return _value(context, found)


@router.post("/documents/{document}/markup/changes/{change}")
def decide_change(
    context: Context, document: str, change: str, asked: DecisionRequest
) -> MarkupValue:
    """Accept, edit or reject a change, or take that back."""
    with context.access() as access:
        decisions.decide_change(access, context.state.settings, document, change, asked)
    return get_markup(context, document, asked.playbook)


@router.get("/documents/{document}/markup/file", response_class=Response, responses=_FILES)
def download_markup(
    context: Context,
    document: str,
    playbook: _Playbook = "",
    form: Literal["docx", "pdf", "md", ""] = "",
) -> Response:
    """Return the contract with what was accepted or edited: as Word, or as a table."""
    with context.access() as access:
        made = load_markup(access, document, playbook, form)
    return Response(write_markup(made, context.state.settings), media_type=made.media_type)


def _value(context: Context, found: Markup) -> MarkupValue:
    with context.access() as access:
        return MarkupValue.from_markup(found, access.text(found.redline.document))


def _change(view: ChangeView) -> ProposedChangeValue:
    change = view.change
    return ProposedChangeValue.make(
        change,
        id=view.id,
        state=view.state,
        words=view.words,
        source=view.source,
        extent=change.extent.value,
        edits=[MarkupEditValue(kind=each.kind.value, text=each.text) for each in change.edits],
    )


def _open_point(point: OpenPoint) -> OpenPointValue:
    return OpenPointValue.make(point, offered=point.offered.text if point.offered else "")
