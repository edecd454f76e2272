"""One finding: its panel, and what people say of it; or of many at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import JSONResponse, Response

from fourcorners.errors import ConfigError
from fourcorners.reports.grid import REVIEW_WORDS, SEVERITY_WORDS, STATE_WORDS, quote_place
from fourcorners.review.finding import CellState, ReviewState
from fourcorners.review.people import review_actions as assigning
from fourcorners.review.people import review_actions as states
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.columns.store import playbook_for
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import Conflict, TooLarge
from fourcorners.server.grid.dates import dated_grid, findings_at
from fourcorners.server.grid.matrix import REVIEWS, STATES, GridMatrix
from fourcorners.server.grid.panel import finding_panel
from fourcorners.server.grid.query import GridQuery, parse_query, select_cells, shown_columns
from fourcorners.server.grid.windows import cell_view
from fourcorners.server.store import playbook_store as books

router = APIRouter()
_MOST = 2_000  # cells that are marked at once
_Name = Annotated[str, Form(max_length=500)]
_WHICH = {
    "found": (CellState.FOUND,),
    "not_found": (CellState.NOT_FOUND,),
    "both": (CellState.FOUND, CellState.NOT_FOUND),
}
_SAYS = {
    "confirmed": ReviewState.CONFIRMED,
    "rejected": ReviewState.REJECTED,
    "second_look": ReviewState.SECOND_LOOK,
    "proposed": ReviewState.PROPOSED,
    "corrected": ReviewState.CORRECTED,
}


@router.get("/reviews/cell")
def show(
    context: Context,
    c: Annotated[str, Query(max_length=500)],
    p: Annotated[str, Query(max_length=200)],
    d: Annotated[str, Query(max_length=40)],
    v: Annotated[str, Query(max_length=200)],
) -> Response:
    """Show a finding: as a panel of the grid, or as a page."""
    with context.access() as access:
        return _shown(context, access, (c, p, d, v))


@router.post("/reviews/mark")
def mark(
    context: Context,
    c: _Name,
    p: _Name,
    d: _Name,
    v: _Name,
    says: Annotated[str, Form(max_length=20)] = "",
    value: Annotated[str, Form(max_length=states.MAX_VALUE)] = "",
    comment: Annotated[str, Form(max_length=states.MAX_COMMENT)] = "",
    to: Annotated[str, Form(max_length=states.MAX_NAME)] = "",
) -> Response:
    """Keep what someone says of a finding: a state, other words, a comment, or for whom it is."""
    with context.access() as access:
        library = access.library_of(d, Role.REVIEWER)
        access.require(Role.READER, c)
        whole = books.load_playbook(library, p)
        book = playbook_for(library, c, whole, v)
        if book is not whole:  # it is of this review alone, not of every one with the contract
            access.require(Role.REVIEWER, c)
        provision = book.provision(v).id
        if to.strip():
            assigning.assign_finding(
                library, book, d, provision, to=to, by=context.principal.name, why=comment
            )
        else:
            states.annotate_finding(
                library,
                book,
                d,
                provision,
                by=context.principal.name,
                state=_SAYS.get(says),
                value=value if _SAYS.get(says) in (None, ReviewState.CORRECTED) else "",
                comment=comment,
            )
        if context.is_partial:
            return _shown(context, access, (c, p, d, v))
    return context.redirect(_href(c, p, d, provision))


@dataclass(frozen=True, slots=True)
class Choice:
    """The cells of a grid that are to be marked at once.

    Attributes:
        back: The address of the grid, with its filters.
        row: The documents that are selected; where `all` is set, those that are not.
        all: How many rows the visitor was shown and selected, all that fit; None for those named.
        option: `found`, `not_found` or `both`.
        only: One column; empty for all that are shown.
    """

    back: str
    row: Collection[str]
    all: int | None
    option: str
    only: str


def choice(
    back: Annotated[str, Form(max_length=8_000)],
    row: Annotated[list[str] | None, Form(max_length=20_000)] = None,
    all_: Annotated[int | None, Form(alias="all", ge=0, le=10_000_000)] = None,
    which: Annotated[str, Form(max_length=20)] = "found",
    only: Annotated[str, Form(max_length=200)] = "",
) -> Choice:
    """Read from a form what is selected."""
    return Choice(back, frozenset(row or ()), all_, which, only)


Chosen = Annotated[Choice, Depends(choice)]


@router.post("/reviews/mark-many/count")
def count_many(context: Context, chosen: Chosen) -> Response:
    """Tell how many rows are selected, and how many findings would be marked in them."""
    wanted = parse_query(chosen.back)
    with context.access() as access:
        library = access.library_for(wanted.collection, Role.REVIEWER)
        book = books.load_playbook(library, wanted.playbook)
        matrix = dated_grid(context.state.connection_pool, access, wanted.collection, book)
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

    Where filters ask something of cells, only those that fit. `findings` is how many the visitor
    was told: where they are another number by now, nothing is marked.
    """
    wanted = parse_query(chosen.back)
    if says not in ("confirmed", "second_look"):
        raise ConfigError("many findings can be confirmed, or flagged, and no more at once.")
    with context.access() as access:
        library = access.library_for(wanted.collection, Role.REVIEWER)
        book = books.load_playbook(library, wanted.playbook)
        matrix = dated_grid(context.state.connection_pool, access, wanted.collection, book)
        _, places = _places(matrix, wanted, chosen)
        if findings is not None and findings != len(places):
            raise Conflict(
                f"these are {len(places):,} findings by now, not {findings:,}: nothing was marked.",
                remedy="Look at the grid again, and select anew.",
            )
        if len(places) > _MOST:
            raise TooLarge(
                f"these are {len(places):,} findings; at most {_MOST:,} are marked at once.",
                remedy="Choose one column, or fewer rows.",
            )
        with library.transaction():
            for document, column in places:
                states.annotate_finding(
                    library,
                    matrix.playbook_of(column),
                    document,
                    matrix.provisions[column],
                    by=context.principal.name,
                    state=_SAYS[says],
                )
    if context.is_partial:
        return context.page("_marked.html.j2", count=len(places), says=says)
    return context.redirect(f"/reviews/grid?{wanted.to_query()}")


def _places(
    matrix: GridMatrix, wanted: GridQuery, chosen: Choice
) -> tuple[int, list[tuple[str, int]]]:
    """Return how many rows are selected, and the cells in them that nobody has checked.

    Raises:
        Conflict: If other rows fit than those that the visitor was shown.
        ConfigError: If no row is selected.
    """
    if chosen.option not in _WHICH:
        raise ConfigError("many findings can be confirmed, or flagged, and no more at once.")
    fit = select_cells(matrix, wanted)
    fitted = [int(row) for row in fit.rows]
    if chosen.all is not None:
        if chosen.all != len(fitted):
            raise Conflict(
                f"{len(fitted):,} contracts fit by now, not {chosen.all:,}: nothing was marked.",
                remedy="Look at the grid again, and select anew.",
            )
        rows = [row for row in fitted if matrix.rows[row].id not in chosen.row]
    else:
        rows = [row for row, line in enumerate(matrix.rows) if line.id in chosen.row]
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


def _shown(context: RequestContext, access: Access, names: tuple[str, str, str, str]) -> Response:
    c, p, d, v = names
    library = access.library_for(c, Role.READER)
    book = books.load_playbook(library, p)
    of_column = playbook_for(library, c, book, v)
    view = finding_panel(access, c, of_column, d, v)
    if view.finding is not None:
        (finding,) = findings_at(library, of_column, [view.finding])
        view = replace(view, finding=finding)
    matrix = dated_grid(context.state.connection_pool, access, c, book)
    cell = cell_view(library, matrix, d, view.provision.id)
    template = "_finding.html.j2" if context.is_partial else "finding.html.j2"
    return context.page(
        template,
        c=c,
        book=book,
        view=view,
        cell=cell,
        finding=view.finding,
        back=f"/reviews/grid?{GridQuery(c, book.id).to_query()}",
        href=_href(c, p, d, view.provision.id),
        place=quote_place,
        state_words=STATE_WORDS,
        severity_words=SEVERITY_WORDS,
        review_words=REVIEW_WORDS,
        may_mark=context.principal.may(Role.REVIEWER, c),
    )


def _href(c: str, p: str, d: str, v: str) -> str:
    return f"/reviews/cell?{GridQuery(c, p).to_query()}&{urlencode({'d': d, 'v': v})}"
