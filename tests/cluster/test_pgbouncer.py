"""A library works behind PgBouncer's transaction mode: each transaction on another connection."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.search.find import find_passages
from tests.cluster.postgres_server import USER, PostgresServer
from tests.library.conftest import ENCODER, contract

SETTINGS = """
[databases]
firm = host={socket} dbname=postgres user={user}
[pgbouncer]
listen_port = 6543
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = extra_float_digits
logfile = {folder}/log
pidfile = {folder}/pid
"""


@pytest.fixture
def pool(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a database behind PgBouncer, which has two connections to the server."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("there is no PgBouncer here")
    schema = postgres.new_library().partition("search_path%3D")[2]
    name = f"pool_{schema}"
    postgres.run("psql", "-qXc", f"CREATE ROLE {name} SUPERUSER LOGIN", "postgres")
    postgres.run("psql", "-qXc", f"ALTER ROLE {name} SET search_path = {schema}", "postgres")
    folder = postgres.folder / name  # a socket's path is short
    folder.mkdir()
    shutil.chown(folder, USER)
    file = folder / "pgbouncer.ini"
    file.write_text(SETTINGS.format(socket=postgres.folder, user=name, folder=folder))
    process = subprocess.Popen(
        [program, "-q", file], user=USER if os.geteuid() == 0 else None, cwd=folder
    )
    try:
        socket = folder / ".s.PGSQL.6543"
        until = time.monotonic() + 60
        while not socket.exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        yield f"postgresql:///firm?host={folder}&port=6543&user={name}"
    finally:
        process.terminate()
        process.wait()


def test_more_connections_than_the_server_has_take_turns(pool: str) -> None:
    with ExitStack() as stack:
        several = [stack.enter_context(Library.open(pool)) for _ in range(5)]
        several[0].set_encoder(ENCODER.name, ENCODER.dimension)
        for number in range(30):
            library = several[number % 5]
            lines = [f"LOT {number}", "1. One.", f"1.1 Lot {number} is sold."]
            with library.transaction():
                assert contract(f"{number}.txt", lines).add(library)
                jobs = JobTable(library)
                jobs.add_steps(jobs.start("test", {"number": str(number)}), ["one"])
            other = several[(number + 1) % 5]
            with other.snapshot(), several[(number + 2) % 5].snapshot():
                assert len(other.document_ids()) == number + 1
        for library in several:
            for _ in range(6):  # psycopg would prepare what is asked five times
                found = find_passages(library, "lot AND sold", limit=50)
                assert len(found) == 30
        assert several[0].check() == []
        assert several[0].audit_verdict().faults == ()


def test_a_writer_waits_for_another_only_so_long(pool: str) -> None:
    with Library.open(pool) as one:
        with one.transaction():
            limits = one.execute(
                "SELECT current_setting('lock_timeout'), "
                "current_setting('idle_in_transaction_session_timeout')"
            )
        assert limits == [("30s", "5min")]
