"""Reviews: those there are, a new one, and the grid of one: documents by provisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import JSONResponse, Response

from fourcorners.library.tokens import folded
from fourcorners.playbooks.playbook import Playbook
from fourcorners.reports.grid import REVIEW_WORDS, SEVERITIES, SEVERITY_WORDS, STATE_WORDS
from fourcorners.server import books
from fourcorners.server.access import Access
from fourcorners.server.columns import asking
from fourcorners.server.columns.asking import Standing
from fourcorners.server.columns.kept import MAX_QUESTION
from fourcorners.server.day import grid_of
from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.doing import reviewing
from fourcorners.server.grid.asked import Asked, asked, fitting, shown
from fourcorners.server.grid.filled import filled
from fourcorners.server.grid.matrix import Matrix
from fourcorners.server.grid.windows import counts, following, window
from fourcorners.server.principal import Role
from fourcorners.server.tasks import Task, TaskState

router = APIRouter()
_PAGE = 50  # rows of a page without scripts, if they have few cells
_CELLS = 1000  # cells of such a page, about
_WINDOW = 120  # rows of a window at most
Grid = Annotated[Asked, Depends(asked)]


@dataclass(frozen=True, slots=True)
class Done:
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
        return Asked(self.collection, self.playbook.id).query()


@router.get("/reviews")
def reviews(
    desk: Desk,
    c: Annotated[str, Query(max_length=500)] = "",
    p: Annotated[str, Query(max_length=200)] = "due-diligence",
) -> Response:
    """List the reviews, and offer a new one."""
    with desk.access() as access:
        names = [each.name for each in access.collections()]
        known = books.usable(access.common())
        done = _done(access, known)
    running = _running(desk)
    listed = [
        Done(name, book, cells, filled, last, running.get((folded(name), book.id)))
        for name, book, cells, filled, last in done
    ]
    may = [name for name in names if desk.principal.may(Role.REVIEWER, name)]
    return desk.page(
        "reviews.html.j2", reviews=listed, collections=may, books=known, chosen=c, book=p
    )


@router.post("/reviews")
def start(
    desk: Desk,
    c: Annotated[str, Form(max_length=500)],
    p: Annotated[str, Form(max_length=200)],
    again: Annotated[str, Form(max_length=3)] = "",
) -> Response:
    """Begin a review, and go to its grid, which fills as it is done."""
    with desk.access() as access:
        access.require(Role.REVIEWER, c)
        book = books.load(access.library_for(c, Role.REVIEWER), p)
    if (folded(c), book.id) not in _running(desk):
        spec = {"playbook": book.id, "again": "yes" if again else ""}
        desk.start(reviewing.KIND, reviewing.LANE, c, spec)
    asking.catch_up(desk, c, book.id)
    return desk.see(f"/reviews/grid?{Asked(c, book.id).query()}")


@router.get("/reviews/grid")
def grid(desk: Desk, wanted: Grid, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1) -> Response:
    """Show the grid: the rows of one page, which scripts make one long list."""
    asked_columns = asking.standing(desk, wanted.collection, wanted.playbook)
    task = _running(desk).get((folded(wanted.collection), wanted.playbook))
    with desk.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load(library, wanted.playbook)
        matrix = grid_of(desk.office.shelf, access, wanted.collection, book)
        fit = fitting(matrix, wanted)
        size = page_rows(len(shown(matrix, wanted)))
        last = max(1, -(-len(fit.rows) // size))
        page = min(page, last)
        rows = window(library, matrix, wanted, fit, (page - 1) * size, size)
    assigned = sorted({each.assigned for each in list(matrix.said.values()) if each.assigned})
    return desk.page(
        "grid.html.j2",
        asked=wanted,
        book=book,
        columns=[matrix.columns[n] for n in shown(matrix, wanted)],
        all_columns=matrix.columns,
        asked_columns={each.column.provision: each.column for each in asked_columns},
        stopped=_stopped(asked_columns),
        looks=looks(matrix, wanted),
        counts=counts(matrix, wanted),
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
        has_model=asking.has_model(desk),
        model=desk.office.settings.llm.model,
        longest=MAX_QUESTION,
        state_words=STATE_WORDS,
        severity_words={each: SEVERITY_WORDS[each] for each in SEVERITIES},
        review_words=REVIEW_WORDS,
        cell_href=cell_href(wanted),
        may_mark=desk.principal.may(Role.REVIEWER, wanted.collection),
    )


@router.get("/reviews/rows")
def rows(
    desk: Desk,
    wanted: Grid,
    start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    count: Annotated[int, Query(ge=1, le=_WINDOW)] = _PAGE,
    left: Annotated[int, Query(ge=0, le=10_000)] = 0,
    across: Annotated[int, Query(ge=1, le=10_000)] = 10_000,
) -> Response:
    """Return a window of rows, as the grid has them, with so many columns from the left one on."""
    with desk.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load(library, wanted.playbook)
        matrix = grid_of(desk.office.shelf, access, wanted.collection, book)
        fit = fitting(matrix, wanted)
        cut = slice(left, left + across)
        shown_rows = window(library, matrix, wanted, fit, start, count, cut)
    answer = desk.page(
        "_grid_rows.html.j2",
        rows=shown_rows,
        cell_href=cell_href(wanted),
        left=left,
        scripted=True,
    )
    answer.headers["X-Rows"] = str(len(fit.rows))
    answer.headers["X-Version"] = str(matrix.version)
    answer.headers["X-Columns"] = looks(matrix, wanted)
    return answer


@router.get("/reviews/next")
def next_open(
    desk: Desk,
    wanted: Grid,
    row: Annotated[int, Query(ge=-1, le=10_000_000)] = -1,
    column: Annotated[int, Query(ge=-1, le=10_000)] = -1,
) -> Response:
    """Return where the next finding is that nobody has checked: row and column, or null."""
    with desk.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load(library, wanted.playbook)
        matrix = grid_of(desk.office.shelf, access, wanted.collection, book)
        place = following(matrix, wanted, fitting(matrix, wanted), row, column)
    return JSONResponse(None if place is None else {"row": place[0], "column": place[1]})


@router.get("/reviews/progress")
def progress(desk: Desk, wanted: Grid) -> Response:
    """Return how far the review is, and what the grid comes to so far."""
    asked_columns = asking.standing(desk, wanted.collection, wanted.playbook)
    task = _running(desk).get((folded(wanted.collection), wanted.playbook))
    with desk.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        book = books.load(library, wanted.playbook)
        matrix = grid_of(desk.office.shelf, access, wanted.collection, book)
    return desk.page(
        "_grid_head.html.j2",
        asked=wanted,
        counts=counts(matrix, wanted),
        task=task,
        filling=_filling(asked_columns),
        stopped=_stopped(asked_columns),
        version=matrix.version,
    )


def page_rows(columns: int) -> int:
    """Return how many rows a page has without scripts: tens, fewer where they have many cells."""
    return max(10, min(_PAGE, _CELLS // max(1, columns) // 10 * 10))


def cell_href(wanted: Asked) -> str:
    """Return the start of the addresses of this grid's cells; document and provision follow."""
    return f"/reviews/cell?{Asked(wanted.collection, wanted.playbook).query()}"


def looks(matrix: Matrix, wanted: Asked) -> str:
    """Return what changes when other columns stand there: a page that has them loads anew."""
    names = "\n".join(matrix.provisions[n] for n in shown(matrix, wanted))
    return sha256(names.encode()).hexdigest()[:12]


def _filling(columns: Sequence[Standing]) -> list[Standing]:
    return [each for each in columns if each.at_work]


def _stopped(columns: Sequence[Standing]) -> list[Standing]:
    """Return the columns whose last task failed, and nobody has asked for again."""
    return [each for each in columns if each.task and each.task.state is TaskState.FAILED]


def _types(matrix: Matrix) -> list[str]:
    return sorted({line.type for line in matrix.lines if line.type}, key=str.casefold)


def _running(desk: DeskOf) -> dict[tuple[str, str], Task]:
    """Return the reviews that are waited for, by collection and playbook."""
    return {
        (folded(task.collection), task.spec["playbook"]): task
        for task in desk.tasks(limit=50)
        if task.kind == reviewing.KIND and not task.state.ended
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
        for each in filled(access.common(), by_hash)
        if each.collection in sizes
    ]
    return sorted(found, key=lambda each: each[4], reverse=True)
