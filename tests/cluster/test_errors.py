"""What PostgreSQL says of a connection names its host, user and database to the operator alone."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from fourcorners.errors import LibraryError, LibraryUnreachable
from fourcorners.library.store import Library
from fourcorners.server.app import create_app
from fourcorners.server.errors import LibraryAway, LibraryUnavailable, error_for_caller
from fourcorners.settings import Settings
from tests.cluster.postgres_server import (
    PostgresServer,
    find_binaries,
    postgres_server,
)
from tests.conftest import Program

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
PASSWORD = "correct-horse-battery"  # noqa: S105 - of nobody


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresServer]:
    """A server that a test may stop, where one role needs a password."""
    pytest.importorskip("psycopg")
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("there is no PostgreSQL here")
    with postgres_server(binaries) as server:
        server.run("psql", "-qXc", f"CREATE ROLE counsel LOGIN PASSWORD '{PASSWORD}'", "postgres")
        server.run("psql", "-qXc", "CREATE ROLE intern LOGIN", "postgres")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all counsel scram-sha-256\n{rules.read_text()}")
        server.control("reload")
        monkeypatch.setenv("PGPASSWORD", f"not-{PASSWORD}")
        yield server


def refusals(server: PostgresServer) -> Iterator[tuple[str, str]]:
    """Yield addresses that cannot be opened, each with what PostgreSQL says to the operator."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    library = "options=-csearch_path%3Dfirm"
    place = f"host={quote(str(server.folder))}&{library}"
    yield (
        f"postgresql://counsel@127.0.0.1:{port}/deals?connect_timeout=2&outage_seconds=0",
        "Connection refused",
    )
    yield f"postgresql://counsel@/postgres?{place}", "authentication failed"
    yield f"postgresql://nobody@/postgres?{place}", 'role "nobody" does not exist'
    yield f"postgresql://intern@/postgres?{place}", ""  # it may not make tables
    yield f"postgresql://postgres@/deals?{place}", "there is no library at"


def test_callers_are_not_told_of_the_server(
    own: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    for url, said in refusals(own):
        with pytest.raises(LibraryError) as raised:
            Library.open(url)
        caplog.clear()
        told = error_for_caller(raised.value)
        away = isinstance(raised.value, LibraryUnreachable)
        assert type(told) is (LibraryAway if away else LibraryUnavailable)
        for secret in ("counsel", "intern", "deals", "127.0.0.1", str(own.folder), PASSWORD):
            assert secret not in str(told), told
        assert said in caplog.text
        assert PASSWORD not in caplog.text


def test_the_operator_is_told_all_but_passwords(own: PostgresServer, program: Program) -> None:
    secret = {"PGPASSWORD": f"not-{PASSWORD}"}
    chosen = Program(program.folder, {**program.environment, **secret}, program.forks)
    for url, said in refusals(own):
        shown = chosen("status", "-l", url, code=1)
        assert said in " ".join(shown.err.split())
        assert PASSWORD not in shown.out + shown.err
    for url in (
        f"postgresql://counsel:{PASSWORD}@127.0.0.1/deals",
        f"postgres:/counsel:{PASSWORD}@127.0.0.1/deals",
        f"postgresql://counsel@127.0.0.1/deals?password={PASSWORD}",
        f"postgresql://counsel@127.0.0.1/deals?sslpassword={PASSWORD}",
        f"postgresql+ssl://counsel:{PASSWORD}@127.0.0.1/deals",
        f"mysql://counsel:{PASSWORD}@127.0.0.1/deals",
    ):
        shown = chosen("status", "-l", url, code=None)
        assert shown.code in (1, 2)
        assert PASSWORD not in shown.out + shown.err, url


def test_a_server_whose_database_stops(own: PostgresServer) -> None:
    url = own.new_library()
    Library.open(url).close()
    app = create_app(url, Settings(library=url, jobs=1, ocr=False))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        assert client.get("/api/v1/collections").status_code == 200
        own.control("-m", "immediate", "stop")
        for path in ("/api/v1/collections", "/", "/readyz"):
            said = client.get(path)
            assert said.status_code == 503, said.text
            for secret in (str(own.folder), "postgres", "socket"):
                assert secret not in said.text, said.text
        own.start()
        assert client.get("/api/v1/collections").status_code == 200
