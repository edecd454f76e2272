"""Playbooks: those of the package and the house's own, their text, their faults, and trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, Path, Query, UploadFile
from fastapi.responses import PlainTextResponse
from pydantic import Field

from fourcorners.operations.knowledge import playbook_imports as operation
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.knowledge.playbook_comparison import (
    VersionComparison,
    compare_versions,
)
from fourcorners.operations.knowledge.playbook_imports import ImportedPlaybook, ImportedTable
from fourcorners.operations.knowledge.playbooks import PlaybookVersion
from fourcorners.playbooks.load import MAX_BYTES
from fourcorners.playbooks.playbook import Playbook
from fourcorners.playbooks.tables import Field as TableField
from fourcorners.server.api.findings import FindingValue
from fourcorners.server.api.models import Moment
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.pages.knowledge.playbook_import import receive_table
from fourcorners.value import NoWord, Value

router = APIRouter(tags=["Playbooks"], route_class=ApiRoute)
_Playbook = Annotated[str, Path(max_length=200, description="Its id.", examples=["due-diligence"])]
_Collection = Annotated[
    str, Query(max_length=500, description="Where it belongs, if several collections have one.")
]
_MOST = 2**31 - 1
_Number = Annotated[int, Path(ge=1, le=_MOST, description="As its versions are listed.")]
_YAML = "application/yaml"


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
    number: int | None = Field(
        default=None,
        description="Which of the versions that were saved: 1 for the first; null for a playbook "
        "of the package.",
    )
    collection: str = Field(default="", description="Where it belongs; empty for all collections.")
    provisions: list[ProvisionValue]

    @classmethod
    def from_playbook(
        cls, book: Playbook, collection: str = "", number: int | None = None
    ) -> PlaybookValue:
        provisions = [ProvisionValue.make(each, query=str(each.query)) for each in book.provisions]
        return cls.make(book, provisions=provisions, collection=collection, number=number)


class PlaybookText(Value):
    """A playbook as its file has it."""

    text: str = Field(max_length=MAX_BYTES, description="YAML.")


class PlaybookDraft(PlaybookText):
    """A playbook to be kept in the library."""

    before: Annotated[int, Field(ge=1), NoWord] | None = Field(
        default=None,
        description="The number of the version that was edited, as its versions are listed; null "
        "for a new playbook. Where somebody else saved meanwhile, nothing is kept.",
    )
    collection: str = Field(
        default="",
        max_length=500,
        description="Where a new playbook belongs: only who may read this collection sees it, and "
        "only its reviews can use it. Empty for all collections.",
    )


class PlaybookVersionValue(Value):
    """A version of a playbook of the house."""

    number: int = Field(description="1 for the first that was saved, as the page has it.")
    by: str
    at: Moment
    text: str


class TrialRequest(Value):
    """What a playbook is tried on: a contract, or words; and which playbook, if not as saved."""

    document: str = Field(default="", max_length=40, examples=["2843aeec286e22ab"])
    words: str = Field(default="", max_length=MAX_BYTES)
    text: str = Field(
        default="", max_length=MAX_BYTES, description="YAML to be tried instead of what is saved."
    )


def _value(book: Playbook, versions: Sequence[PlaybookVersion]) -> PlaybookValue:
    """Return a playbook, with where its last version belongs and the number of that."""
    if not versions:
        return PlaybookValue.from_playbook(book)
    return PlaybookValue.from_playbook(book, versions[0].collection, versions[0].number)


@router.get("/playbooks")
def list_playbooks(
    context: Context,
    collection: Annotated[
        str, Query(max_length=500, description="Only those by which this can be reviewed.")
    ] = "",
) -> list[PlaybookValue]:
    """List the playbooks that come with the package, and the house's own."""
    with context.access() as access:
        listed = playbooks.list_playbooks(access, collection)
    return [
        PlaybookValue.from_playbook(each.book, each.collection, each.number)
        for each in listed
        if each.book
    ]


@router.get("/playbooks/{playbook}")
def get_playbook(
    context: Context, playbook: _Playbook, collection: _Collection = ""
) -> PlaybookValue:
    """Return a playbook."""
    with context.access() as access:
        book = playbooks.load_playbook(access, playbook, collection)
        held = playbooks.playbook_versions(access, playbook, collection)
    return _value(book, held)


@router.get(
    "/playbooks/{playbook}/file",
    response_class=PlainTextResponse,
    responses={200: {"content": {_YAML: {}}}},
)
def get_playbook_file(
    context: Context, playbook: _Playbook, collection: _Collection = ""
) -> PlainTextResponse:
    """Return a playbook as its file has it."""
    with context.access() as access:
        text = playbooks.playbook_text(access, playbook, collection)
    return PlainTextResponse(text, media_type=_YAML)


@router.get("/playbooks/{playbook}/versions")
def list_playbook_versions(
    context: Context, playbook: _Playbook, collection: _Collection = ""
) -> list[PlaybookVersionValue]:
    """List the versions of a playbook of the house, the last first."""
    with context.access() as access:
        playbooks.playbook_text(access, playbook, collection)  # there is such a one
        held = playbooks.playbook_versions(access, playbook, collection)
    return [PlaybookVersionValue.make(each) for each in held]


@router.get("/playbooks/{playbook}/versions/{number}")
def get_playbook_version(
    context: Context, playbook: _Playbook, number: _Number, collection: _Collection = ""
) -> PlaybookVersionValue:
    """Return one version of a playbook of the house."""
    with context.access() as access:
        held = playbooks.playbook_version(access, playbook, number, collection)
    return PlaybookVersionValue.make(held)


@router.get("/playbooks/{playbook}/comparison")
def compare_playbook_versions(
    context: Context,
    playbook: _Playbook,
    before: Annotated[int, Query(ge=1, le=_MOST)],
    after: Annotated[int, Query(ge=1, le=_MOST)],
    collection: _Collection = "",
) -> VersionComparison:
    """Return what differs between two versions of a playbook of the house, by their numbers."""
    with context.access() as access:
        return compare_versions(access, playbook, before, after, collection)


@router.post("/playbooks/{playbook}/versions/{number}/restore")
def restore_playbook_version(
    context: Context, playbook: _Playbook, number: _Number, collection: _Collection = ""
) -> PlaybookValue:
    """Keep an earlier version of a playbook of the house as its last one.

    It needs the role of an editor of its collection, or of the whole library.
    """
    with context.access() as access:
        book, home = playbooks.restore_version(access, playbook, number, collection)
        return _value(book, playbooks.playbook_versions(access, book.id, home))


@router.post("/playbooks", status_code=201)
def save_playbook(context: Context, draft: PlaybookDraft) -> PlaybookValue:
    """Keep a playbook of the house under the id in its text; faults are reported by line.

    It needs the role of an editor of its collection, or of the whole library.
    """
    with context.access() as access:
        home = " ".join(draft.collection.split())
        book, home = playbooks.save_draft(access, draft.text, draft.before, home)
        saved = _value(book, playbooks.playbook_versions(access, book.id, home))
    where = f"?{urlencode({'collection': saved.collection})}" if saved.collection else ""
    context.set_location(f"/api/v1/playbooks/{saved.id}{where}")
    return saved


@router.post("/playbook-checks")
def check_playbook(context: Context, draft: PlaybookText) -> PlaybookValue:  # noqa: ARG001
    """Read a playbook without keeping it; faults are reported by line."""
    return PlaybookValue.from_playbook(playbooks.parse_cached(draft.text))


@router.post("/playbook-imports")
def import_playbook(
    context: Context,
    file: Annotated[UploadFile, File(description="A Word file or an Excel workbook.")],
    name: Annotated[str, Form(max_length=200)] = "",
    columns: Annotated[
        list[TableField | Literal[""]] | None,
        Form(description="What each column is, in order; as the headings suggest if left out."),
    ] = None,
) -> ImportedPlaybook:
    """Make a playbook of a table, a row for each clause; nothing is kept.

    Send the text to `POST /playbooks` to keep it. It needs the role of an editor.
    """
    table = receive_table(context, file, name)
    if columns is not None:
        chosen = [each or None for each in columns]
        table = ImportedTable.from_fields(**table.model_dump() | {"columns": chosen})
    with context.access() as access:
        return operation.import_playbook(access, table)


@router.post("/playbooks/{playbook}/trial")
def try_playbook(
    context: Context, playbook: _Playbook, trial: TrialRequest, collection: _Collection = ""
) -> list[FindingValue]:
    """Return what a playbook finds in a contract, or in words; nothing of it is kept."""
    with context.access() as access:
        book = playbooks.load_playbook(access, playbook, collection)
        if trial.text:
            book = playbooks.parse_cached(trial.text)
        found = playbooks.try_playbook(
            access, context.state.engines, book, document=trial.document, text=trial.words
        )
    return [FindingValue.from_finding(each) for each in found]
