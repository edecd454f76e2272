"""Many findings at once: counted, asked about, marked, and taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form
from fastapi.responses import JSONResponse, Response

from fourcorners.errors import ConfigError
from fourcorners.operations.errors import Conflict, NotFound
from fourcorners.operations.principal import Role
from fourcorners.review.finding import CellState, ReviewState
from fourcorners.server.context import Context
from fourcorners.server.errors import TooLarge
from fourcorners.server.grid.bulk_annotations import (
    BulkAnnotation,
    annotate_findings,
    find_bulk_annotation,
    open_places,
    restore_findings,
)
from fourcorners.server.grid.dates import open_grid
from fourcorners.server.grid.matrix import REVIEWS, STATES, GridMatrix
from fourcorners.server.grid.query import GridQuery, parse_query, select_cells, shown_columns

router = APIRouter()
_MOST = 2_000  # cells that are marked at once
_WHICH = {
    "found": (CellState.FOUND,),
    "not_found": (CellState.NOT_FOUND,),
    "both": (CellState.FOUND, CellState.NOT_FOUND),
}
_SAYS = {each.value: each for each in (ReviewState.CONFIRMED, ReviewState.SECOND_LOOK)}
_Number = Annotated[int, Form(ge=1, le=1 << 60)]


@dataclass(frozen=True, slots=True)
class Choice:
    """The cells of a grid that are to be marked at once, as a form names them.

    Attributes:
        back: The address of the grid, with its filters.
        row: The documents that are selected; where `all` is set, those that are not.
        all: How many rows the visitor was shown and selected, all that fit; None for those named.
        option: `found`, `not_found` or `both`.
        only: One column; empty for all that are shown.
    """

    back: Annotated[str, Form(max_length=8_000)]
    row: Annotated[list[str] | None, Form(max_length=20_000)] = None
    all: Annotated[int | None, Form(ge=0, le=10_000_000)] = None
    option: Annotated[str, Form(alias="which", max_length=20)] = "found"
    only: Annotated[str, Form(max_length=200)] = ""


Chosen = Annotated[Choice, Depends(Choice)]


@router.post("/reviews/mark-many/count")
def count_many(context: Context, chosen: Chosen) -> Response:
    """Tell how many rows are selected, and how many findings would be marked in them."""
    wanted = parse_query(chosen.back)
    with open_grid(context, wanted, Role.REVIEWER) as (_, matrix):
        rows, places = _places(matrix, wanted, chosen)
    return JSONResponse({"rows": rows, "findings": len(places), "most": _MOST})


@router.post("/reviews/mark-many")
def mark_many(
    context: Context,
    chosen: Chosen,
    says: Annotated[str, Form(max_length=20)] = "confirmed",
    findings: Annotated[int | None, Form(ge=0, le=100_000_000)] = None,
) -> Response:
    """Confirm or flag, in the selected rows, every shown cell that nobody has checked yet.

    Where filters ask something of cells, only those that fit. `findings` is the number that the
    visitor agreed to: without it they are asked, and where they are another number by now, nothing
    is marked.
    """
    wanted = parse_query(chosen.back)
    if says not in _SAYS:
        raise ConfigError("many findings at once can only be confirmed, or flagged.")
    with open_grid(context, wanted, Role.REVIEWER) as (library, matrix):
        _, places = _places(matrix, wanted, chosen)
        if len(places) > _MOST:
            raise TooLarge(
                f"there are {len(places):,} findings; at most {_MOST:,} can be marked at once.",
                remedy="Choose one column, or fewer rows.",
            )
        if findings is None:
            return _ask(context, wanted, chosen, says, places)
        with library.transaction():
            places = open_places(library, matrix, places)
            if findings != len(places):
                raise Conflict(
                    f"there are now {len(places):,} findings, not {findings:,}: nothing was "
                    "marked.",
                    remedy="Check the grid and select them again.",
                )
            by = context.principal.name
            done = annotate_findings(library, matrix, wanted.collection, places, _SAYS[says], by=by)
    return _show_done(context, done, chosen.back)


@router.post("/reviews/mark-many/undo")
def undo_many(
    context: Context, done: _Number, back: Annotated[str, Form(max_length=8_000)] = ""
) -> Response:
    """Take back what one marked at once oneself; `done` is its entry in the audit trail."""
    with context.access() as access:
        marked = find_bulk_annotation(access.common(), done, context.principal.name)
    if marked is None or marked.is_undo:
        raise NotFound("you marked no findings that could be taken back so.")
    wanted = GridQuery(marked.collection, marked.playbook)
    with open_grid(context, wanted, Role.REVIEWER) as (library, matrix), library.transaction():
        restored = restore_findings(library, matrix, marked)
    return _show_done(context, restored, back or wanted.to_query())


def _ask(
    context: Context, wanted: GridQuery, chosen: Choice, says: str, places: list[tuple[str, int]]
) -> Response:
    """Ask whether so many findings are to be marked."""
    if not places:
        raise ConfigError("there is no finding to mark.", remedy="Select other rows or columns.")
    return context.page(
        "_mark_many.html.j2" if context.is_partial else "mark_many.html.j2",
        asked=wanted,
        chosen=chosen,
        says=says,
        findings=len(places),
        contracts=len({document for document, _ in places}),
    )


def _show_done(context: Context, done: BulkAnnotation, back: str) -> Response:
    """Say what was done to many findings: in place, or above their grid."""
    if context.is_partial:
        return context.page("_done_at_once.html.j2", done=done, back=back)
    return context.redirect(f"/reviews/grid?{parse_query(back).to_query()}&done={done.number}")


def _places(
    matrix: GridMatrix, wanted: GridQuery, chosen: Choice
) -> tuple[int, list[tuple[str, int]]]:
    """Return how many rows are selected, and the cells in them that nobody has checked.

    Raises:
        Conflict: If other rows fit than those that the visitor was shown.
        ConfigError: If no row is selected.
    """
    if chosen.option not in _WHICH:
        raise ConfigError("many findings at once can only be confirmed, or flagged.")
    fit = select_cells(matrix, wanted)
    fitted = [int(row) for row in fit.rows]
    selected = set(chosen.row or ())
    if chosen.all is not None:
        if chosen.all != len(fitted):
            raise Conflict(
                f"{len(fitted):,} contracts fit by now, not {chosen.all:,}: nothing was marked.",
                remedy="Check the grid and select them again.",
            )
        rows = [row for row in fitted if matrix.rows[row].id not in selected]
    else:
        rows = [row for row, line in enumerate(matrix.rows) if line.id in selected]
    if not rows:
        raise ConfigError("no row is selected.", remedy="Tick the rows first.")
    single = matrix.column(chosen.only)
    columns = shown_columns(matrix, wanted) if single is None else [single]
    wished = [STATES.index(each) for each in _WHICH[chosen.option]]
    proposed = REVIEWS.index(ReviewState.PROPOSED)
    return len(rows), [
        (matrix.rows[row].id, column)
        for row in rows
        for column in columns
        if matrix.review[row, column] == proposed
        and matrix.state[row, column] in wished
        and (fit.cells[row, column] or not wanted.filters_cells)
    ]
