"""PostgreSQL takes every statement that the rooms write for SQLite."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import fourcorners
from fourcorners.library.database import as_integer
from fourcorners.library.store import Library
from tests.cluster.postgres_server import PostgresServer

pytest.importorskip("psycopg")
pytest.importorskip("uvicorn")

ASKING = {"execute", "execute_many", "_find", "_one", "_text", "_texts"}
OF_A_FILE = (
    "fourcorners.cluster",
    "fourcorners.library.tables",
    "fourcorners.library.migration",
    "fourcorners.library.words",
    "fourcorners.research.sources.database",
    "fourcorners.search.index",
    "fourcorners.server.store.backup",
    "fourcorners.work_folder",
)
"""Modules that speak to SQLite itself."""
_PARAMETERS = "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = 'one'"
FTS5 = re.compile(r"\bwords(_docsize|\(words\))|sqlite_sequence|sqlite_schema")


def statements() -> Iterator[tuple[str, str]]:
    """Yield the statements that can be told without running the code, with their places."""
    for found in pkgutil.walk_packages(fourcorners.__path__, "fourcorners."):
        if found.name.startswith(OF_A_FILE) or found.name.endswith("__main__"):
            continue
        spec = importlib.util.find_spec(found.name)
        assert spec is not None
        text = Path(str(spec.origin)).read_text("utf-8")
        if not any(f".{name}(" in text for name in ASKING):
            continue
        names = vars(importlib.import_module(found.name))
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ASKING
                and node.args
            ):
                try:
                    sql = eval(compile(ast.Expression(node.args[0]), "", "eval"), dict(names))  # noqa: S307
                except NameError:  # it is put together from what is known when it runs
                    continue
                if isinstance(sql, str) and not sql.startswith("PRAGMA"):
                    yield f"{found.name}, line {node.lineno}", sql


def test_every_statement_is_planned(postgres: PostgresServer) -> None:
    from fourcorners.cluster.postgres.dialect import translate
    from fourcorners.cluster.postgres.library import PostgresLibrary

    asked = [(place, sql) for place, sql in statements() if not FTS5.search(sql)]
    faults = []
    with Library.open(postgres.new_library()) as library:  # it has the tables of what is imported
        assert isinstance(library, PostgresLibrary)
        server = library.server
        for place, sql in asked:
            text = translate(sql, server.key_columns).sql
            try:
                server.query(f"PREPARE one AS {re.sub(r'[$][0-9]+ IS NULL', 'false', text)}")
                [(count,)] = server.query(_PARAMETERS)
                given = ", ".join("NULL" for _ in range(as_integer(count)))
                server.query(f"EXPLAIN EXECUTE one{f'({given})' if given else ''}")
            except Exception as error:  # noqa: BLE001 - all of them are told
                faults.append(f"{place}: {error}")
            server.query("DEALLOCATE ALL")
    assert not faults, "\n".join(faults)
    assert len(asked) > 200
