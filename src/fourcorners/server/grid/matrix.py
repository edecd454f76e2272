"""A grid in arrays: a row a document, a column a provision, a byte for each thing at a glance."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.principal import Role
from fourcorners.outline.card.contract_titles import ContractTitle, title_contracts
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.research.columns.store import review_playbook
from fourcorners.review.finding import CellState, ReviewState, Severity
from fourcorners.review.overview.families import family_links
from fourcorners.search.graph.family import FamilyLink
from fourcorners.server.grid import cell_summaries
from fourcorners.server.grid.cell_summaries import (
    CellStatements,
    CellSummary,
    ReviewSummary,
    SyncPosition,
)
from fourcorners.server.store.connection_pool import ConnectionPool

STATES: tuple[CellState | None, ...] = (None, *CellState)  # None: not reviewed yet
SEVERITIES = tuple(sorted(Severity, key=lambda each: each.rank))
REVIEWS = tuple(ReviewState)
_STATE = {state.value: number for number, state in enumerate(STATES) if state}
_SEVERITY = {severity.value: number for number, severity in enumerate(SEVERITIES)}
_REVIEW = {review: number for number, review in enumerate(REVIEWS)}
_SETTLED = timedelta(seconds=3)  # cells are stored within this of their recorded time
_MOST_ALIKE = 500  # rows of one title whose parties and dates are compared
_MOST = 24  # grids kept; the one that was used longest ago goes first

Bytes = NDArray[np.uint8]
Places = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class GridRow:
    """A document as a row of the grid; `search_text` is what it is found by."""

    id: str
    name: str
    title: str
    type: str
    search_text: str


@dataclass(slots=True)
class GridMatrix:
    """The cells of a collection by a playbook, and by the questions that reviewers put to it.

    `state`, `severity` and `review` hold places in `STATES`, `SEVERITIES` and `REVIEWS`, by row and
    column; `possible_high` is whether an open question could make a lesser cell high, `assigned`
    whether somebody is asked to look at it. `headline` holds the numbers in `headlines` of what the
    answers say; `annotations` what people said, where they did; `ends` when the contracts of rows
    end, and `titles` what they are called, as far as it was looked up; `rows_by_title` the rows of
    each title; `families` what belongs to another contract, and `heads` that contract's row, by the
    row.
    The columns of `column_playbook` follow those of the playbook.
    """

    playbook: Playbook
    column_playbook: Playbook
    rows: tuple[GridRow, ...]
    state: Bytes
    severity: Bytes
    review: Bytes
    possible_high: Flags
    assigned: Flags
    headline: Places
    headlines: dict[CellStatements, int] = field(default_factory=lambda: {(): 0})
    annotations: dict[tuple[int, int], ReviewSummary] = field(default_factory=dict)
    version: int = 0
    ends: dict[int, date | None] = field(default_factory=dict)
    titles: dict[int, ContractTitle] = field(default_factory=dict)
    rows_by_title: dict[str, list[int]] = field(default_factory=dict)
    families: Mapping[str, FamilyLink] = field(default_factory=dict)
    heads: Mapping[int, int] = field(default_factory=dict)

    @property
    def cell_keys(self) -> tuple[NDArray[np.integer[Any]], ...]:
        """Return what counts of cells, as numbers in the order of a `CellKey`."""
        flags = (self.possible_high.view(np.uint8), self.assigned.view(np.uint8))
        return (self.state, self.severity, self.review, *flags)

    @property
    def playbooks(self) -> tuple[Playbook, Playbook]:
        return self.playbook, self.column_playbook

    @property
    def columns(self) -> tuple[Provision, ...]:
        return (*self.playbook.provisions, *self.column_playbook.provisions)

    @property
    def provisions(self) -> tuple[str, ...]:
        return tuple(provision.id for provision in self.columns)

    @property
    def head_ids(self) -> tuple[str, ...]:
        """Return the contracts at the head of families, by their ids."""
        return tuple(self.rows[row].id for row in dict.fromkeys(self.heads.values()))

    def playbook_of(self, column: int) -> Playbook:
        return self.playbook if column < len(self.playbook.provisions) else self.column_playbook

    def headline_number(self, statement: CellStatements) -> int:
        """Return the number of what answers say; what is new gets the next."""
        return self.headlines.setdefault(statement, len(self.headlines))

    def title(self, library: Library, row: int) -> ContractTitle:
        """Return the title of a row's contract, distinguished from others of the same title."""
        if row not in self.titles:
            if not self.rows_by_title:
                for number, each in enumerate(self.rows):
                    self.rows_by_title.setdefault(each.title.casefold(), []).append(number)
            same = self.rows_by_title[self.rows[row].title.casefold()]
            near = same if len(same) <= _MOST_ALIKE else [row]
            named = title_contracts([self.rows[n] for n in near], library.card)
            self.titles |= {n: named[self.rows[n].id] for n in near}
        return self.titles[row]

    def column(self, provision: str) -> int | None:
        return self.provisions.index(provision) if provision in self.provisions else None


@dataclass(slots=True)
class _CachedGrid:
    matrix: GridMatrix
    members: tuple[int, int]
    rows: dict[str, int]
    marks: dict[str, SyncPosition]  # by playbook
    seen: set[tuple[str, str]]
    settled: set[str]  # playbooks of which no more cells can come with the time of the mark


class GridCache:
    """The grids that were looked at last, each brought up to date when it is looked at again."""

    def __init__(self) -> None:
        self._grids: dict[tuple[str, ...], _CachedGrid] = {}
        self._lock = threading.Lock()

    def get(self, access: Access, collection: str, playbook: Playbook) -> GridMatrix:
        """Return the grid of a collection by a playbook, as it is now.

        Raises:
            NotFound: If the collection is none that they may read.
        """
        library = access.library_for(collection, Role.READER)
        asked = review_playbook(library, collection, playbook.id)
        provisions = [each.id for each in asked.provisions]
        key = (fold_name(collection), playbook.hash, *provisions, *sorted(library.damaged))
        with self._lock:
            members = library.membership(key[0])
            cached = self._grids.pop(key, None)
            if cached is None or cached.members != members:
                cached = _empty(access.documents(collection), playbook, asked, members)
            with library.snapshot():
                for book in cached.matrix.playbooks:
                    if book.provisions:
                        _bring_up_to_date(library, cached, book)
            _bring_families_up_to_date(library, collection, cached)
            self._grids[key] = cached
            while len(self._grids) > _MOST:
                del self._grids[next(iter(self._grids))]
            return cached.matrix


_CACHES: WeakKeyDictionary[ConnectionPool, GridCache] = WeakKeyDictionary()


def grid_cache(pool: ConnectionPool) -> GridCache:
    """Return the grids of a library that are kept in memory, for all who look at it."""
    return _CACHES.setdefault(pool, GridCache())


def _empty(
    entries: Sequence[Entry], playbook: Playbook, asked: Playbook, members: tuple[int, int]
) -> _CachedGrid:
    lines = tuple(
        GridRow(each.id, each.name, each.title, each.type, f"{each.name} {each.title}".casefold())
        for each in entries
    )
    shape = (len(lines), len(playbook.provisions) + len(asked.provisions))
    state, severity, review = (np.zeros(shape, np.uint8) for _ in range(3))
    possible_high, assigned = np.zeros(shape, bool), np.zeros(shape, bool)
    matrix = GridMatrix(
        playbook,
        asked,
        lines,
        state,
        severity,
        review,
        possible_high,
        assigned,
        np.zeros(shape, np.int32),
    )
    rows = {line.id: number for number, line in enumerate(lines)}
    return _CachedGrid(matrix, members, rows, {}, set(), set())


def _bring_families_up_to_date(library: Library, collection: str, cached: _CachedGrid) -> None:
    matrix, links = cached.matrix, family_links(library, collection)
    if matrix.families is links:
        return
    matrix.families = links
    matrix.heads = {
        row: head
        for document, link in links.items()
        if (row := cached.rows.get(document)) is not None
        and (head := cached.rows.get(link.head)) is not None
        and row != head
    }
    matrix.version += 1


def _bring_up_to_date(library: Library, cached: _CachedGrid, book: Playbook) -> None:
    matrix, before = cached.matrix, cached.marks.get(book.hash, SyncPosition())
    mark = cell_summaries.sync_position(library, book)
    if book.hash in cached.settled and mark == before:
        return
    changed, again = _fill(cached, cell_summaries.changed_cells(library, book, before))
    annotated = cell_summaries.annotated_cells(library, book, before)
    wanted = {place for place in annotated | again if place[0] in cached.rows}
    columns = {provision: number for number, provision in enumerate(matrix.provisions)}
    for document, provision, opinion in cell_summaries.review_summaries(library, book, wanted):
        place = cached.rows[document], columns[provision]
        matrix.review[place] = _REVIEW[opinion.review]
        matrix.headline[place] = matrix.headline_number(opinion.headline)
        matrix.state[place] = _STATE[opinion.state.value]
        matrix.severity[place] = _SEVERITY[opinion.severity.value]
        matrix.possible_high[place] = opinion.possible_high
        matrix.assigned[place] = bool(opinion.assigned)
        matrix.annotations[place] = opinion
    cached.seen |= annotated
    cached.marks[book.hash] = mark
    cached.settled.discard(book.hash)
    if mark.made < (datetime.now(UTC) - _SETTLED).isoformat(timespec="seconds"):
        cached.settled.add(book.hash)
    matrix.version += bool(changed or wanted)


def _fill(
    cached: _CachedGrid, cells: Iterable[tuple[str, list[CellSummary]]]
) -> tuple[bool, set[tuple[str, str]]]:
    """Take cells over; tell whether any is another, and which people spoke of before."""
    matrix, seen = cached.matrix, cached.seen
    columns = {provision: number for number, provision in enumerate(matrix.provisions)}
    codes: dict[CellSummary, tuple[int, int, int, bool, int]] = {}
    any_changed, again = False, set()
    for document, looks in cells:
        row = cached.rows.get(document)
        if row is None:
            continue
        for each in set(looks).difference(codes):
            provision, state, severity, possible_high, statement = each
            place = columns.get(provision, -1)  # a column that is not shown any more
            codes[each] = (
                place,
                _STATE[state],
                _SEVERITY[severity],
                possible_high,
                matrix.headline_number(statement),
            )
        coded = np.array([codes[each] for each in looks], np.intp)
        places, states, severities, graver, headlines = coded[coded[:, 0] >= 0].T
        for held, came in (
            (matrix.state, states), (matrix.severity, severities),
            (matrix.possible_high, graver), (matrix.headline, headlines),
        ):  # fmt: skip
            any_changed |= bool((held[row, places] != came).any())
            held[row, places] = came
        if seen:
            again |= {(document, each[0]) for each in looks if each[0] in columns} & seen
    return any_changed, again
