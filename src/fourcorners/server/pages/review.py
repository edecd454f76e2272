"""Reviews: those there are, a new one, and the grid of one: documents by provisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import JSONResponse, Response

from fourcorners.library.tokens import fold_name
from fourcorners.playbooks.playbook import Playbook
from fourcorners.reports.grid import REVIEW_WORDS, SEVERITIES, SEVERITY_WORDS, STATE_WORDS
from fourcorners.research.columns.store import MAX_QUESTION
from fourcorners.server import columns as asking
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.columns import ColumnStatus
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.grid.dates import dated_grid
from fourcorners.server.grid.matrix import GridMatrix
from fourcorners.server.grid.progress import count_filled
from fourcorners.server.grid.query import GridQuery, grid_query, select_cells, shown_columns
from fourcorners.server.grid.windows import count_cells, grid_window, next_open_cell
from fourcorners.server.store import playbook_store as books
from fourcorners.server.tasks.handlers import review as reviewing
from fourcorners.server.tasks.queue import Task, TaskState

router = APIRouter()
_PAGE = 50  # rows of a page without scripts, if they have few cells
_CELLS = 1000  # cells of such a page, about
_WINDOW = 120  # rows of a window at most
Grid = Annotated[GridQuery, Depends(grid_query)]


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A review that the library holds, whole or in part."""

    collection: str
    playbook: Playbook
    cells: int
    filled: int
    last: str
    task: Task | None

    @property
    def query(self) -> str:
        """Return what names it in an address."""
        return GridQuery(self.collection, self.playbook.id).to_query()


@router.get("/reviews")
def reviews(
    context: Context,
    c: Annotated[str, Query(max_length=500)] = "",
    p: Annotated[str, Query(max_length=200)] = "due-diligence",
) -> Response:
    """List the reviews, and offer a new one."""
    with context.access() as access:
        names = [each.name for each in access.collections()]
        known = books.usable_playbooks(access.common())
        done = _done(access, known)
    running = _running(context)
    listed = [
        StoredReview(name, book, cells, filled, last, running.get((fold_name(name), book.id)))
        for name, book, cells, filled, last in done
    ]
    may = [name for name in names if context.principal.may(Role.REVIEWER, name)]
    return context.page(
        "reviews.html.j2", reviews=listed, collections=may, books=known, chosen=c, book=p
    )


@router.post("/reviews")
def start(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    p: Annotated[str, Form(max_length=200)],
    again: Annotated[str, Form(max_length=3)] = "",
) -> Response:
    """Begin a review, and go to its grid, which fills as it is done."""
    with context.access() as access:
        access.require(Role.REVIEWER, c)
        book = books.load_playbook(access.library_for(c, Role.REVIEWER), p)
    if (fold_name(c), book.id) not in _running(context):
        spec = {"playbook": book.id, "again": "yes" if again else ""}
        context.start_task(reviewing.KIND, reviewing.LANE, c, spec)
    asking.fill_new_documents(context, c, book.id)
    return context.redirect(f"/reviews/grid?{GridQuery(c, book.id).to_query()}")


@router.get("/reviews/grid")
def grid(
    context: Context, wanted: Grid, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1
) -> Response:
    """Show the grid: the rows of one page, which scripts make one long list."""
    asked_columns = asking.list_columns(context, wanted.collection, wanted.playbook)
    task = _running(context).get((fold_name(wanted.collection), wanted.playbook))
    with context.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load_playbook(library, wanted.playbook)
        matrix = dated_grid(context.state.connection_pool, access, wanted.collection, book)
        fit = select_cells(matrix, wanted)
        size = page_rows(len(shown_columns(matrix, wanted)))
        last = max(1, -(-len(fit.rows) // size))
        page = min(page, last)
        rows = grid_window(library, matrix, wanted, fit, (page - 1) * size, size)
    assigned = sorted(
        {each.assigned for each in list(matrix.annotations.values()) if each.assigned}
    )
    return context.page(
        "grid.html.j2",
        asked=wanted,
        book=book,
        columns=[matrix.columns[n] for n in shown_columns(matrix, wanted)],
        all_columns=matrix.columns,
        asked_columns={each.column.provision: each.column for each in asked_columns},
        stopped=_stopped(asked_columns),
        looks=columns_digest(matrix, wanted),
        counts=count_cells(matrix, wanted),
        rows=rows,
        fitting=fit,
        number=page,
        last=last,
        version=matrix.version,
        types=[(each, each) for each in _types(matrix)],
        column_choices=[(each.id, each.name) for each in matrix.columns],
        people=[(each, each) for each in assigned],
        task=task,
        filling=_filling(asked_columns),
        has_model=asking.has_model(context),
        model=context.state.settings.llm.model,
        longest=MAX_QUESTION,
        state_words=STATE_WORDS,
        severity_words={each: SEVERITY_WORDS[each] for each in SEVERITIES},
        review_words=REVIEW_WORDS,
        cell_href=cell_href(wanted),
        may_mark=context.principal.may(Role.REVIEWER, wanted.collection),
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
    with context.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load_playbook(library, wanted.playbook)
        matrix = dated_grid(context.state.connection_pool, access, wanted.collection, book)
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
    answer.headers["X-Columns"] = columns_digest(matrix, wanted)
    return answer


@router.get("/reviews/next")
def next_open(
    context: Context,
    wanted: Grid,
    row: Annotated[int, Query(ge=-1, le=10_000_000)] = -1,
    column: Annotated[int, Query(ge=-1, le=10_000)] = -1,
) -> Response:
    """Return where the next finding is that nobody has checked: row and column, or null."""
    with context.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load_playbook(library, wanted.playbook)
        matrix = dated_grid(context.state.connection_pool, access, wanted.collection, book)
        place = next_open_cell(matrix, wanted, select_cells(matrix, wanted), row, column)
    return JSONResponse(None if place is None else {"row": place[0], "column": place[1]})


@router.get("/reviews/progress")
def progress(context: Context, wanted: Grid) -> Response:
    """Return how far the review is, and what the grid comes to so far."""
    asked_columns = asking.list_columns(context, wanted.collection, wanted.playbook)
    task = _running(context).get((fold_name(wanted.collection), wanted.playbook))
    with context.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load_playbook(library, wanted.playbook)
        matrix = dated_grid(context.state.connection_pool, access, wanted.collection, book)
    return context.page(
        "_grid_head.html.j2",
        asked=wanted,
        counts=count_cells(matrix, wanted),
        task=task,
        filling=_filling(asked_columns),
        stopped=_stopped(asked_columns),
        version=matrix.version,
    )


def page_rows(columns: int) -> int:
    """Return how many rows a page has without scripts: tens, fewer where they have many cells."""
    return max(10, min(_PAGE, _CELLS // max(1, columns) // 10 * 10))


def cell_href(wanted: GridQuery) -> str:
    """Return the start of the addresses of this grid's cells; document and provision follow."""
    return f"/reviews/cell?{GridQuery(wanted.collection, wanted.playbook).to_query()}"


def columns_digest(matrix: GridMatrix, wanted: GridQuery) -> str:
    """Return what changes when other columns stand there: a page that has them loads anew."""
    names = "\n".join(matrix.provisions[n] for n in shown_columns(matrix, wanted))
    return sha256(names.encode()).hexdigest()[:12]


def _filling(columns: Sequence[ColumnStatus]) -> list[ColumnStatus]:
    return [each for each in columns if each.is_busy]


def _stopped(columns: Sequence[ColumnStatus]) -> list[ColumnStatus]:
    """Return the columns whose last task failed, and nobody has asked for again."""
    return [each for each in columns if each.task and each.task.state is TaskState.FAILED]


def _types(matrix: GridMatrix) -> list[str]:
    return sorted({line.type for line in matrix.rows if line.type}, key=str.casefold)


def _running(context: RequestContext) -> dict[tuple[str, str], Task]:
    """Return the reviews that are waited for, by collection and playbook."""
    return {
        (fold_name(task.collection), task.spec["playbook"]): task
        for task in context.tasks(limit=50)
        if task.kind == reviewing.KIND and not task.state.is_final
    }


def _done(access: Access, known: list[Playbook]) -> list[tuple[str, Playbook, int, int, str]]:
    """Return what was reviewed: collection, playbook, cells, filled ones, and when the last was."""
    sizes = {each.name: each.documents for each in access.collections()}
    by_hash = {book.hash: book for book in known}
    found = [
        (
            each.collection,
            by_hash[each.playbook],
            sizes[each.collection] * len(by_hash[each.playbook].provisions),
            each.cells,
            each.last,
        )
        for each in count_filled(access.common(), by_hash)
        if each.collection in sizes
    ]
    return sorted(found, key=lambda each: each[4], reverse=True)
