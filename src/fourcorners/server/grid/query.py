"""What is asked of a grid: from an address, back to one, and which rows and cells fit it."""

# Without `annotations` of the future: FastAPI evaluates those of `GridQuery`.
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode

import numpy as np
from fastapi import Depends, Query
from numpy.typing import NDArray
from pydantic import BeforeValidator

from fourcorners.review.finding import CellState, ReviewState, Severity
from fourcorners.server.grid.matrix import REVIEWS, SEVERITIES, STATES, Flags, GridMatrix
from fourcorners.text.values.periods import period_parts

_NARROWEST, _WIDEST = 60, 800  # pixels of a column
POSSIBLE_HIGH = "possible_high"
"""Asks for cells that an open question could make high."""
SEVERITY_CHOICES: Mapping[str, str] = {
    **{each.value: each.words for each in Severity if each is not Severity.NONE},
    POSSIBLE_HIGH: "Could be high",
}
MAX_ANSWER = 300  # characters of an answer that is asked for
_Words = Annotated[str, Query(max_length=200)]
# The names of the fields in an address.
_KEYS = {
    "collection": "c",
    "playbook": "p",
    **{each: each for each in ("find", "type", "column", "state", "severity", "review", "answer")},
    "assigned": "assigned",
    "sort": "sort",
    "descending": "down",
    "marks": "marks",
    "flat": "flat",
}


@dataclass(frozen=True, slots=True)
class GridQuery:
    """Filters, order and columns of a grid; what no grid knows is as if it were not asked.

    Attributes:
        column: Only cells of this provision count for the filters; empty for every shown one.
        state: A `CellState`, or `missing` for cells that were not reviewed.
        severity: A `Severity`, or `possible_high` for what an open question could make high.
        answer: Only cells of a provision whose answers say so: its id, a colon, what they say.
        assigned: Only cells that this person is to look at.
        sort: `name`, `type`, `risk`, `open`, or a provision's id: by what its cells say.
        show: The ids of the columns shown, in their order; empty for all.
        opened: The contracts whose family is shown below them, by their ids.
        flat: Whether every contract has its own row in the order, whatever its family.
        widths: Of columns that somebody made wider or narrower: an id, a colon, pixels.
        marks: Whether cells show their marks alone, in narrow columns.
    """

    collection: Annotated[str, Query(alias="c", max_length=500)]
    playbook: Annotated[str, Query(alias="p", max_length=200)]
    find: _Words = ""
    type: _Words = ""
    column: _Words = ""
    state: _Words = ""
    severity: _Words = ""
    review: _Words = ""
    answer: Annotated[str, Query(max_length=MAX_ANSWER + 200)] = ""
    assigned: _Words = ""
    sort: _Words = "name"
    descending: Annotated[bool, BeforeValidator(bool), Query(alias="down")] = False
    show: Annotated[tuple[str, ...], Query(max_length=300)] = ()
    marks: Annotated[bool, BeforeValidator(bool), Query()] = False
    widths: Annotated[tuple[str, ...], Query(alias="w", max_length=300)] = ()
    opened: Annotated[tuple[str, ...], Query(alias="open", max_length=300)] = ()
    flat: Annotated[bool, BeforeValidator(bool), Query()] = False

    def __post_init__(self) -> None:
        known = {
            "state": ("missing", *CellState),
            "severity": (*SEVERITY_CHOICES, Severity.NONE),
            "review": tuple(ReviewState),
        }
        for name, values in known.items():
            if getattr(self, name) not in values:
                object.__setattr__(self, name, "")
        object.__setattr__(self, "assigned", " ".join(self.assigned.split()))

    @property
    def filters_cells(self) -> bool:
        return bool(self.state or self.severity or self.review or self.answer or self.assigned)

    @property
    def has_filter(self) -> bool:
        return bool(self.filters_cells or self.find.strip() or self.type)

    def to_query(self, **changes: str | bool) -> str:
        """Return it as the query of an address, with some of it changed."""
        held = {key: getattr(self, name) for name, key in _KEYS.items()} | changes
        if held["sort"] == "name":
            del held["sort"]
        pairs = [(key, "1" if value is True else value) for key, value in held.items() if value]
        lists = (("show", self.show), ("w", self.widths), ("open", self.opened))
        return urlencode([*pairs, *((key, each) for key, values in lists for each in values)])

    def width_of(self, provision: str) -> int:
        """Return how many pixels wide a column is to be; 0 for as wide as the others."""
        pixels = dict(each.rpartition(":")[::2] for each in self.widths).get(provision, "")
        return (
            min(_WIDEST, max(_NARROWEST, int(pixels)))
            if pixels.isdecimal() and len(pixels) < 5
            else 0
        )

    def sort_query(self, sort: str) -> str:
        """Return the query of the same grid in another order, turned round if it has that one."""
        down = not self.descending if sort == self.sort else sort in ("risk", "open")
        return self.to_query(sort=sort, down=down)


Grid = Annotated[GridQuery, Depends(GridQuery)]
"""The grid that an address asks for."""


def parse_query(query: str) -> GridQuery:
    given = parse_qs(query, max_num_fields=700)
    held: dict[str, Any] = {name: given.get(key, [""])[0] for name, key in _KEYS.items()}
    held |= {name: bool(held[name]) for name in ("descending", "marks", "flat")}
    held |= {"sort": held["sort"] or "name", "show": tuple(given.get("show", ()))}
    held |= {"widths": tuple(given.get("w", ())), "opened": tuple(given.get("open", ()))}
    return GridQuery(**held)


def shown_columns(matrix: GridMatrix, wanted: GridQuery) -> list[int]:
    places = {name: number for number, name in enumerate(matrix.provisions)}
    chosen = [places[name] for name in dict.fromkeys(wanted.show) if name in places]
    return chosen or list(range(len(matrix.provisions)))


@dataclass(frozen=True, slots=True)
class GridSelection:
    """The rows that fit, in their order, and the cells that do: all, if nothing asks of cells.

    Attributes:
        closed: The rows that fit, and are not shown because their family is closed, by its head.
    """

    rows: NDArray[np.intp]
    cells: Flags
    count: int
    closed: Mapping[int, int] = field(default_factory=dict)


def select_cells(matrix: GridMatrix, wanted: GridQuery) -> GridSelection:
    columns = shown_columns(matrix, wanted)
    cells = _cells(matrix, wanted)
    only = matrix.column(wanted.answer.partition(":")[0] or wanted.column)
    counted = np.zeros(len(matrix.provisions), bool)
    counted[columns if only is None else [only]] = True
    cells &= counted
    rows = np.ones(len(matrix.rows), bool)
    if wanted.filters_cells:
        rows &= cells.any(axis=1)
    if wanted.type:
        rows &= np.array([line.type == wanted.type for line in matrix.rows], bool)
    words = wanted.find.casefold().split()
    if words:
        rows &= np.array([all(w in line.search_text for w in words) for line in matrix.rows], bool)
    chosen = np.flatnonzero(rows)
    ordered = chosen[_order(matrix, wanted, chosen, columns if only is None else [only])]
    count = int(cells[chosen].sum()) if wanted.filters_cells else 0
    if wanted.flat or not matrix.heads:
        return GridSelection(ordered, cells, count)
    rows, closed = _group(matrix, wanted, ordered.tolist())
    return GridSelection(rows, cells, count, closed)


def _group(
    matrix: GridMatrix, wanted: GridQuery, ordered: Sequence[int]
) -> tuple[NDArray[np.intp], dict[int, int]]:
    """Return the rows with families below their heads, and how many of each are not shown."""
    fitting, families = set(ordered), dict[int, list[int]]()
    for row in ordered:
        head = matrix.heads.get(row)
        families.setdefault(row if head not in fitting else head, []).append(row)
    shown, closed = list[int](), dict[int, int]()
    for row in ordered:
        if matrix.heads.get(row) in fitting:
            continue
        members = [each for each in families.get(row, ()) if each != row]
        shown.append(row)
        if matrix.rows[row].id in wanted.opened:
            shown += members
        elif members:
            closed[row] = len(members)
    return np.array(shown, np.intp), closed


def _cells(matrix: GridMatrix, wanted: GridQuery) -> Flags:
    cells = np.ones(matrix.state.shape, bool)
    if wanted.state:
        state = None if wanted.state == "missing" else CellState(wanted.state)
        cells &= matrix.state == STATES.index(state)
    if wanted.severity == POSSIBLE_HIGH:
        cells &= matrix.possible_high & (matrix.severity != SEVERITIES.index(Severity.HIGH))
    elif wanted.severity:
        cells &= matrix.severity == SEVERITIES.index(Severity(wanted.severity))
    if wanted.review:
        cells &= matrix.review == REVIEWS.index(ReviewState(wanted.review))
        cells &= matrix.state != 0
    if wanted.answer:
        answer = wanted.answer.partition(":")[2]
        fitting = [
            number
            for statements, number in list(matrix.headlines.items())
            if any(words == answer for words, _ in statements)
        ]
        cells &= np.isin(matrix.headline, fitting)
        cells &= matrix.review != REVIEWS.index(ReviewState.REJECTED)
    if wanted.assigned:
        mine = np.zeros(matrix.state.shape, bool)
        name = wanted.assigned.casefold()
        for place, opinion in list(matrix.annotations.items()):
            mine[place] = opinion.assigned.casefold() == name
        cells &= mine
    return cells


def _order(
    matrix: GridMatrix, wanted: GridQuery, rows: NDArray[np.intp], columns: Sequence[int]
) -> NDArray[np.intp]:
    """Return the places in `rows` in the order asked; equal ones by name, as the lines are."""
    if wanted.sort == "name":
        order = np.arange(len(rows))
        return order[::-1] if wanted.descending else order
    if wanted.sort == "type":
        types = [matrix.rows[row].type.casefold() for row in rows.tolist()]
        ranks = {name: rank for rank, name in enumerate(sorted(set(types)))}
        keys = np.array([ranks[name] for name in types], np.int64)
    elif (column := matrix.column(wanted.sort)) is not None:
        return _by_value(matrix, column, rows, descending=wanted.descending)
    else:
        keys = _weights(matrix, wanted.sort, columns)[rows]
    return np.argsort(-keys if wanted.descending else keys, kind="stable")


_DAYS = {"year": 365.25, "month": 30.44, "week": 7.0, "day": 1.0}  # of a unit, on average
_AMOUNT = re.compile(r"[^\d\s]{0,4}\s?(\d[\d,]*(?:\.\d+)?)")


def _by_value(
    matrix: GridMatrix, column: int, rows: NDArray[np.intp], *, descending: bool
) -> NDArray[np.intp]:
    """Return the places in `rows` by what the cells of a column say: what says nothing last.

    Dates, periods and amounts go by their size, the rest by the alphabet; cells without a value,
    either way, by how grave they are, what was found first.
    """
    numbers = matrix.headline[rows, column].tolist()
    headlines = list(matrix.headlines)  # read last: others may add to both

    @cache
    def of_headline(number: int) -> tuple[bool, float, str]:
        measured = (
            (False, size, words)
            for words, value in headlines[number]
            if (size := _measure(value)) is not None
        )
        words = "; ".join(words for words, _ in headlines[number])
        return next(measured, (True, 0.0, words.casefold()))

    keys: dict[int, tuple[bool, float, str]] = {}
    found = matrix.state[rows, column] == STATES.index(CellState.FOUND)
    for place in np.flatnonzero(found).tolist():
        row = int(rows[place])
        summary = matrix.annotations.get((row, column))
        if summary is not None and summary.value:
            keys[place] = (True, 0.0, summary.value.casefold())
        elif numbers[place]:
            keys[place] = of_headline(numbers[place])
    valued = sorted(keys, key=keys.__getitem__, reverse=descending)
    weights = _grade(matrix, column)[rows]
    rest = [place for place in np.argsort(-weights, kind="stable").tolist() if place not in keys]
    return np.array([*valued, *rest], np.intp)


def _measure(value: str) -> float | None:
    """Return the size of a date, period or amount as programs have them; None of other words."""
    if parts := period_parts(value):
        return sum(count * _DAYS[unit] for count, unit in parts)
    if amount := _AMOUNT.fullmatch(value):
        return float(amount[1].replace(",", ""))
    try:
        return date.fromisoformat(value).toordinal()
    except ValueError:
        return None


def _grade(matrix: GridMatrix, column: int) -> NDArray[np.int64]:
    found = matrix.state[:, column] == STATES.index(CellState.FOUND)
    failed = matrix.state[:, column] == STATES.index(CellState.FAILED)
    graded: NDArray[np.int64] = matrix.severity[:, column].astype(np.int64) * 4
    graded += found.astype(np.int64) * 2
    graded += failed.astype(np.int64)
    return graded


def _weights(matrix: GridMatrix, sort: str, columns: Sequence[int]) -> NDArray[np.int64]:
    severity = matrix.severity[:, columns].astype(np.int64)
    if sort == "open":
        untouched = matrix.review[:, columns] == REVIEWS.index(ReviewState.PROPOSED)
        found = matrix.state[:, columns] == STATES.index(CellState.FOUND)
        waiting: NDArray[np.int64] = (untouched & found).sum(axis=1).astype(np.int64)
        return waiting
    base = len(matrix.provisions) + 1  # one grave finding outweighs all lesser ones of a row
    total: NDArray[np.int64] = np.zeros(len(matrix.rows), np.int64)
    for rank in range(len(SEVERITIES) - 1, 0, -1):
        total = np.add(total * base, (severity == rank).sum(axis=1), dtype=np.int64)
    return total
