"""Findings in the library: one row a cell, written as soon as the cell is known."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from fourcorners.library.codec import Codec
from fourcorners.library.database import register, string
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import CellState, Finding

_ROOM = "review"
_FINDING: Codec[Finding] = Codec(Finding)

register(
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
    """Leave out the query: it is the playbook's, the same for every document."""
    if finding.searched is None:
        return finding
    return replace(finding, searched=replace(finding.searched, query=""))


def _whole(finding: Finding, query: str) -> Finding:
    if finding.searched is None:
        return finding
    return replace(finding, searched=replace(finding.searched, query=query))


def save(library: Library, playbook: str, engine: str, findings: Iterable[Finding]) -> None:
    """Store cells under the playbook's hash and the engine that filled them.

    Inside the caller's transaction if there is one; a cell stored before is replaced.
    """
    library.prepare(_ROOM)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    library.execute_many(
        "INSERT OR REPLACE INTO review_findings VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                finding.document,
                playbook,
                finding.provision,
                engine,
                finding.state.value,
                _FINDING.dump(_lean(finding)),
                now,
            )
            for finding in findings
        ],
    )


def load(library: Library, playbook: Playbook, document: str) -> dict[str, Finding]:
    """Return the stored cells of a document, by provision, of those that the playbook has."""
    library.prepare(_ROOM)
    rows = library.execute(
        "SELECT provision, finding FROM review_findings WHERE document = ? AND playbook = ?",
        (document, playbook.hash),
    )
    queries = {provision.id: str(provision.query) for provision in playbook.provisions}
    return {
        string(provision): _whole(_FINDING.load(string(text)), queries[string(provision)])
        for provision, text in rows
        if provision in queries
    }


def cells(
    library: Library, playbook: Playbook, provisions: Collection[str]
) -> dict[str, dict[str, Finding]]:
    """Return the stored cells of these provisions, of all documents, by document and provision."""
    library.prepare(_ROOM)
    queries = {each: str(playbook.provision(each).query) for each in provisions}
    rows = library.execute(
        "SELECT document, provision, finding FROM review_findings "
        "WHERE playbook = ? AND provision IN (SELECT value FROM json_each(?))",
        (playbook.hash, json.dumps(sorted(queries))),
    )
    found: dict[str, dict[str, Finding]] = {}
    for document, provision, text in rows:
        finding = _whole(_FINDING.load(string(text)), queries[string(provision)])
        found.setdefault(string(document), {})[string(provision)] = finding
    return found


def filled(library: Library, playbook: str, engine: str) -> Mapping[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells this engine has filled.

    Failed cells do not count: they are tried again.
    """
    library.prepare(_ROOM)
    found: dict[str, set[str]] = {}
    for document, provision in library.execute(
        "SELECT document, provision FROM review_findings "
        "WHERE playbook = ? AND engine = ? AND state != ?",
        (playbook, engine, CellState.FAILED.value),
    ):
        found.setdefault(string(document), set()).add(string(provision))
    return {document: frozenset(provisions) for document, provisions in found.items()}
