"""Playbooks: list, read, edit with faults by line, and try on a contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import BaseModel, Field

from fourcorners.errors import ConfigError, FourcornersError, PlaybookError
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.knowledge.playbook_comparison import compare_versions
from fourcorners.operations.knowledge.playbook_imports import ImportedPlaybook
from fourcorners.operations.knowledge.playbooks import try_playbook
from fourcorners.operations.principal import Role
from fourcorners.playbooks.file.edits import set_value
from fourcorners.playbooks.file.schema import PlaybookFileError
from fourcorners.playbooks.file.source import FileProblem
from fourcorners.playbooks.load import MAX_BYTES, builtin_names
from fourcorners.playbooks.playbook import Playbook
from fourcorners.playbooks.write import provision_id, starter_yaml, unused_id
from fourcorners.reports.grid import SEVERITY_WORDS, STATE_WORDS
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.nul import read_form
from fourcorners.server.pages.knowledge.playbook_form import (
    FIELD,
    apply_form,
    name_after,
    playbook_form,
)

router = APIRouter()
_Text = Annotated[str, Form(max_length=MAX_BYTES)]
_Short = Annotated[str, Form(max_length=200)]
_MOST_FIELDS = 5_000  # of a form: a large playbook has some 1,500
_Home = Annotated[str, Form(max_length=500)]
_Collection = Annotated[str, Query(max_length=500)]
_NEW = "My playbook"
_MOST_LISTED = 500  # contracts that a playbook is offered to be tried on


@router.get("/playbooks")
def list_playbooks(context: Context) -> Response:
    with context.access() as access:
        listed = playbooks.list_playbooks(access)
        may_make = context.principal.has_role(Role.EDITOR)
        shown = [
            (each, playbooks.may_edit(access, each.collection) if each.is_own else may_make)
            for each in listed
        ]
    return context.page("playbooks.html.j2", playbooks=shown, may_make=may_make)


@router.get("/playbooks/new")
def new_playbook(context: Context, extends: Annotated[str, Query(max_length=200)] = "") -> Response:
    if extends and extends not in builtin_names():
        raise NotFound(f"no playbook of the package is called {extends[:60]!r}.")
    with context.access() as access:
        taken = playbooks.playbook_names(access)
    text = name_after(starter_yaml(_NEW, extends=extends), _NEW, taken)
    return _editor(context, text, None)


@router.post("/playbooks/check")
def check(context: Context, text: _Text) -> Response:
    return context.page("_faults.html.j2", faults=_faults(text), book=_valid(text))


@router.post("/playbooks/form")
async def fill_form(
    request: Request,
    context: Context,
    text: _Text,
    drawn: _Text = "",
    before: _Short = "",
    do: _Short = "",
    c: _Home = "",
) -> Response:
    """Take what was changed in the form into the YAML, and draw both views again."""
    fields = await _form_fields(request)

    def draw() -> Response:
        changed, problem = _with_form(text, drawn, fields, do)
        if not before and not problem:
            changed = _with_unique_id(context, changed, drawn)
        faults = [problem] if problem else _faults(changed)
        if context.is_partial:
            return context.page("_playbook_views.html.j2", 200, **_views(changed, faults))
        return _editor(context, changed, _number(before), faults, home=c)

    return await run_in_threadpool(draw)


class _SaveForm(BaseModel):
    """The editor's fields, and what to do where the name is another one: `rename` or `new`.

    `c` is the collection of a new playbook; empty for all.
    """

    text: Annotated[str, Field(max_length=MAX_BYTES)]
    drawn: Annotated[str, Field(max_length=MAX_BYTES)] = ""
    before: Annotated[str, Field(max_length=200)] = ""
    as_: Annotated[Literal["", "rename", "new"], Field(alias="as")] = ""
    c: Annotated[str, Field(max_length=500)] = ""

    @property
    def row(self) -> int | None:
        return _number(self.before)


@router.post("/playbooks/save")
async def save(request: Request, context: Context, form: Annotated[_SaveForm, Form()]) -> Response:
    """Keep a house playbook; with faults, or where another saved meanwhile, the text comes back."""
    fields = await _form_fields(request)
    return await run_in_threadpool(_save, context, form, fields)


def _save(context: RequestContext, form: _SaveForm, fields: Mapping[str, str]) -> Response:
    text, problem = _with_form(form.text, form.drawn, fields)
    if form.row is None and not problem:
        text = _with_unique_id(context, text, form.drawn)
    faults, row = [problem] if problem else _faults(text), form.row
    if not faults:
        try:
            with context.access() as access:
                edited = playbooks.edited_version(access, form.row)
                home = edited.collection if edited else form.c
                book = playbooks.parse_cached(text)
                former = _valid(edited.text) if edited and edited.id == book.id else None
                renamed = former is not None and former.name != book.name
                if renamed and form.as_ == "new":
                    taken = playbooks.playbook_names(access)
                    text = set_value(text, ("id",), unused_id(provision_id(book.name), taken))
                    edited, row, renamed = None, None, False
                if not renamed or form.as_ == "rename":
                    book, home = playbooks.save_playbook(access, text, edited, collection=home)
                    renamed = False
        except FourcornersError as error:
            if not isinstance(error, Conflict | PlaybookError):
                raise
            faults = [_problem(error)]
        else:
            if renamed and former is not None:
                return _editor(context, text, row, renamed=(former.name, book.name))
            return context.redirect(playbook_href(book.id, home))
    return _editor(context, text, row, faults, home=form.c)


def _with_unique_id(context: RequestContext, text: str, drawn: str) -> str:
    """Return the text of a new playbook under an id that its name makes."""
    form = playbook_form(drawn)
    with context.access() as access:
        taken = playbooks.playbook_names(access)
    return name_after(text, form.fields[0].value if form else "", taken)


@router.post("/playbooks/try")
def try_text(
    context: Context,
    text: _Text,
    document: _Short = "",
    words: _Text = "",
    before: _Short = "",
    c: _Home = "",
) -> Response:
    faults = _faults(text)
    if faults:
        return _editor(context, text, _number(before), faults, home=c)
    return _try_playbook(context, playbooks.parse_cached(text), document, words)


@router.get("/playbooks/{name}")
def show(context: Context, name: str, c: _Collection = "") -> Response:
    """Show a playbook whole, with what it takes from the one it extends."""
    with context.access() as access:
        text = playbooks.playbook_text(access, name, c)
        versions = playbooks.playbook_versions(access, name, c)
        home = versions[0].collection if versions else ""
        documents = _documents(access)
        may_edit = (
            playbooks.may_edit(access, home) if versions else access.principal.has_role(Role.EDITOR)
        )
    book = _valid(text) if name not in builtin_names() else playbooks.load_builtin(name)
    return context.page(
        "playbook.html.j2",
        name=name,
        book=book,
        faults=[] if book else _faults(text),
        text=text,
        own=name not in builtin_names(),
        home=home,
        versions=versions,
        documents=documents,
        may_edit=may_edit,
    )


@router.get("/playbooks/{name}/versions")
def show_versions(
    context: Context,
    name: str,
    before: Annotated[int, Query(ge=0)] = 0,
    after: Annotated[int, Query(ge=0)] = 0,
    c: _Collection = "",
) -> Response:
    """List the versions of a house playbook, and compare two, by default the last two."""
    with context.access() as access:
        home = playbooks.last_version(access, name, c).collection
        versions = playbooks.playbook_versions(access, name, c)
        may_edit = playbooks.may_edit(access, home)
        numbers = [each.number for each in versions]
        after = after or numbers[0]
        before = before or next((each for each in numbers if each < after), after)
        compared = compare_versions(access, name, before, after, c)
    book = _valid(versions[0].text)
    return context.page(
        "playbook_versions.html.j2",
        name=name,
        title=book.name if book else name,
        versions=versions,
        compared=compared,
        home=home,
        may_edit=may_edit,
    )


@router.post("/playbooks/{name}/restore")
def restore(
    context: Context, name: str, number: Annotated[int, Form(ge=1)], c: _Home = ""
) -> Response:
    with context.access() as access:
        _, home = playbooks.restore_version(access, name, number, c)
    return context.redirect(playbook_href(name, home, "/versions"))


@router.get("/playbooks/{name}/edit")
def edit(context: Context, name: str, c: _Collection = "") -> Response:
    """Offer a house playbook to be edited; one of the package is extended instead."""
    if name in builtin_names():
        return context.redirect(f"/playbooks/new?extends={name}")
    with context.access() as access:
        saved = playbooks.last_version(access, name, c)
    return _editor(context, saved.text, saved.row)


@router.post("/playbooks/{name}/try")
def try_saved(
    context: Context, name: str, document: _Short = "", words: _Text = "", c: _Home = ""
) -> Response:
    with context.access() as access:
        book = playbooks.load_playbook(access, name, c)
    return _try_playbook(context, book, document, words)


def _try_playbook(context: RequestContext, book: Playbook, document: str, words: str) -> Response:
    with context.access() as access:
        title = access.visible(document).entry.title if document else "Pasted text"
        words = "" if document else words
        found = try_playbook(access, context.state.engines, book, document=document, text=words)
    return context.page(
        "_tried.html.j2" if context.is_partial else "tried.html.j2",
        book=book,
        title=title,
        document=document,
        outcomes=[*zip(book.provisions, found, strict=True)],
        state_words=STATE_WORDS,
        severity_words=SEVERITY_WORDS,
    )


def show_editor(context: RequestContext, text: str, made: ImportedPlaybook) -> Response:
    """Show a new playbook that was made elsewhere, with its faults and what it leaves open."""
    return _editor(context, text, None, _faults(text), made=made)


def _editor(
    context: RequestContext,
    text: str,
    before: int | None,
    faults: list[FileProblem] | None = None,
    *,
    renamed: tuple[str, str] | None = None,
    made: ImportedPlaybook | None = None,
    home: str = "",
) -> Response:
    with context.access() as access:
        homes = playbooks.playbook_homes(access)
        if edited := playbooks.edited_version(access, before):
            home, homes = edited.collection, [edited.collection]
            playbooks.library_at(access, home)
        documents = _documents(access)
    return context.page(
        "playbook_edit.html.j2",
        422 if faults else 200,
        before="" if before is None else before,
        documents=documents,
        renamed=renamed,
        made=made,
        home=home,
        homes=homes,
        **_views(text, faults or []),
    )


def _views(text: str, faults: list[FileProblem]) -> dict[str, Any]:
    """Return what both views of a playbook are drawn from."""
    book = None if faults else _valid(text)
    return {"text": text, "faults": faults, "book": book, "form": playbook_form(text)}


def playbook_href(name: str, home: str, part: str = "") -> str:
    query = f"?{urlencode({'c': home})}" if home else ""
    return f"/playbooks/{quote(name, safe='')}{part}{query}"


async def _form_fields(request: Request) -> dict[str, str]:
    form = await read_form(request, max_files=0, max_fields=_MOST_FIELDS)
    return {
        name: value
        for name, value in form.multi_items()
        if name.startswith(FIELD) and isinstance(value, str)
    }


def _with_form(
    text: str, drawn: str, fields: Mapping[str, str], action: str = ""
) -> tuple[str, FileProblem | None]:
    """Return the text with what the form changed, and why it could not be."""
    try:
        return apply_form(text, drawn.replace("\r\n", "\n"), fields, action), None
    except ConfigError as error:
        return text, _problem(error)


def _faults(text: str) -> list[FileProblem]:
    try:
        playbooks.parse_cached(text)
    except PlaybookFileError as error:
        return list(error.problems)
    except PlaybookError as error:
        return [_problem(error)]
    return []


def _problem(error: FourcornersError) -> FileProblem:
    """Return an error of a text that no line is to blame for."""
    return FileProblem(0, "", error.message, remedy=error.remedy)


def _number(before: str) -> int | None:
    return int(before) if before.isascii() and before.isdigit() else None


def _valid(text: str) -> Playbook | None:
    return None if _faults(text) else playbooks.parse_cached(text)


def _documents(access: Access) -> list[tuple[str, str]]:
    """Return the contracts that a playbook can be tried on, by title; not more than are read."""
    entries = access.documents()[:_MOST_LISTED]
    return [(each, str(called)) for each, called in access.titles(e.id for e in entries).items()]
