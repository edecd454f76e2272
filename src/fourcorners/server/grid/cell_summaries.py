"""What the library says of cells at a glance, without reading the whole of each finding.

Place, state, severity and what the answers say of every cell are kept in a narrow table beside the
findings, by triggers: so half a million cells are known in seconds, and what has changed since in
milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from fourcorners.library.database import as_integer, as_string, register_tables
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import Author, CellState, Finding, ReviewState, Severity
from fourcorners.review.people.review_actions import assignee

_ROOM = "review_grid"
_BY_DOCUMENT = "review_filled"  # an index by which cells are counted, and no finding is read
_LENGTH = 110  # characters of a quote that a cell of the grid shows
# A finding is stored as the array of its fields, with their names in front (`library/codec.py`).
# One that was written with other names in these places, or is damaged, is read whole.
# An index over expressions would not do: SQLite looks each finding up that it is asked of.
_KNOWN = (
    "json_extract(finding, '$.layout.Finding[5]', '$.layout.Finding[3]', '$.layout.Finding[6]', "
    "'$.layout.Finding[9]', '$.layout.Evidence[0]', '$.layout.Evidence[4]', '$.layout.Quote[0]') "
    '= \'["severity","evidence","reason","error","quote","score","words"]\''
)
_SEVERITY = f"CASE WHEN {_KNOWN} THEN json_extract(finding, '$.value[5]') END"
_LIKELIEST = """
    (SELECT e.value ->> '$[0][0]' FROM json_each(finding, '$.value[3]') e
     ORDER BY CAST(e.value ->> '$[4]' AS REAL) DESC, e.key LIMIT 1)
"""
_WORDS = f"""
    CASE WHEN NOT json_valid(finding) OR NOT {_KNOWN} THEN NULL
         WHEN state = 'found' THEN coalesce({_LIKELIEST}, '')
         WHEN state = 'failed' THEN finding ->> '$.value[9]'
         ELSE finding ->> '$.value[6]' END
"""
# An array of them, each with its value for programs, as JSON: so no words of a contract can stand
# for what parts the fields here.
_STATEMENTS = """
    (SELECT json_group_array(
         json_array(a.value ->> f.key, coalesce(a.value ->> v.key, '')) ORDER BY a.key)
     FROM json_each(finding, '$.layout.Finding') l,
          json_each(finding, '$.layout.RiskAnswer') f,
          json_each(finding, '$.layout.RiskAnswer') v,
          json_each(finding, '$.value[' || l.key || ']') a
     WHERE l.value = 'answers' AND f.value = 'statement' AND v.value = 'value'
       AND a.value ->> f.key != '')
"""

_COLUMNS = "playbook, document, provision, made, state, severity, statement"
_NEW = f"""
    DELETE FROM grid_glances
    WHERE playbook = new.playbook AND document = new.document AND provision = new.provision;
    INSERT INTO grid_glances({_COLUMNS}) VALUES (
        new.playbook, new.document, new.provision, new.made, new.state,
        {_SEVERITY.replace("(finding,", "(new.finding,")},
        {_STATEMENTS.replace("(finding,", "(new.finding,")}
    );
"""  # noqa: S608
_OLD = """
    DELETE FROM grid_glances
    WHERE playbook = old.playbook AND document = old.document AND provision = old.provision;
"""
_FIELD, _CELL = "\x1f", "\x1e"  # what stands between the fields of a cell, and between cells

register_tables(
    _ROOM,
    (
        "SELECT 1;",
        "SELECT 1;",
        "SELECT 1;",
        # It comes before `review_findings` in the alphabet: so a library is copied table by table.
        # Triggers, not a reference, take out what leaves: a reference wants an index of its own.
        f"""
        DROP INDEX IF EXISTS review_findings_at_a_glance;
        DROP TRIGGER IF EXISTS grid_glances_come;
        DROP TRIGGER IF EXISTS grid_glances_change;
        DROP TRIGGER IF EXISTS grid_glances_go;
        DROP TABLE IF EXISTS grid_glances;
        CREATE TABLE grid_glances(
            playbook  TEXT NOT NULL,
            document  TEXT NOT NULL,
            provision TEXT NOT NULL,
            made      TEXT NOT NULL,
            state     TEXT NOT NULL,
            severity  TEXT,
            statement TEXT NOT NULL,
            PRIMARY KEY (playbook, document, provision)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO grid_glances({_COLUMNS})
        SELECT playbook, document, provision, made, state,
               CASE WHEN json_valid(finding) THEN {_SEVERITY} END,
               CASE WHEN json_valid(finding) THEN {_STATEMENTS} ELSE '[]' END
        FROM review_findings;
        CREATE INDEX grid_glances_by_time ON grid_glances(playbook, made);
        CREATE TRIGGER grid_glances_come AFTER INSERT ON review_findings BEGIN {_NEW} END;
        CREATE TRIGGER grid_glances_change AFTER UPDATE ON review_findings BEGIN {_OLD}{_NEW} END;
        CREATE TRIGGER grid_glances_go AFTER DELETE ON review_findings BEGIN {_OLD} END;
        """,  # noqa: S608
    ),
)

register_tables(
    _BY_DOCUMENT,
    (
        """
        CREATE INDEX review_findings_by_document ON review_findings(playbook, document, made);
        """,
    ),
)


def create_tables(library: Library) -> None:
    for room in ("review", "remarks", _ROOM):
        library.migrate(room)


CellStatements: TypeAlias = tuple[tuple[str, str], ...]
"""What the answers of a cell say, each with its value for programs, which may be empty."""

CellSummary: TypeAlias = tuple[str, str, str, CellStatements]
"""A cell as the program filled it: provision, the values of state and severity, what is said."""


@dataclass(frozen=True, slots=True)
class ReviewSummary:
    """What people's remarks on a cell come to.

    Attributes:
        assigned: Who is to look at it; empty for nobody.
        value: What they put in the place of its words.
        comments: How often people said why, or anything else.
        state: Of the cell, as people's word has it; and so its severity.
        is_severity_set: Whether a person set the severity.
        headline: What the answers say with that; nothing where people put other words there.
    """

    review: ReviewState
    assigned: str
    value: str
    comments: int
    state: CellState
    severity: Severity
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
    table, bindings = "grid_glances WHERE playbook = ?", [playbook.hash]
    if since.made:
        table = "grid_glances INDEXED BY grid_glances_by_time WHERE playbook = ? AND made >= ?"
        bindings.append(since.made)
    parts = f" || '{_FIELD}' || ".join(
        ("provision", "state", "coalesce(severity, '')", "statement")
    )
    rows = library.execute(
        f"SELECT document, group_concat({parts}, '{_CELL}') FROM {table} "  # noqa: S608
        "GROUP BY document",
        bindings,
    )
    parse = cache(_parse)  # there are far fewer of them than cells
    for identity, cells in rows:
        document, summaries = as_string(identity), as_string(cells)
        if document in library.damaged:
            continue
        glances = [parse(each) for each in summaries.split(_CELL)]
        if f"{_FIELD}{_FIELD}" in summaries:  # a severity is not kept
            glances = [
                (
                    name,
                    state,
                    severity or _load_finding(library, playbook, document, name).severity.value,
                    statement,
                )
                for name, state, severity, statement in glances
            ]
        yield document, glances


def _parse(text: str) -> CellSummary:
    provision, state, severity, statement = text.split(_FIELD)
    return (
        provision,
        state,
        severity,
        tuple((words, value) for words, value in json.loads(statement)),
    )


def sync_position(library: Library, playbook: Playbook) -> SyncPosition:
    """Return how far the library goes now; take it before what it is a mark of is read."""
    made = library.execute(
        "SELECT max(made) FROM grid_glances INDEXED BY grid_glances_by_time WHERE playbook = ?",
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
                bool(finding.severity_by),
                statement,
            )
            yield document, provision, summary


def cell_texts(
    library: Library,
    playbook: Playbook,
    documents: Iterable[str],
    provisions: Iterable[str],
) -> dict[tuple[str, str], str]:
    """Return the likeliest words that the cells of a window quote, by document and provision.

    Of a cell that quotes nothing, the reason: why it failed, matters all the same or was not asked.
    """
    rows = library.execute(
        f"SELECT document, provision, {_WORDS} FROM review_findings "  # noqa: S608
        "WHERE document IN (SELECT value FROM json_each(?1)) AND playbook = ?2 "
        "AND provision IN (SELECT value FROM json_each(?3))",
        (json.dumps(list(documents)), playbook.hash, json.dumps(list(provisions))),
    )
    found: dict[tuple[str, str], str] = {}
    for document, provision, text in rows:
        place = (as_string(document), as_string(provision))
        if text is None:
            whole = _load_finding(library, playbook, *place)
            text = whole.best.quote.words if whole.best else whole.error or whole.reason
        found[place] = as_string(text)[:_LENGTH]
    return found


def _load_finding(library: Library, playbook: Playbook, document: str, provision: str) -> Finding:
    return store.load_cells(library, playbook, [provision], document)[document][provision]


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """The cells of a collection that a playbook has filled; `last` is when the last was."""

    collection: str
    playbook: str
    cells: int
    last: str


def count_filled(library: Library, playbooks: Iterable[str]) -> list[ReviewProgress]:
    """Return how many cells of each collection are filled, by playbooks that go by their hashes."""
    library.migrate("review")
    library.migrate(_BY_DOCUMENT)
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
        ReviewProgress(as_string(name), as_string(playbook), as_integer(cells), as_string(last))
        for name, playbook, cells, last in rows
    ]
