"""Findings in the library: one row a cell, written as soon as the cell is known."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from fourcorners.library.codec import Codec
from fourcorners.library.database import as_string, register_tables
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import annotations as remarks
from fourcorners.review.finding import CellState, Finding, ReviewState

_ROOM = "review"
_CELLS = """
    SELECT document, provision, finding, made FROM review_findings
    WHERE playbook = ?1 AND provision IN (SELECT value FROM json_each(?2))
"""
_CELLS_OF_ONE = f"{_CELLS} AND document = ?3"
_FINDING: Codec[Finding] = Codec(Finding)

register_tables(
    _ROOM,
    (
        """
        CREATE TABLE review_findings(
            document  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
            playbook  TEXT NOT NULL,
            provision TEXT NOT NULL,
            engine    TEXT NOT NULL,
            state     TEXT NOT NULL,
            finding   TEXT NOT NULL,
            made      TEXT NOT NULL,
            PRIMARY KEY (document, playbook, provision)
        ) STRICT, WITHOUT ROWID;
        """,
    ),
)


def _lean(finding: Finding) -> Finding:
    """Leave out what is kept elsewhere: the query, which is the playbook's, and people's words."""
    if finding.remarks:
        finding = replace(finding, review=ReviewState.PROPOSED, value="", place=None, remarks=())
    finding = replace(finding, outlier=None)
    if finding.searched is None:
        return finding
    return replace(finding, searched=replace(finding.searched, query=""))


def _whole(finding: Finding, query: str) -> Finding:
    if finding.searched is None:
        return finding
    return replace(finding, searched=replace(finding.searched, query=query))


def save_findings(
    library: Library, playbook: Playbook, engine: str, findings: Collection[Finding]
) -> None:
    """Store cells under the playbook's hash and the engine that filled them.

    Inside the caller's transaction if there is one; a cell stored before is replaced. Where people
    judged a cell that is another now, a remark says so.
    """
    library.migrate(_ROOM)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with library.transaction():
        library.execute_many(
            "INSERT OR REPLACE INTO review_findings VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    finding.document,
                    playbook.hash,
                    finding.provision,
                    engine,
                    finding.state.value,
                    _FINDING.dump(_lean(finding)),
                    now,
                )
                for finding in findings
            ],
        )
        remarks.append_change_notes(library, playbook.id, findings)


def load_findings(library: Library, playbook: Playbook, document: str) -> dict[str, Finding]:
    """Return the stored cells of a document, by provision, of those that the playbook has.

    Each with what people said of it.
    """
    return load_cells(library, playbook, [each.id for each in playbook.provisions], document).get(
        document, {}
    )


def load_cells(
    library: Library,
    playbook: Playbook,
    provisions: Collection[str],
    document: str | None = None,
) -> dict[str, dict[str, Finding]]:
    """Return the stored cells of these provisions, of all documents or one.

    They come by document and provision, each with what people said of it.

    Raises:
        ConfigError: If the playbook has no such provision.
    """
    library.migrate(_ROOM)
    known = {each.id: each for each in playbook.provisions}
    wanted = sorted({*provisions})
    for each in wanted:
        if each not in known:
            known[each] = playbook.provision(each)  # which tells what names there are
    queries: dict[str, str] = {}
    with library.snapshot():
        rows = library.execute(
            _CELLS if document is None else _CELLS_OF_ONE,
            (playbook.hash, json.dumps(wanted), *([] if document is None else [document])),
        )
        said = remarks.select_annotations(
            library, playbook.id, document=document, provisions=wanted
        )
    found: dict[str, dict[str, Finding]] = {}
    for row in rows:
        place, provision, text, made = (as_string(value) for value in row)
        if provision not in queries:
            queries[provision] = str(known[provision].query)
        finding = _whole(_FINDING.load(text), queries[provision])
        told = said.get((place, provision), [])
        found.setdefault(place, {})[provision] = remarks.apply_annotations(finding, told, made)
    return found


def failed_cells(library: Library, playbook: Playbook) -> Mapping[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells have failed."""
    return _by_document(
        library,
        "SELECT document, provision FROM review_findings WHERE playbook = ? AND state = ?",
        playbook.hash,
        CellState.FAILED.value,
    )


def answered_cells(library: Library, playbook: Playbook) -> Mapping[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells are filled, by any engine."""
    return _by_document(
        library,
        "SELECT document, provision FROM review_findings WHERE playbook = ? AND state != ?",
        playbook.hash,
        CellState.FAILED.value,
    )


def filled_cells(library: Library, playbook: str, engine: str) -> Mapping[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells this engine has filled.

    Failed cells do not count: they are tried again.
    """
    return _by_document(
        library,
        "SELECT document, provision FROM review_findings "
        "WHERE playbook = ? AND engine = ? AND state != ?",
        playbook,
        engine,
        CellState.FAILED.value,
    )


def _by_document(library: Library, sql: str, *bindings: str) -> Mapping[str, frozenset[str]]:
    library.migrate(_ROOM)
    found: dict[str, set[str]] = {}
    for document, provision in library.execute(sql, bindings):
        found.setdefault(as_string(document), set()).add(as_string(provision))
    return {document: frozenset(provisions) for document, provisions in found.items()}
