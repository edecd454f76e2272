"""`export_tables`: a library as plain tables of SQLite, for other programs.

They need no extension and no recent SQLite: Python 3.11's `sqlite3` and every spreadsheet's driver
read them. They hold what a library says of its contracts, and nothing that only a search needs.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.library.database import Row, SQLiteValue, as_string
from fourcorners.library.store import Library
from fourcorners.library.tables.stored_json import StoredJson
from fourcorners.review.finding import Finding
from fourcorners.system import private_files

_SCHEMA = """
    CREATE TABLE documents(
        id TEXT PRIMARY KEY, collection TEXT, name TEXT, path TEXT, sha256 TEXT, media_type TEXT,
        type TEXT, title TEXT, pages INTEGER, added TEXT, text TEXT
    );
    CREATE TABLE clauses(
        document TEXT REFERENCES documents(id), number INTEGER, parent INTEGER, kind TEXT,
        label TEXT, heading TEXT, start INTEGER, "end" INTEGER, PRIMARY KEY (document, number)
    );
    CREATE TABLE findings(
        document TEXT REFERENCES documents(id), playbook TEXT, version TEXT, provision TEXT,
        state TEXT, severity TEXT, answers TEXT, reason TEXT, error TEXT, made TEXT,
        PRIMARY KEY (document, version, provision)
    );
    CREATE TABLE quotes(
        document TEXT REFERENCES documents(id), version TEXT, provision TEXT, number INTEGER,
        words TEXT, start INTEGER, "end" INTEGER, clause_start INTEGER, clause_end INTEGER,
        path TEXT, first_page TEXT, last_page TEXT, score REAL,
        PRIMARY KEY (document, version, provision, number)
    );
    CREATE TABLE marks(
        number INTEGER PRIMARY KEY, document TEXT, playbook TEXT, provision TEXT, person TEXT,
        at TEXT, state TEXT, value TEXT, severity TEXT, start INTEGER, "end" INTEGER, comment TEXT,
        withdrawn INTEGER
    );
    CREATE TABLE audit(
        seq INTEGER PRIMARY KEY, at TEXT, event TEXT, detail TEXT, previous TEXT, hash TEXT
    );
"""
_FINDING: StoredJson[Finding] = StoredJson(Finding)
_CELLS = """
    SELECT playbook, made, finding FROM review_findings
    WHERE document IN (SELECT id FROM documents) ORDER BY document, playbook, provision
"""
_MARKS = """
    SELECT row, document, playbook, provision, by, at, state, value, severity, start, "end",
    comment, CASE WHEN row IN (SELECT remark FROM withdrawn_remarks) THEN 1 ELSE 0 END
    FROM remarks ORDER BY row
"""


def export_tables(library: Library, target: Path) -> dict[str, int]:
    """Write a library's contracts and what is known of them; return the rows of each table.

    Raises:
        ConfigError: If there is a file already, or none can be made.
    """
    partial = target.with_name(f"{target.name}.part")
    if target.exists():
        raise ConfigError(f"{target} is there already.", remedy="Name another file.")
    try:
        private_files.open_new(partial).close()
    except OSError as error:
        raise ConfigError(
            f"{target} cannot be written: {error.strerror}.", remedy="Name another file."
        ) from error
    try:
        with closing(sqlite3.connect(partial)) as connection, library.snapshot():
            connection.executescript(f"PRAGMA journal_mode = off; BEGIN; {_SCHEMA}")
            counts = {
                "documents": _write(connection, "documents", _documents(library)),
                "clauses": _write(connection, "clauses", _clauses(library)),
                "findings": _write(connection, "findings", _findings(library)),
                "quotes": _write(connection, "quotes", _quotes(library)),
                "marks": _write(connection, "marks", iter(library.execute(_MARKS))),
                "audit": _write(connection, "audit", _audit(library)),
            }
            connection.commit()
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return counts


def _write(connection: sqlite3.Connection, table: str, rows: Iterator[Row]) -> int:
    count = 0
    for row in rows:
        places = ", ".join("?" for _ in row)
        connection.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608 - ours
        count += 1
    return count


def _documents(library: Library) -> Iterator[Row]:
    for entry in library.documents():
        yield (
            *(entry.id, entry.collection, entry.name, entry.path),
            *(library.document(entry.id).sha256, entry.media_type, entry.type, entry.title),
            *(entry.pages, entry.added.isoformat(), library.text(entry.id)),
        )


def _clauses(library: Library) -> Iterator[Row]:
    for entry in library.documents():
        text = library.text(entry.id)
        for node in library.outline(entry.id).nodes:
            heading = node.heading.text_in(text) if node.heading else ""
            place = (node.span.start, node.span.end)
            yield entry.id, node.id, node.parent, node.kind.value, node.label, heading, *place


def _stored_cells(library: Library) -> Iterator[tuple[str, str, Finding]]:
    """Yield the version of its playbook, the time and the finding of each cell."""
    for version, made, finding in library.execute(_CELLS):
        yield as_string(version), as_string(made), _FINDING.load(as_string(finding))


def _findings(library: Library) -> Iterator[Row]:
    names = _playbooks(library)
    for version, made, cell in _stored_cells(library):
        yield (
            *(cell.document, names.get(version, ""), version, cell.provision, cell.state.value),
            *(cell.severity.value, _answers(cell), cell.reason, cell.error, made),
        )


def _answers(cell: Finding) -> SQLiteValue:
    return json.dumps({each.id: each.value for each in cell.answers}, ensure_ascii=False)


def _quotes(library: Library) -> Iterator[Row]:
    for version, _, cell in _stored_cells(library):
        for number, each in enumerate(cell.evidence):
            first, last = each.pages or (None, None)
            span = each.quote.span or each.clause
            yield (
                *(cell.document, version, cell.provision, number, each.quote.words),
                *(span.start, span.end, each.clause.start, each.clause.end),
                " › ".join(each.path),
                *(None if page is None else str(page) for page in (first, last)),
                each.score,
            )


def _audit(library: Library) -> Iterator[Row]:
    for each in library.audit_trail():
        yield each.seq, each.at, each.event, each.detail, each.previous, each.hash


def _playbooks(library: Library) -> dict[str, str]:
    """Return the playbook of each version by its hash, as the reviews name them."""
    specs = [
        json.loads(as_string(spec))
        for (spec,) in library.execute("SELECT spec FROM jobs WHERE kind = 'review'")
    ]
    return {spec["hash"]: spec["playbook"] for spec in specs}
