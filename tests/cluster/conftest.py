"""The PostgreSQL server of the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.machines import NotPossible
from tests.cluster.postgres_server import PostgresServer, find_binaries, postgres_server
from tests.cluster.servers import DistantServer, distant_servers


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server, started when the first test asks for it."""
    pytest.importorskip("psycopg")
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("there is no PostgreSQL here")
    with postgres_server(binaries) as server:
        yield server


@pytest.fixture(scope="session")
def servers() -> Iterator[list[DistantServer]]:
    """Three servers on separate machines."""
    pytest.importorskip("psycopg")
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("there is no PostgreSQL here")
    try:
        with distant_servers(3, binaries, "-c shared_buffers=32MB") as running:
            yield running
    except NotPossible as error:
        pytest.skip(str(error))
