"""Playbooks: list, read, edit with faults by line, and try on a contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError, PlaybookError
from fourcorners.playbooks.faults import PlaybookFaults
from fourcorners.playbooks.load import MAX_BYTES, builtin
from fourcorners.playbooks.playbook import Playbook
from fourcorners.playbooks.start import starter
from fourcorners.reports.grid import SEVERITY_WORDS, STATE_WORDS
from fourcorners.server import books
from fourcorners.server.access import Access
from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.principal import Role
from fourcorners.server.refusals import Conflict, NotAllowed, NotFound
from fourcorners.server.trying import tried

router = APIRouter()
_Text = Annotated[str, Form(max_length=MAX_BYTES)]
_Short = Annotated[str, Form(max_length=200)]


@dataclass(frozen=True, slots=True)
class Listed:
    """A playbook in the list; `fault` where it does not hold the schema any more."""

    id: str
    book: Playbook | None
    own: bool
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a text, with its line from 1; 0 where no line is to blame."""

    line: int
    where: str
    what: str
    remedy: str = ""


@router.get("/playbooks")
def listed(desk: Desk) -> Response:
    """List the playbooks of the package and of the house."""
    with desk.access() as access:
        library = access.common()
        shown = []
        for name in books.names(library):
            try:
                shown.append(Listed(name, books.load(library, name), name not in builtin()))
            except PlaybookError as error:
                shown.append(Listed(name, None, own=True, fault=error.message))
    return desk.page("playbooks.html.j2", playbooks=shown, may_edit=_may_edit(desk))


@router.get("/playbooks/new")
def new(desk: Desk, extends: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Offer a text to start from."""
    if extends and extends not in builtin():
        raise NotFound(f"no playbook of the package is called {extends[:60]!r}.")
    return _editor(desk, starter("My playbook", extends=extends), None)


@router.post("/playbooks/check")
def check(desk: Desk, text: _Text) -> Response:
    """Return what is wrong with a text, by line."""
    return desk.page("_faults.html.j2", faults=_faults(text), book=_valid(text))


@router.post("/playbooks/save")
def save(desk: Desk, text: _Text, before: _Short = "") -> Response:
    """Keep a house playbook; with faults, or where another saved meanwhile, the text comes back."""
    number = int(before) if before.isascii() and before.isdigit() else None
    faults = _faults(text)
    if not faults:
        try:
            with desk.access() as access:
                library = access.whole_library(Role.EDITOR)
                book = books.save(library, text, by=desk.principal.name, before=number)
        except Conflict as error:
            faults = [Fault(0, "", error.message, error.remedy)]
        else:
            return desk.see(f"/playbooks/{book.id}")
    return _editor(desk, text, number, faults)


@router.post("/playbooks/try")
def try_text(
    desk: Desk, text: _Text, document: _Short = "", words: _Text = "", before: _Short = ""
) -> Response:
    """Try a text, saved or not, on a contract or on pasted words."""
    faults = _faults(text)
    if faults:
        number = int(before) if before.isascii() and before.isdigit() else None
        return _editor(desk, text, number, faults)
    return _tried(desk, books.parsed(text), document, words)


@router.get("/playbooks/{name}")
def show(desk: Desk, name: str) -> Response:
    """Show a playbook whole, with what it takes from the one it extends."""
    with desk.access() as access:
        library = access.common()
        text = books.text_of(library, name)
        versions = [] if name in builtin() else books.versions(library, name)
        documents = _documents(access)
    book = _valid(text) if name not in builtin() else books.load_builtin(name)
    return desk.page(
        "playbook.html.j2",
        name=name,
        book=book,
        faults=[] if book else _faults(text),
        text=text,
        own=name not in builtin(),
        versions=versions,
        documents=documents,
        may_edit=_may_edit(desk),
    )


@router.get("/playbooks/{name}/edit")
def edit(desk: Desk, name: str) -> Response:
    """Offer a house playbook to be edited; one of the package is extended instead."""
    if name in builtin():
        return desk.see(f"/playbooks/new?extends={name}")
    with desk.access() as access:
        saved = books.saved(access.common(), name)
    return _editor(desk, saved.text, saved.number)


@router.post("/playbooks/{name}/try")
def try_saved(desk: Desk, name: str, document: _Short = "", words: _Text = "") -> Response:
    """Try a playbook on a contract or on pasted words."""
    with desk.access() as access:
        book = books.load(access.common(), name)
    return _tried(desk, book, document, words)


def _tried(desk: DeskOf, book: Playbook, document: str, words: str) -> Response:
    if not document and not words.strip():
        raise ConfigError("try it on what?", remedy="Choose a contract, or paste some words.")
    with desk.access() as access:
        title, library = "The words that were pasted", access.common()
        if document:
            library = access.library_of(document, Role.READER)
            title = access.visible(document).entry.title
            access.text(document)  # that it was read stands in the audit trail
        outcomes = tried(library, desk.office.engines, book, document=document, text=words)
    return desk.page(
        "_tried.html.j2" if desk.is_partial else "tried.html.j2",
        book=book,
        title=title,
        document=document,
        outcomes=[
            (provision, each.finding)
            for provision, each in zip(book.provisions, outcomes, strict=True)
        ],
        state_words=STATE_WORDS,
        severity_words=SEVERITY_WORDS,
    )


def _editor(
    desk: DeskOf, text: str, before: int | None, faults: list[Fault] | None = None
) -> Response:
    if not _may_edit(desk):
        raise NotAllowed(
            "this needs the role 'editor' in the whole library.",
            remedy="Ask whoever administers this library for it.",
        )
    with desk.access() as access:
        documents = _documents(access)
    return desk.page(
        "playbook_edit.html.j2",
        422 if faults else 200,
        text=text,
        before="" if before is None else before,
        faults=faults or [],
        book=None,
        documents=documents,
    )


def _faults(text: str) -> list[Fault]:
    try:
        books.parsed(text)
    except PlaybookFaults as error:
        return [Fault(each.line, each.path, each.what, each.remedy) for each in error.problems]
    except PlaybookError as error:
        return [Fault(0, "", error.message, error.remedy)]
    return []


def _valid(text: str) -> Playbook | None:
    return None if _faults(text) else books.parsed(text)


def _documents(access: Access) -> list[tuple[str, str]]:
    """Return the contracts that a playbook can be tried on, by name; not more than are read."""
    return [(each.id, f"{each.title} ({each.name})") for each in access.documents()][:500]


def _may_edit(desk: DeskOf) -> bool:
    return (desk.principal.overall or 0) >= Role.EDITOR
