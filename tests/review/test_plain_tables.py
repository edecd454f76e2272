"""A library as plain tables, read with the SQLite of Python, which may be an old one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import ReviewState
from fourcorners.review.overview.plain_tables import export_tables
from fourcorners.review.people.review_actions import NewAnnotation, annotate_finding
from tests.library.conftest import CLAUSES, ENCODER, contract
from tests.server.grids import WORDS, absent, fill, found

BOOK = load_playbook("due-diligence")
FIRST, SECOND = (each.id for each in BOOK.provisions[:2])


def test_all_is_there(tmp_path: Path) -> None:
    with Library.open(tmp_path / "firm.db") as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        contract(clauses=[*CLAUSES, WORDS]).add(library)
        [entry] = library.documents()
        text = library.text(entry.id)
        cell = found(entry.id, FIRST, text)
        fill(library, BOOK, [cell, absent(entry.id, SECOND)])
        said = NewAnnotation("Ada", ReviewState.CONFIRMED, comment="As agreed.")
        annotate_finding(library, BOOK, entry.id, FIRST, said)
        counts = export_tables(library, tmp_path / "plain.sqlite")
        trail = [each.hash for each in library.audit_trail()]
        with pytest.raises(ConfigError, match="is there already"):
            export_tables(library, tmp_path / "plain.sqlite")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["firm.db", "plain.sqlite"]
    assert (tmp_path / "plain.sqlite").stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(tmp_path / "plain.sqlite")) as plain:
        rows = plain.execute("SELECT name, collection, text FROM documents").fetchall()
        assert rows == [("supply.txt", "Deal", "\n".join([*CLAUSES, WORDS]))]
        quoted = plain.execute(
            'SELECT words = substr(text, start + 1, "end" - start) '
            "FROM quotes JOIN documents ON document = id"
        )
        assert quoted.fetchall() == [(1,)] * len(cell.evidence)
        states = plain.execute("SELECT provision, state FROM findings ORDER BY rowid").fetchall()
        assert dict(states) == {FIRST: "found", SECOND: "not_found"}
        marks = plain.execute("SELECT playbook, provision, person, state, comment FROM marks")
        assert marks.fetchall() == [(BOOK.id, FIRST, "Ada", "confirmed", "As agreed.")]
        assert [row[0] for row in plain.execute("SELECT hash FROM audit ORDER BY seq")] == trail
        assert plain.execute("SELECT count(*) FROM clauses").fetchone()[0] == counts["clauses"] > 2
        sql = [row[0] or "" for row in plain.execute("SELECT sql FROM sqlite_master")]
        assert not any(word in each for each in sql for word in ("STRICT", "VIRTUAL", "GENERATED"))
