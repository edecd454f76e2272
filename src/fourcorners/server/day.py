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
from fourcorners.review.terms import deciding, rules_of, with_terms
from fourcorners.server.access import Access
from fourcorners.server.grid.matrix import SEVERITIES, STATES, Line, Matrix, matrices_of
from fourcorners.server.principal import Role
from fourcorners.server.shelf import Shelf

_MOST = 8  # grids whose ends are kept; as many as there are grids in memory


class _Ends:
    """When the contracts of a grid end, read once for as long as its rows are these."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self.lines = lines
        self._known: dict[int, date | None] = {}

    def of(self, library: Library, row: int) -> date | None:
        if row not in self._known:
            fact = library.card(self.lines[row].id).expiry_date
            self._known[row] = fact.value if fact else None
        return self._known[row]


_OF_SHELVES: WeakKeyDictionary[Shelf, dict[int, _Ends]] = WeakKeyDictionary()


def today() -> date:
    """Return the day that a grid is looked at, as a review reckons it."""
    return datetime.now(UTC).date()


def grid_of(
    shelf: Shelf, access: Access, collection: str, playbook: Playbook, day: date | None = None
) -> Matrix:
    """Return the grid of a collection by a playbook, as it is now, and as grave as the day has it.

    Raises:
        NotFound: If the collection is none that they may read.
    """
    matrix = matrices_of(shelf).of(access, collection, playbook)
    library = access.library_for(collection, Role.READER)
    return as_of(library, matrix, _ends_of(shelf, matrix), day or today())


def as_of(library: Library, matrix: Matrix, ends: _Ends, day: date) -> Matrix:
    """Return a grid with the severities of a day; the one that is given stays as it is."""
    severity = None
    for column, provision in enumerate(matrix.columns):
        rules = rules_of(provision)
        for state in {CellState(rule.when) for rule in rules}:
            for row in np.flatnonzero(matrix.state[:, column] == STATES.index(state)).tolist():
                end = ends.of(library, row)
                given = SEVERITIES[matrix.severity[row, column]]
                rule = None if end is None else deciding(rules, state, given, end, day)
                if rule is not None:
                    severity = matrix.severity.copy() if severity is None else severity
                    severity[row, column] = SEVERITIES.index(Severity(rule.severity))
    return matrix if severity is None else replace(matrix, severity=severity)


def findings_of(
    library: Library, playbook: Playbook, findings: Sequence[Finding], day: date | None = None
) -> list[Finding]:
    """Return findings as grave as the day has them."""
    dependent = {each.id for each in playbook.provisions if rules_of(each)}
    documents = {each.document for each in findings if each.provision in dependent}
    cards = {each: library.card(each) for each in documents}
    return with_terms(findings, cards, playbook, day or today())


def _ends_of(shelf: Shelf, matrix: Matrix) -> _Ends:
    kept = _OF_SHELVES.setdefault(shelf, {})
    ends = kept.pop(id(matrix.lines), None) or _Ends(matrix.lines)
    kept[id(matrix.lines)] = ends  # it holds these lines, so that the number stays theirs
    while len(kept) > _MOST:
        kept.pop(next(iter(kept)), None)
    return ends
