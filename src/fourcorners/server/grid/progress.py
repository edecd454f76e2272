"""How far the reviews of a library are: counted by an index, and no finding is read for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from fourcorners.library.database import as_integer, as_string, register_tables
from fourcorners.library.store import Library

_ROOM = "review_filled"

register_tables(
    _ROOM,
    (
        """
        CREATE INDEX review_findings_by_document ON review_findings(playbook, document, made);
        """,
    ),
)


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
    library.migrate(_ROOM)
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
        JOIN document_collections m ON m.document = d.row
        JOIN collections c ON c.row = m.collection
        GROUP BY c.row, f.playbook
        """,
        (json.dumps(sorted(playbooks)),),
    )
    return [
        ReviewProgress(as_string(name), as_string(playbook), as_integer(cells), as_string(last))
        for name, playbook, cells, last in rows
    ]
