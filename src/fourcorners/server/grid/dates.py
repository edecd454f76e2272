"""A grid as the day makes it: how grave a cell is where that depends on when a term ends.

The reports of the same day say the same, for the rules are those of `review/terms.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from weakref import WeakKeyDictionary

import numpy as np

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.risk.term_dates import apply_term_dates, dated_rules, deciding_rule
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.grid.matrix import SEVERITIES, STATES, GridMatrix, GridRow, grid_cache
from fourcorners.server.store.connection_pool import ConnectionPool

_MOST = 8  # grids whose ends are kept; as many as there are grids in memory


class _Ends:
    """When the contracts of a grid end, read once for as long as its rows are these."""

    def __init__(self, lines: tuple[GridRow, ...]) -> None:
        self.lines = lines
        self._known: dict[int, date | None] = {}

    def principal_of(self, library: Library, row: int) -> date | None:
        if row not in self._known:
            fact = library.card(self.lines[row].id).expiry_date
            self._known[row] = fact.value if fact else None
        return self._known[row]


_OF_SHELVES: WeakKeyDictionary[ConnectionPool, dict[int, _Ends]] = WeakKeyDictionary()


def current_date() -> date:
    """Return the day that a grid is looked at, as a review reckons it."""
    return datetime.now(UTC).date()


def dated_grid(
    shelf: ConnectionPool,
    access: Access,
    collection: str,
    playbook: Playbook,
    day: date | None = None,
) -> GridMatrix:
    """Return the grid of a collection by a playbook, as it is now, and as grave as the day has it.

    Raises:
        NotFound: If the collection is none that they may read.
    """
    matrix = grid_cache(shelf).get(access, collection, playbook)
    library = access.library_for(collection, Role.READER)
    return grid_at(library, matrix, _ends_of(shelf, matrix), day or current_date())


def grid_at(library: Library, matrix: GridMatrix, ends: _Ends, day: date) -> GridMatrix:
    """Return a grid with the severities of a day; the one that is given stays as it is."""
    severity = None
    for column, provision in enumerate(matrix.columns):
        rules = dated_rules(provision)
        for state in {CellState(rule.when) for rule in rules}:
            for row in np.flatnonzero(matrix.state[:, column] == STATES.index(state)).tolist():
                end = ends.principal_of(library, row)
                given = SEVERITIES[matrix.severity[row, column]]
                rule = None if end is None else deciding_rule(rules, state, given, end, day)
                if rule is not None:
                    severity = matrix.severity.copy() if severity is None else severity
                    severity[row, column] = SEVERITIES.index(Severity(rule.severity))
    return matrix if severity is None else replace(matrix, severity=severity)


def findings_at(
    library: Library, playbook: Playbook, findings: Sequence[Finding], day: date | None = None
) -> list[Finding]:
    """Return findings as grave as the day has them."""
    dependent = {each.id for each in playbook.provisions if dated_rules(each)}
    documents = {each.document for each in findings if each.provision in dependent}
    cards = {each: library.card(each) for each in documents}
    return apply_term_dates(findings, cards, playbook, day or current_date())


def _ends_of(shelf: ConnectionPool, matrix: GridMatrix) -> _Ends:
    kept = _OF_SHELVES.setdefault(shelf, {})
    ends = kept.pop(id(matrix.rows), None) or _Ends(matrix.rows)
    kept[id(matrix.rows)] = ends  # it holds these lines, so that the number stays theirs
    while len(kept) > _MOST:
        kept.pop(next(iter(kept)), None)
    return ends
