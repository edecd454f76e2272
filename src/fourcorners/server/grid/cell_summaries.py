"""What the grid shows of cells, without reading the findings.

`review.store` keeps a summary of each in a narrow table: half a million cells are listed in
seconds, and what has changed since in milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.annotations import assignee
from fourcorners.review.finding import Author, CellState, ReviewState, Severity

_FIELD, _CELL = "\x1f", "\x1e"  # separators of the fields of a cell, and of cells

CellStatements: TypeAlias = tuple[tuple[str, str], ...]
"""What the answers of a cell say, each with its value for programs, which may be empty."""

CellSummary: TypeAlias = tuple[str, str, str, bool, CellStatements]
"""A cell as the program filled it: provision, the values of state and severity, what is said.

Before the last is whether an open question could make it high.
"""
_POSSIBLE_HIGH = """
    CASE WHEN severity IN ('medium', 'to_read') AND EXISTS (
        SELECT 1 FROM review_findings f WHERE f.document = review_summaries.document
        AND f.playbook = review_summaries.playbook AND f.provision = review_summaries.provision
        AND f.finding LIKE '%"possible_severity":"high"%'
    ) THEN '1' ELSE '' END
"""  # not by json_extract: one damaged finding would end the grid of all


@dataclass(frozen=True, slots=True)
class ReviewSummary:
    """What people's remarks on a cell come to.

    Attributes:
        assigned: Who is to look at it; empty for nobody.
        value: What they put in the place of its words.
        comments: How often people said why, or anything else.
        state: Of the cell, as people's word has it; and so its severity, and what it could be.
        is_severity_set: Whether a person set the severity.
        headline: What the answers say with that; nothing where people put other words there.
    """

    review: ReviewState
    assigned: str
    value: str
    comments: int
    state: CellState
    severity: Severity
    possible_high: bool = False
    is_severity_set: bool = False
    headline: CellStatements = ()


@dataclass(frozen=True, slots=True)
class SyncPosition:
    """How far the library was read: the last cell's time, and the last remark's number."""

    made: str = ""
    annotation: int = 0


def changed_cells(
    library: Library, playbook: Playbook, since: SyncPosition
) -> Iterator[tuple[str, list[CellSummary]]]:
    """Yield the cells that were filled since (those of the same second again), by document."""
    table, bindings = "review_summaries WHERE playbook = ?", [playbook.hash]
    if since.made:
        table = (
            "review_summaries INDEXED BY review_summaries_by_time WHERE playbook = ? AND made >= ?"
        )
        bindings.append(since.made)
    parts = f" || '{_FIELD}' || ".join(
        ("provision", "state", "severity", _POSSIBLE_HIGH, "statements")
    )
    rows = library.execute(
        f"SELECT document, group_concat({parts}, '{_CELL}') FROM {table} "  # noqa: S608
        "GROUP BY document",
        bindings,
    )
    parse = cache(_parse)  # there are far fewer of them than cells
    for identity, cells in rows:
        document = as_string(identity)
        if document not in library.damaged:
            yield document, [parse(each) for each in as_string(cells).split(_CELL)]


def _parse(text: str) -> CellSummary:
    provision, state, severity, graver, statements = text.split(_FIELD)
    pairs = tuple(tuple(each) for each in json.loads(statements))
    return provision, state, severity, bool(graver), pairs


def sync_position(library: Library, playbook: Playbook) -> SyncPosition:
    """Return how far the library goes now; take it before what it is a mark of is read."""
    made = library.execute(
        "SELECT max(made) FROM review_summaries INDEXED BY review_summaries_by_time "
        "WHERE playbook = ?",
        (playbook.hash,),
    )[0][0]
    number = library.execute("SELECT coalesce(max(row), 0) FROM remarks")[0][0]
    return SyncPosition("" if made is None else as_string(made), as_integer(number))


def annotated_cells(
    library: Library, playbook: Playbook, since: SyncPosition
) -> set[tuple[str, str]]:
    """Return the cells, by document and provision, of which something was said since."""
    rows = library.execute(
        "SELECT DISTINCT document, provision FROM remarks WHERE playbook = ? AND row > ?",
        (playbook.id, since.annotation),
    )
    return {(as_string(document), as_string(provision)) for document, provision in rows}


def review_summaries(
    library: Library, playbook: Playbook, places: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str, ReviewSummary]]:
    """Yield what people's remarks on cells come to; a cell that is not there is passed over."""
    known = {provision.id for provision in playbook.provisions}
    by_document: dict[str, set[str]] = {}
    for document, provision in places:
        if provision in known:
            by_document.setdefault(document, set()).add(provision)
    for document, provisions in by_document.items():
        cells = store.load_cells(library, playbook, provisions, document).get(document, {})
        for provision, finding in cells.items():
            people_remarks = [each for each in finding.remarks if each.author is Author.PERSON]
            comments = sum(bool(each.comment) for each in people_remarks)
            assigned = assignee(finding.remarks)
            statement = (
                ()
                if finding.value
                else tuple((e.statement, e.value) for e in finding.answers if e.statement)
            )
            summary = ReviewSummary(
                finding.review,
                assigned,
                finding.value,
                comments,
                finding.state,
                finding.severity,
                finding.possible_severity is Severity.HIGH,
                bool(finding.severity_by),
                statement,
            )
            yield document, provision, summary


@dataclass(frozen=True, slots=True)
class CollectionProgress:
    """The cells of a collection that a playbook has filled; `last` is when the last was."""

    collection: str
    playbook: str
    cells: int
    last: str


def count_filled(library: Library, playbooks: Iterable[str]) -> list[CollectionProgress]:
    """Return how many cells of each collection are filled, by playbooks that go by their hashes."""
    rows = library.execute(
        """
        WITH f AS MATERIALIZED (
            SELECT playbook, document, count(*) AS cells, max(made) AS last
            FROM review_findings INDEXED BY review_findings_by_document
            WHERE playbook IN (SELECT value FROM json_each(?))
            GROUP BY playbook, document
        )
        SELECT c.name, f.playbook, sum(f.cells), max(f.last)
        FROM f
        JOIN documents d ON d.id = f.document
        JOIN collections c ON c.row = d.collection
        GROUP BY c.row, f.playbook
        """,
        (json.dumps(sorted(playbooks)),),
    )
    return [
        CollectionProgress(as_string(name), as_string(playbook), as_integer(cells), as_string(last))
        for name, playbook, cells, last in rows
    ]
