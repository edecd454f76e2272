"""A playbook made of a table: choose a file, correct what its columns are, and edit the result."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from fourcorners.documents.archive.container import safe_name
from fourcorners.errors import FourcornersError
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.knowledge.playbook_imports import (
    ImportedTable,
    import_playbook,
    open_table,
)
from fourcorners.operations.principal import Role
from fourcorners.playbooks.tables import Field
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import TooLarge
from fourcorners.server.nul import read_form
from fourcorners.server.pages.knowledge.playbooks import show_editor
from fourcorners.work_folder import make_temporary_folder

router = APIRouter()
FIELD_WORDS = {
    Field.NAME: "Clause",
    Field.DEFINITION: "Definition",
    Field.PREFERRED: "Preferred position",
    Field.FALLBACK: "Fallback position",
    Field.UNACCEPTABLE: "Unacceptable position",
    Field.WORDING: "Wording of the preferred position",
    Field.REASON: "Reason",
    Field.ACTION: "What to do",
    Field.QUESTIONS: "Questions",
    Field.RISK: "Risk of the clause as found (unacceptable, if the row says what is)",
    Field.ABSENCE: "Risk if the clause is missing",
    Field.TERMS: "Search terms",
}
_ROWS = 5  # shown of the table
_TABLE = 4_000_000  # characters of a table


@router.get("/playbooks/import")
def choose_file(context: Context) -> Response:
    with context.access() as access:
        access.full_library(Role.EDITOR)
    return context.page("playbook_import.html.j2", table=None)


@router.post("/playbooks/import")
def preview(
    context: Context,
    file: Annotated[UploadFile, File()],
    name: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Show the columns of a table, and what each is taken for."""
    return _preview(context, receive_table(context, file, name))


def receive_table(context: RequestContext, file: UploadFile, name: str) -> ImportedTable:
    """Return the table of an uploaded file, of which nothing is kept."""
    with receive_file(context, file) as (access, path):
        return open_table(access, path, name=name)


@contextmanager
def receive_file(context: RequestContext, file: UploadFile) -> Iterator[tuple[Access, Path]]:
    """Lend the library and an uploaded file, which is removed afterwards."""
    from fourcorners.documents import tables

    if not file.filename:
        raise Refusal("no file was sent.", remedy="Choose a file first.")
    data = file.file.read(tables.MAX_BYTES + 1)
    if len(data) > tables.MAX_BYTES:
        raise TooLarge(f"the file is larger than {tables.MAX_BYTES >> 20} MB.", remedy="Divide it.")
    with make_temporary_folder() as folder, context.access() as access:
        path = folder / PurePath(safe_name(file.filename)).name
        path.write_bytes(data)
        try:
            yield access, path
        except FourcornersError as error:  # where it was meanwhile is nobody's concern
            error.message = error.message.replace(f"{folder}{os.sep}", "")
            raise


@router.post("/playbooks/import/make")
async def make(request: Request, context: Context) -> Response:
    """Show the playbook of a table in the editor."""
    form = await read_form(request, max_files=0, max_fields=200, max_part_size=_TABLE)
    values = {key: value for key, value in form.multi_items() if isinstance(value, str)}
    return await run_in_threadpool(_make, context, values)


def _make(context: RequestContext, values: dict[str, str]) -> Response:
    try:
        rows = json.loads(values.get("rows", ""))
        left = json.loads(values.get("left", "[]"))
    except (ValueError, RecursionError) as error:
        raise Refusal("this page has expired.", remedy="Import the file again.") from error
    width = len(rows[0]) if isinstance(rows, list) and rows and isinstance(rows[0], list) else 0
    columns = [values.get(f"column-{at}") or None for at in range(width)]
    name = " ".join(values.get("name", "").split()) or "Imported playbook"
    table = ImportedTable.from_fields(name=name, rows=rows, columns=columns, left=left)
    with context.access() as access:
        made = import_playbook(access, table)
    return show_editor(context, made.text, made)


def _preview(context: RequestContext, table: ImportedTable) -> Response:
    return context.page(
        "playbook_import.html.j2",
        table=table,
        rows=json.dumps(table.rows, ensure_ascii=False),
        left=json.dumps(table.left, ensure_ascii=False),
        some=table.rows[1 : _ROWS + 1],
        fields=FIELD_WORDS,
    )
