"""A grid as the day makes it: how grave a cell is where that depends on when a term ends.

The reports of the same day say the same, for the rules are those of `review/terms.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date

import numpy as np

from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing import findings
from fourcorners.outline.card.term import find_final_end
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import CellState, Severity
from fourcorners.review.risk.term_dates import dated_rules, deciding_rule
from fourcorners.search.graph.in_force import card_in_force
from fourcorners.server.context import RequestContext
from fourcorners.server.grid.matrix import SEVERITIES, STATES, GridMatrix, grid_cache
from fourcorners.server.grid.query import GridQuery
from fourcorners.server.store.connection_pool import ConnectionPool


@contextmanager
def open_grid(
    context: RequestContext, wanted: GridQuery, role: Role = Role.READER
) -> Iterator[tuple[Library, GridMatrix]]:
    """Lend the library to someone who holds a role in a collection, and a grid of it by today.

    Raises:
        NotFound: If the collection is none that they may read, or there is no such playbook.
        NotAllowed: If they hold a lesser role there.
    """
    with context.access() as access:
        library = access.library_for(wanted.collection, role)
        book = playbooks.load_playbook(access, wanted.playbook, wanted.collection)
        yield library, dated_grid(context.state.connection_pool, access, wanted.collection, book)


def dated_grid(
    pool: ConnectionPool, access: Access, collection: str, playbook: Playbook
) -> GridMatrix:
    """Return the grid of a collection by a playbook, as it is now, and as grave as the day has it.

    Raises:
        NotFound: If the collection is none that they may read.
    """
    matrix = grid_cache(pool).get(access, collection, playbook)
    library = access.library_for(collection, Role.READER)
    return _grid_at(library, matrix, findings.current_date())


def _grid_at(library: Library, matrix: GridMatrix, day: date) -> GridMatrix:
    """Return a grid with the severities of a day; the one that is given stays as it is."""
    severity = None
    for column, provision in enumerate(matrix.columns):
        rules = dated_rules(provision)
        for state in {CellState(rule.when) for rule in rules}:
            for row in np.flatnonzero(matrix.state[:, column] == STATES.index(state)).tolist():
                if row not in matrix.ends:
                    matrix.ends[row] = find_final_end(card_in_force(library, matrix.rows[row].id))
                end = matrix.ends[row]
                summary = matrix.annotations.get((row, column))
                if summary is not None and summary.is_severity_set:
                    continue
                given = SEVERITIES[matrix.severity[row, column]]
                rule = None if end is None else deciding_rule(rules, state, given, end, day)
                if rule is not None:
                    severity = matrix.severity.copy() if severity is None else severity
                    severity[row, column] = SEVERITIES.index(Severity(rule.severity))
    return matrix if severity is None else replace(matrix, severity=severity)
