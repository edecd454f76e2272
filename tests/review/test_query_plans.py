"""A contract is read and reviewed at the same cost in any library: nothing goes over a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fourcorners.library.contract import read_contract
from fourcorners.library.database import Bindings, Row
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.library.tables.sqlite import SqliteDatabase
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder

SCAN = re.compile(r"^SCAN (?!json_each|\d+ CONSTANT)|FOR IN-OPERATOR")


@contextmanager
def scans(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect what is read of a table row by row, with the statement."""
    found: list[str] = []
    execute = SqliteDatabase.execute

    def watch(database: SqliteDatabase, sql: str, bindings: Bindings = ()) -> list[Row]:
        if sql.lstrip().startswith(("SELECT", "UPDATE", "DELETE")):
            plan = [str(row[3]) for row in execute(database, f"EXPLAIN QUERY PLAN {sql}", bindings)]
            found.extend(f"{step}: {sql}" for step in plan if SCAN.search(step))
        return execute(database, sql, bindings)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteDatabase, "execute", watch)
        yield found


def test_one_contract_is_read_without_going_over_a_table(
    tmp_path: Path, dataroom: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(tmp_path / "room.db") as library:
        paths = sorted(dataroom.glob("*.docx"))[:2]
        settings = Settings.load(jobs=1, ocr=False)
        add_files(library, paths, collection="Room", encoder=HashEncoder(), settings=settings)
        document = library.documents()[0].id
        with scans(monkeypatch) as found:
            reading = read_contract(library, document)
            read_contract(library, document)
        assert reading.sentences
        assert not found
        with scans(monkeypatch) as found:
            library.vectors()
        assert found, "what does go over a table is seen"
