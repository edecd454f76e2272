"""Many findings at once: counted, asked about, marked, and taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form
from fastapi.responses import JSONResponse, Response

from fourcorners.errors import ConfigError
from fourcorners.operations.ask import MAX_DOCUMENTS
from fourcorners.operations.errors import Conflict
from fourcorners.operations.members import members
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.bulk_findings import (
    MOST,
    BulkAction,
    BulkRequest,
    BulkResult,
    annotate_many,
    undo_many,
)
from fourcorners.review.finding import CellState, ReviewState
from fourcorners.review.people.review_actions import MAX_COMMENT, MAX_NAME
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import TooLarge
from fourcorners.server.grid.dates import open_grid
from fourcorners.server.grid.matrix import REVIEWS, STATES, GridMatrix
from fourcorners.server.grid.query import GridQuery, parse_query, select_cells, shown_columns

router = APIRouter()
_MOST_EXPORTED = 500  # contracts that an address can name
_WHICH = {
    "found": (CellState.FOUND,),
    "not_found": (CellState.NOT_FOUND,),
    "both": (CellState.FOUND, CellState.NOT_FOUND),
}
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
    return JSONResponse({"rows": rows, "findings": len(places), "most": MOST})


@dataclass(frozen=True, slots=True)
class BulkForm:
    """What is to be done to the chosen cells, as a form names it.

    Attributes:
        findings: The number that the visitor agreed to; None where they are still to be asked.
    """

    says: Annotated[BulkAction, Form()] = BulkAction.CONFIRM
    findings: Annotated[int | None, Form(ge=0, le=100_000_000)] = None
    to: Annotated[str, Form(max_length=MAX_NAME)] = ""
    comment: Annotated[str, Form(max_length=MAX_COMMENT)] = ""


@router.post("/reviews/mark-many")
def mark_many(
    context: Context, chosen: Chosen, doing: Annotated[BulkForm, Depends(BulkForm)]
) -> Response:
    """Do one thing, in the selected rows, to every shown cell that nobody has checked yet.

    Where filters ask something of cells, only those that fit. Without the number that the visitor
    agreed to they are asked, and where they are another number by now, nothing is changed.
    """
    wanted = parse_query(chosen.back)
    with open_grid(context, wanted, Role.REVIEWER) as (_, matrix):
        _, places = _places(matrix, wanted, chosen)
        cells = [(document, matrix.provisions[column]) for document, column in places]
        book = matrix.playbook.id
    with context.access() as access:
        asked = BulkRequest.from_fields(
            action=doing.says,
            collection=wanted.collection,
            playbook=book,
            to=doing.to,
            comment=doing.comment,
            count=doing.findings,
        )
        done = annotate_many(access, asked, cells)
        if doing.findings is None:
            library = access.library_for(wanted.collection, Role.REVIEWER)
            people = members(library, wanted.collection)
            contracts = len({document for document, _ in cells})
            return _ask(context, wanted, chosen, done, people=people, contracts=contracts)
    return _show_done(context, done, chosen.back)


@router.post("/reviews/mark-many/undo")
def undo(
    context: Context, done: _Number, back: Annotated[str, Form(max_length=8_000)] = ""
) -> Response:
    """Take back what one did to many findings oneself; `done` is its entry in the audit trail."""
    with context.access() as access:
        restored = undo_many(access, done)
    return _show_done(
        context, restored, back or GridQuery(restored.collection, restored.playbook).to_query()
    )


@router.post("/reviews/mark-many/export")
def export(
    context: Context, chosen: Chosen, as_: Annotated[str, Form(alias="as", max_length=20)] = "xlsx"
) -> Response:
    """Lead to the report of the selected contracts alone."""
    wanted = parse_query(chosen.back)
    with open_grid(context, wanted) as (_, matrix):
        rows = _rows(matrix, chosen, [int(row) for row in select_cells(matrix, wanted).rows])
        if len(rows) > _MOST_EXPORTED and len(rows) < len(matrix.rows):
            raise TooLarge(
                f"{len(rows):,} contracts are selected; at most {_MOST_EXPORTED:,} can be exported "
                "apart from the others.",
                remedy="Select fewer, or export the whole grid.",
            )
        named = [matrix.rows[row].id for row in rows] if len(rows) < len(matrix.rows) else []
    asked = {"c": wanted.collection, "p": wanted.playbook, "as": as_, "documents": named}
    return _lead(context, f"/reviews/export?{urlencode(asked, doseq=True)}")


@router.post("/reviews/mark-many/ask")
def ask(context: Context, chosen: Chosen) -> Response:
    """Lead to a question about the selected contracts; where all are, about the collection."""
    wanted = parse_query(chosen.back)
    with open_grid(context, wanted) as (_, matrix):
        rows = _rows(matrix, chosen, [int(row) for row in select_cells(matrix, wanted).rows])
        if len(rows) > MAX_DOCUMENTS and len(rows) < len(matrix.rows):
            raise TooLarge(
                f"a question is about {MAX_DOCUMENTS} contracts at most, not {len(rows):,}.",
                remedy="Select fewer, or all of them to ask the whole collection.",
            )
        named = [matrix.rows[row].id for row in rows] if len(rows) < len(matrix.rows) else []
    documents = f"&documents={','.join(named)}" if named else ""
    return _lead(context, f"/ask?{urlencode({'c': wanted.collection})}{documents}")


def _lead(context: RequestContext, address: str) -> Response:
    return JSONResponse({"href": address}) if context.is_partial else context.redirect(address)


def _ask(
    context: Context,
    wanted: GridQuery,
    chosen: Choice,
    counted: BulkResult,
    *,
    people: list[str],
    contracts: int,
) -> Response:
    """Ask whether so many findings are meant, and what is still to be said."""
    if not counted.findings:
        raise ConfigError("no finding is selected.", remedy="Select other rows or columns.")
    return context.page(
        "_mark_many.html.j2" if context.is_partial else "mark_many.html.j2",
        asked=wanted,
        chosen=chosen,
        counted=counted,
        people=people,
        contracts=contracts,
    )


def _show_done(context: Context, done: BulkResult, back: str) -> Response:
    """Say what was done to many findings: in place, or above their grid."""
    if context.is_partial:
        return context.page("_done_at_once.html.j2", done=done, back=back)
    return context.redirect(f"/reviews/grid?{parse_query(back).to_query()}&done={done.number}")


def _rows(matrix: GridMatrix, chosen: Choice, fitted: list[int]) -> list[int]:
    """Return the rows that are selected, by their places; `fitted` are those that filters show.

    Raises:
        Conflict: If other rows fit than those that the visitor was shown.
        ConfigError: If no row is selected.
    """
    selected = set(chosen.row or ())
    if chosen.all is not None:
        if chosen.all != len(fitted):
            raise Conflict(
                f"there are now {len(fitted):,} contracts, not {chosen.all:,}. Nothing was "
                "changed.",
                remedy="Check the grid and select them again.",
            )
        rows = [row for row in fitted if matrix.rows[row].id not in selected]
    else:
        rows = [row for row, line in enumerate(matrix.rows) if line.id in selected]
    if not rows:
        raise ConfigError("no contract is selected.", remedy="Tick the rows first.")
    return rows


def _places(
    matrix: GridMatrix, wanted: GridQuery, chosen: Choice
) -> tuple[int, list[tuple[str, int]]]:
    """Return how many rows are selected, and the cells in them that nobody has checked.

    Raises:
        Conflict: If other rows fit than those that the visitor was shown.
        ConfigError: If no row is selected.
    """
    if chosen.option not in _WHICH:
        raise ConfigError("these cells cannot be selected.")
    fit = select_cells(matrix, wanted)
    rows = _rows(matrix, chosen, [int(row) for row in fit.rows])
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
