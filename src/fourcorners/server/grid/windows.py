"""The rows of a window of the grid, with their words, and the counts above it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Provision
from fourcorners.reports.grid import REVIEW_WORDS, SEVERITY_WORDS, STATE_WORDS
from fourcorners.review import store
from fourcorners.review.finding import CellState, ReviewState, Severity, join_headline
from fourcorners.review.overview.counts import CellKey, FindingCounts, count_cells
from fourcorners.server.grid.cell_summaries import ReviewSummary
from fourcorners.server.grid.matrix import REVIEWS, SEVERITIES, STATES, GridMatrix
from fourcorners.server.grid.query import MAX_ANSWER, GridQuery, GridSelection, shown_columns
from fourcorners.text.invisible_characters import single_line

_MOST_ANSWERS = 12  # of a column that the filter offers, the most frequent


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell as the page draws it.

    Attributes:
        look: Style classes: state, severity, review, and whether it fits the filter.
        label: All of it in words.
        words: What is quoted, in short; or what a person put there; or why nothing is.
        headline: What its answers say.
    """

    provision: str
    look: str
    label: str
    words: str
    summary: str
    assigned: str = ""
    comments: int = 0
    headline: str = ""


def grid_window(
    library: Library,
    matrix: GridMatrix,
    wanted: GridQuery,
    fit: GridSelection,
    start: int,
    count: int,
    across: slice = slice(None),
) -> list[dict[str, Any]]:
    """Return rows of the grid, from a place in their order, with some of the shown columns.

    Each has its `number` in the order, from 1, its `line`, what the contract is `called`, its
    `family`, if it has one, and its `cells`, as the page draws it.
    """
    rows = [int(row) for row in fit.rows[start : start + count]]
    columns = shown_columns(matrix, wanted)[across]
    drawn = _draw_rows(library, matrix, rows, columns, fit if wanted.filters_cells else None, start)
    if matrix.heads and not wanted.flat:
        for row, each in zip(rows, drawn, strict=True):
            each["family"] = _family(matrix, wanted, fit, row)
    return drawn


@dataclass(frozen=True, slots=True)
class FamilyView:
    """What a row says of its family.

    Attributes:
        relation: What it is to the contract above; empty for that contract.
        count: How many rows belong to it, shown or not.
        query: The query of the grid with its family opened, or closed again.
    """

    relation: str = ""
    count: int = 0
    is_open: bool = False
    query: str = ""


def _family(
    matrix: GridMatrix, wanted: GridQuery, fit: GridSelection, row: int
) -> FamilyView | None:
    """Return what a row says of its family; None if it has none."""
    line = matrix.rows[row]
    if row in matrix.heads:
        return FamilyView(relation=matrix.families[line.id].relation.capitalize())
    is_open = line.id in wanted.opened
    fitting = set(fit.rows.tolist()) if is_open else set()
    count = fit.closed.get(row, 0) or sum(
        head == row and member in fitting for member, head in matrix.heads.items()
    )
    if not count:
        return None
    others = tuple(each for each in wanted.opened if each != line.id)
    opened = others if is_open else (*others, line.id)
    return FamilyView(count=count, is_open=is_open, query=replace(wanted, opened=opened).to_query())


def next_open_cell(
    matrix: GridMatrix, wanted: GridQuery, fit: GridSelection, row: int, column: int
) -> tuple[int, int] | None:
    """Return the next cell with a finding that fits and nobody has checked; None at the end.

    Row and column count from 0, in the order of the rows and of the shown columns; the cell at
    them is passed over, and so is everything before it.
    """
    columns = shown_columns(matrix, wanted)
    rows = fit.rows[max(0, row) :]
    place = np.ix_(rows, np.array(columns, np.intp))
    waiting = matrix.state[place] == STATES.index(CellState.FOUND)
    waiting &= matrix.review[place] == REVIEWS.index(ReviewState.PROPOSED)
    if wanted.filters_cells:
        waiting &= fit.cells[place]
    if row >= 0 and len(rows):
        waiting[0, : column + 1] = False
    found = int(waiting.argmax()) if waiting.any() else None
    return None if found is None else (max(0, row) + found // len(columns), found % len(columns))


def cell_view(
    library: Library, matrix: GridMatrix, document: str, provision: str
) -> CellView | None:
    column = matrix.column(provision)
    row = next((n for n, each in enumerate(matrix.rows) if each.id == document), None)
    if row is None or column is None:
        return None
    cell: CellView = _draw_rows(library, matrix, [row], [column], None, 0)[0]["cells"][0]
    return cell


def _draw_rows(
    library: Library,
    matrix: GridMatrix,
    rows: Sequence[int],
    columns: Sequence[int],
    fit: GridSelection | None,
    start: int,
) -> list[dict[str, Any]]:
    names = matrix.provisions
    documents = [matrix.rows[row].id for row in rows]
    quoted: dict[tuple[str, str], str] = {}
    statement = matrix.headline[np.ix_(np.array(rows, np.intp), np.array(columns, np.intp))]
    headlines = list(matrix.headlines)  # read last: others may add to both
    for book in matrix.playbooks:
        wanted = [names[column] for column in columns if matrix.playbook_of(column) is book]
        if wanted:
            quoted |= store.cell_excerpts(library, book, documents, wanted)
    return [
        {
            "number": start + at + 1,
            "line": matrix.rows[row],
            "called": matrix.title(library, row),
            "family": None,
            "cells": [
                _cell(
                    matrix,
                    (row, column),
                    quoted.get((matrix.rows[row].id, names[column]), ""),
                    single_line(join_headline(words for words, _ in headlines[number])),
                    off=fit is not None and not fit.cells[row, column],
                )
                for column, number in zip(columns, statement[at], strict=True)
            ],
        }
        for at, row in enumerate(rows)
    ]


def _cell(
    matrix: GridMatrix, place: tuple[int, int], quoted: str, headline: str, *, off: bool
) -> CellView:
    row, column = place
    provision = matrix.columns[column]
    state = STATES[matrix.state[row, column]]
    if state is None:
        name = single_line(provision.name)
        return CellView(provision.id, "missing", f"{name}: not reviewed yet", "", "")
    severity = SEVERITIES[matrix.severity[row, column]]
    review = REVIEWS[matrix.review[row, column]]
    annotation_summary = matrix.annotations.get(place) or ReviewSummary(
        review, "", "", 0, state, severity
    )
    if state is not CellState.FOUND:
        headline = ""
        if review is ReviewState.REJECTED or annotation_summary.is_severity_set:
            quoted = ""  # it is what a person rejected, or the reason for another severity
    look = f"{state.value} s-{severity.value} r-{review.value}{' off' if off else ''}"
    words = annotation_summary.value or quoted
    label = [
        f"{single_line(provision.name)}: {headline or STATE_WORDS[state].lower()}",
        _severity_label(state, severity),
        "could be high" if matrix.possible_high[place] and severity is not Severity.HIGH else "",
        "" if review is ReviewState.PROPOSED else REVIEW_WORDS[review].lower(),
        f"for {single_line(annotation_summary.assigned)}" if annotation_summary.assigned else "",
    ]
    return CellView(
        provision.id,
        look,
        ", ".join(filter(None, label)),
        single_line(words),
        STATE_WORDS[state] if not (headline or words) else "",
        annotation_summary.assigned,
        annotation_summary.comments,
        headline,
    )


def count_answers(
    matrix: GridMatrix, columns: Sequence[int], most: int
) -> list[tuple[int, list[tuple[str, int]]]]:
    """Return for columns what their cells say, the most frequent first, with how many say it.

    What is longer than an address can ask for is passed over.
    """
    statement = matrix.headline[:, columns]
    rejected = matrix.review[:, columns] == REVIEWS.index(ReviewState.REJECTED)
    headlines = list(matrix.headlines)  # read last: others may add to both
    counted = []
    for place, column in enumerate(columns):
        numbers, counts = np.unique(statement[~rejected[:, place], place], return_counts=True)
        total: Counter[str] = Counter()
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            total.update({each: count for each, _ in headlines[number] if len(each) <= MAX_ANSWER})
        if total:
            counted.append((column, total.most_common(most)))
    return counted


def answer_choices(
    matrix: GridMatrix, wanted: GridQuery
) -> list[tuple[Provision, list[tuple[str, int]]]]:
    """Return what the answers of shown columns say, or of the one chosen, as the filter has it."""
    one = matrix.column(wanted.answer.partition(":")[0] or wanted.column)
    columns = shown_columns(matrix, wanted) if one is None else [one]
    counted = count_answers(matrix, columns, _MOST_ANSWERS)
    return [(matrix.columns[column], statement) for column, statement in counted]


def _severity_label(state: CellState, severity: Severity) -> str:
    if severity is Severity.NONE or state is CellState.TO_READ:
        return ""
    words = SEVERITY_WORDS[severity].lower()
    return words if severity is Severity.TO_READ else f"{words} severity"


def count_grid(matrix: GridMatrix, columns: Sequence[int]) -> FindingCounts:
    """Return the counts of a whole grid, over some of its columns."""
    sizes = (len(STATES), len(SEVERITIES), len(REVIEWS), 2, 2)
    parts = [each[:, columns].ravel() for each in matrix.cell_keys]
    codes = np.bincount(np.ravel_multi_index(parts, sizes), minlength=np.prod(sizes))
    return count_cells(
        {
            CellKey(
                STATES[state], SEVERITIES[severity], REVIEWS[review], bool(graver), bool(assigned)
            ): int(codes[code])
            for code in np.flatnonzero(codes).tolist()
            for state, severity, review, graver, assigned in [np.unravel_index(code, sizes)]
        }
    )
