"""Reviews: those there are, a new one, the grid of one, and one as a file to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import JSONResponse, Response

from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.errors import NotFound
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.bulk_findings import recall_bulk_annotation
from fourcorners.operations.reviewing.exports import (
    FORMS,
    MOST_AT_ONCE,
    ExportRequest,
    count_contracts,
    load_export,
    media_type_of,
    write_export,
)
from fourcorners.operations.reviewing.reviews import ReviewRequest
from fourcorners.operations.reviewing.views import list_views
from fourcorners.reports.grid import REVIEW_WORDS, STATE_WORDS
from fourcorners.research.columns.store import MAX_QUESTION
from fourcorners.review import store
from fourcorners.review.parties import (
    Side,
    collection_parties,
    collection_sides,
    distinct_names,
    sides_version,
)
from fourcorners.server import columns as column_actions
from fourcorners.server.columns import ColumnStatus
from fourcorners.server.context import Context, RequestContext, send_file, send_written
from fourcorners.server.grid.cell_summaries import sync_position
from fourcorners.server.grid.dates import open_grid
from fourcorners.server.grid.matrix import GridMatrix
from fourcorners.server.grid.query import (
    SEVERITY_CHOICES,
    Grid,
    GridQuery,
    select_cells,
    shown_columns,
)
from fourcorners.server.grid.reviews import (
    list_progress,
    review_playbook_versions,
    review_tasks,
    start_review,
)
from fourcorners.server.grid.windows import (
    answer_choices,
    count_grid,
    grid_window,
    next_open_cell,
)
from fourcorners.server.pages.reviewing.columns import KIND_WORDS
from fourcorners.server.store import exports
from fourcorners.server.tasks.handlers import export as export_task
from fourcorners.server.tasks.queue import Task, TaskState

router = APIRouter()
_PAGE = 50  # rows of a page without scripts, if they have few cells
_CELLS = 400  # cells of such a page, about: more would be heavy to send
_WINDOW = 120  # rows of a window at most
_Name = Annotated[str, Query(max_length=500)]
_Word = Annotated[str, Query(max_length=200)]
_MOST_PARTIES = 200  # that are offered where a review is begun


@router.get("/reviews")
def reviews(context: Context, c: _Name = "", p: _Word = "due-diligence") -> Response:
    with context.access() as access:
        if c:
            access.require(Role.READER, c)
        sizes = {each.name: each.documents for each in access.collections()}
        known = [each for each in playbooks.list_playbooks(access) if each.book]
    listed = [
        {
            "collection": each.collection,
            "playbook": each.playbook,
            "cells": each.cells,
            "filled": each.filled,
            "last": each.last,
            "task": each.task,
            "query": GridQuery(each.collection, each.playbook.id).to_query(),
        }
        for each in list_progress(context)
    ]
    filled = [name for name, documents in sizes.items() if documents]
    may = [name for name in filled if context.principal.may(Role.REVIEWER, name)]
    chosen = next((name for name in may if fold_name(name) == fold_name(c)), may[0] if may else "")
    read_for, parties = _side_choices(context, chosen) if chosen else ((), [])
    return context.page(
        "reviews.html.j2",
        reviews=listed,
        collections=may,
        has_contracts=bool(filled),
        may_add=context.principal.has_role(Role.EDITOR),
        playbooks=known,
        chosen=chosen,
        book=p,
        read_for=read_for,
        parties=parties,
    )


@router.get("/reviews/side")
def side(context: Context, c: _Name) -> Response:
    """Draw the fields that ask for whom a collection is read."""
    read_for, parties = _side_choices(context, c)
    return context.page("_side.html.j2", read_for=read_for, parties=parties)


def _side_choices(
    context: RequestContext, collection: str
) -> tuple[tuple[str, ...], list[tuple[str, int]]]:
    """Return for whom a collection is read, and the parties that it might be read for."""
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        return library.read_for(collection), collection_parties(library, collection)[:_MOST_PARTIES]


@router.post("/reviews")
def start(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    p: Annotated[str, Form(max_length=200)],
    again: Annotated[str, Form(max_length=3)] = "",
    read_for: Annotated[list[str] | None, Form(alias="for")] = None,
) -> Response:
    """Begin a review, and go to its grid, which fills as it is done."""
    names = None if read_for is None else distinct_names(read_for)
    asked = ReviewRequest.from_fields(collection=c, playbook=p, again=bool(again), read_for=names)
    start_review(context, asked)
    return context.redirect(f"/reviews/grid?{GridQuery(c, p).to_query()}")


@router.get("/reviews/grid")
def grid(
    context: Context,
    wanted: Grid,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    done: Annotated[int, Query(ge=0, le=1 << 60)] = 0,
) -> Response:
    """Show the grid: the rows of one page, which scripts make one long list.

    `done` is what the visitor just did to many findings, by its entry in the audit trail.
    """
    asked_columns = column_actions.list_columns(context, wanted.collection, wanted.playbook)
    tasks = review_tasks(context, wanted.collection, wanted.playbook)
    with context.access() as access:
        saved_views = list_views(access, wanted.collection, wanted.playbook)
        marked = recall_bulk_annotation(access, done, wanted.collection) if done else None
    with open_grid(context, wanted) as (library, matrix):
        fit = select_cells(matrix, wanted)
        size = _page_rows(len(shown_columns(matrix, wanted)))
        last = max(1, -(-len(fit.rows) // size))
        page = min(page, last)
        rows = grid_window(library, matrix, wanted, fit, (page - 1) * size, size)
        sides = collection_sides(library, wanted.collection)
        stale = _count_stale(library, matrix, wanted.collection, sides)
        read_for = library.read_for(wanted.collection)
        damaged = [str(each) for each in library.left_out(wanted.collection)]
    assigned = {each.assigned for each in list(matrix.annotations.values()) if each.assigned}
    types = {line.type for line in matrix.rows if line.type}
    return context.page(
        "grid.html.j2",
        asked=wanted,
        damaged=damaged,
        book=matrix.playbook,
        columns=[matrix.columns[n] for n in shown_columns(matrix, wanted)],
        all_columns=matrix.columns,
        asked_columns={each.column.provision: each.column for each in asked_columns},
        stopped=_stopped_columns(asked_columns),
        looks=_columns_digest(matrix, wanted),
        counts=count_grid(matrix, shown_columns(matrix, wanted)),
        contracts=len(matrix.rows),
        families=bool(matrix.heads),
        rows=rows,
        fitting=fit,
        number=page,
        last=last,
        version=matrix.version,
        versions=review_playbook_versions(context, wanted.collection, matrix.playbook.id),
        types=[(each, each) for each in sorted(types, key=str.casefold)],
        column_choices=[(each.id, each.name) for each in matrix.columns],
        people=[(each, each) for each in sorted(assigned)],
        answers=answer_choices(matrix, wanted),
        **tasks,
        filling=[each for each in asked_columns if each.is_busy],
        has_model=column_actions.has_model(context),
        model=context.state.settings.llm.model,
        longest=MAX_QUESTION,
        kinds=KIND_WORDS,
        state_words=STATE_WORDS,
        severity_words=SEVERITY_CHOICES,
        review_words=REVIEW_WORDS,
        cell_href=cell_href(wanted),
        may_mark=context.principal.may(Role.REVIEWER, wanted.collection),
        may_edit=context.principal.may(Role.EDITOR, wanted.collection),
        read_for=read_for,
        done=marked,
        back=wanted.to_query(),
        saved_views=saved_views,
        for_nobody=sum(not each.names for each in sides.values()),
        stale=stale,
    )


def _count_stale(
    library: Library, matrix: GridMatrix, collection: str, sides: Mapping[str, Side]
) -> int:
    """Return how many contracts were reviewed for others than they are read for now."""
    known: VersionedCache[int] = library.memory.cache("stale")
    book = matrix.playbook
    first = [provision.id for provision in book.provisions[:1]]  # cells are stored by document
    made = sync_position(library, book).made
    return known.get(
        sides_version(library),
        (fold_name(collection), book.hash, matrix.version, made),
        lambda: len(store.stale_documents(library, book, sides, first)),
    )


@router.get("/reviews/rows")
def rows(
    context: Context,
    wanted: Grid,
    start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    count: Annotated[int, Query(ge=1, le=_WINDOW)] = _PAGE,
    left: Annotated[int, Query(ge=0, le=10_000)] = 0,
    across: Annotated[int, Query(ge=1, le=10_000)] = 10_000,
) -> Response:
    """Return a window of rows, as the grid has them, with so many columns from the left one on."""
    with open_grid(context, wanted) as (library, matrix):
        fit = select_cells(matrix, wanted)
        cut = slice(left, left + across)
        shown_rows = grid_window(library, matrix, wanted, fit, start, count, cut)
    answer = context.page(
        "_grid_rows.html.j2",
        rows=shown_rows,
        cell_href=cell_href(wanted),
        left=left,
        scripted=True,
    )
    answer.headers["X-Rows"] = str(len(fit.rows))
    answer.headers["X-Version"] = str(matrix.version)
    answer.headers["X-Columns"] = _columns_digest(matrix, wanted)
    return answer


@router.get("/reviews/next")
def next_open(
    context: Context,
    wanted: Grid,
    row: Annotated[int, Query(ge=-1, le=10_000_000)] = -1,
    column: Annotated[int, Query(ge=-2, le=10_000)] = -1,
) -> Response:
    """Return where the next finding is that nobody has checked: row and column, or null.

    If it is in a family that is closed, `open` is the query of the grid with that one opened.
    """
    with open_grid(context, wanted) as (_, matrix):
        fit, flat = select_cells(matrix, wanted), replace(wanted, opened=matrix.head_ids)
        every, query = select_cells(matrix, flat), ""
        at = int(fit.rows[row]) if 0 <= row < len(fit.rows) else -1
        start = every.rows.tolist().index(at) if at >= 0 else -1
        place = next_open_cell(matrix, wanted, every, start, max(-1, column))
        if place is None:
            return JSONResponse(None)
        found = int(every.rows[place[0]])
        if found not in fit.rows:
            head = matrix.rows[matrix.heads[found]].id
            wanted = replace(wanted, opened=(*wanted.opened, head))
            fit, query = select_cells(matrix, wanted), wanted.to_query()
    there = {"row": fit.rows.tolist().index(found), "column": place[1]}
    return JSONResponse(there | ({"open": query} if query else {}))


@router.get("/reviews/progress")
def progress(context: Context, wanted: Grid) -> Response:
    asked_columns = column_actions.list_columns(context, wanted.collection, wanted.playbook)
    tasks = review_tasks(context, wanted.collection, wanted.playbook)
    with open_grid(context, wanted) as (_, matrix):
        counts = count_grid(matrix, shown_columns(matrix, wanted))
    return context.page(
        "_grid_head.html.j2",
        asked=wanted,
        counts=counts,
        contracts=len(matrix.rows),
        **tasks,
        filling=[each for each in asked_columns if each.is_busy],
        stopped=_stopped_columns(asked_columns),
        version=matrix.version,
        may_mark=context.principal.may(Role.REVIEWER, wanted.collection),
    )


def _page_rows(columns: int) -> int:
    """Return how many rows a page has without scripts: tens, fewer where they have many cells."""
    return max(10, min(_PAGE, _CELLS // max(1, columns) // 10 * 10))


def cell_href(wanted: GridQuery) -> str:
    """Return the start of the addresses of this grid's cells; document and provision follow."""
    return f"/reviews/cell?{GridQuery(wanted.collection, wanted.playbook).to_query()}"


def _columns_digest(matrix: GridMatrix, wanted: GridQuery) -> str:
    """Return a digest that changes with the columns: a page with old ones reloads."""
    names = "\n".join(matrix.provisions[n] for n in shown_columns(matrix, wanted))
    return sha256(names.encode()).hexdigest()[:12]


def _stopped_columns(columns: Sequence[ColumnStatus]) -> list[ColumnStatus]:
    """Return the columns whose last task failed, and nobody has asked for again."""
    return [each for each in columns if each.task and each.task.state is TaskState.FAILED]


@router.get("/reviews/export")
def export(
    context: Context,
    c: _Name,
    as_: Annotated[str, Query(alias="as", max_length=20)],
    p: _Word = "due-diligence",
    documents: Annotated[list[str] | None, Query(max_length=500)] = None,
) -> Response:
    """Write a report and send it; a long one is offered as a task."""
    if as_ not in FORMS:
        raise NotFound(f"no report is called {as_!r}.", remedy=f"There are: {', '.join(FORMS)}.")
    asked = ExportRequest.from_fields(
        collection=c, playbook=p, format=as_, documents=documents or []
    )
    with context.access() as access:
        contracts = count_contracts(access, asked)
    if contracts > MOST_AT_ONCE:
        return context.page("export.html.j2", asked=asked, contracts=contracts)
    return send_review(context, asked)


@router.post("/reviews/export")
def begin_export(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    p: Annotated[str, Form(max_length=200)],
    as_: Annotated[str, Form(alias="as", max_length=20)],
    documents: Annotated[list[str] | None, Form(max_length=500)] = None,
) -> Response:
    """Begin to write a report, and show how far it is; its file is fetched from there."""
    asked = ExportRequest.from_fields(
        collection=c, playbook=p, format=as_, documents=documents or []
    )
    return context.redirect(f"/tasks/{start_export(context, asked).id}")


@router.get("/tasks/{identifier}/file")
def fetch_export(context: Context, identifier: str) -> Response:
    """Send the file that a task has written."""
    task = context.task(identifier)
    with context.access() as access:
        name, data = exports.find_file(access, task.id, task.collection)
    return send_file(name, media_type_of(name.rpartition(".")[2]), data)


def send_review(context: RequestContext, asked: ExportRequest) -> Response:
    """Write a report on a review and send it; what is written here is gone with the answer."""
    with context.access() as access:
        review = load_export(access, asked, context.state.uploads.display_path)
    name = exports.file_name(review.title, review.playbook_id, asked.format)
    by = context.principal.name
    return send_written(
        name,
        media_type_of(asked.format),
        lambda path: write_export(review, asked.format, path, by),
    )


def start_export(context: RequestContext, asked: ExportRequest) -> Task:
    """Start the task that writes a report.

    Raises as `count_contracts` does.
    """
    with context.access() as access:
        count_contracts(access, asked)
    spec = {
        "request": asked.model_dump(mode="json"),
        "uploads": str(context.state.uploads.root),
    }
    return context.start_task(export_task.KIND, export_task.LANE, asked.collection, spec)
