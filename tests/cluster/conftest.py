"""The PostgreSQL server of the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.postgres_server import PostgresServer, find_binaries, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server, started when the first test asks for it."""
    pytest.importorskip("psycopg")
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("there is no PostgreSQL here")
    with postgres_server(binaries) as server:
        yield server
