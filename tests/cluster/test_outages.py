"""A server of PostgreSQL that restarts, or is out of reach, is waited for; nothing is doubled."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from fourcorners.errors import ConfigError, LibraryUnreachable, TransactionLost
from fourcorners.library import copy
from fourcorners.library.database import transact, waiting_for_server
from fourcorners.library.ingest import add_files
from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.operations.local_models import LocalModels
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.run import ReviewScope, fill_review
from fourcorners.review.store import load_findings
from fourcorners.server.app import create_app
from fourcorners.settings import Settings
from tests.cluster.outages import Relay, relay
from tests.cluster.postgres_server import PostgresServer, find_binaries, postgres_server
from tests.library.conftest import CLAUSES, ENCODER, contract
from tests.models.fake import HashEncoder
from tests.server.conftest import LEASE, Room

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
SETTINGS = Settings(library="unused.db", jobs=1, ocr=False)
END = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name ~ '^four'"
)


@pytest.fixture(scope="module")
def own() -> Iterator[PostgresServer]:
    """A server that tests may stop."""
    pytest.importorskip("psycopg")
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("there is no PostgreSQL here")
    with postgres_server(binaries) as server:
        yield server


@pytest.fixture
def url(own: PostgresServer) -> str:
    made = own.new_library()
    Library.open(made).close()
    return made


@pytest.fixture
def port(own: PostgresServer) -> Iterator[Relay]:
    with relay(own.folder) as made:
        yield made


def schema_of(url: str) -> str:
    return url.rpartition("%3D")[2]


def restart(server: PostgresServer, away: float = 1.0) -> None:
    server.control("-m", "immediate", "stop")
    time.sleep(away)
    server.start()


@contextmanager
def meanwhile(work: Callable[[], None], over: threading.Event) -> Iterator[None]:
    """Do something in another thread until the end of the block."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(60)
        assert not thread.is_alive()


def record_twice(library: Library, between: Callable[[], object]) -> None:
    """Record two events in one transaction; something happens between the two."""

    def work() -> None:
        library.record("first", {"count": 1})
        between()
        library.record("second", {"count": 1})

    transact(library, work)


def events(url: str) -> Counter[str]:
    with Library.open(url, create=False) as library:
        assert library.audit_verdict().faults == ()
        return Counter(each.event for each in library.audit_trail())


def end_connections(server: PostgresServer) -> None:
    server.run("psql", "-qXc", END, "postgres")


@pytest.mark.parametrize("end", [end_connections, restart])
def test_a_transaction_is_tried_again_whole(
    url: str, own: PostgresServer, end: Callable[[PostgresServer], None]
) -> None:
    ends = [end]
    with Library.open(url, create=False) as library:
        record_twice(library, lambda: ends and ends.pop()(own))
        assert events(url) == {"first": 1, "second": 1}
    assert ends == []


def test_a_copy_is_made_again_whole(
    url: str, own: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = [restart]

    def copy_meta(source: Library, target: Library) -> None:
        if ends:
            ends.pop()(own)
        really(source, target)

    really = copy._copy_meta
    monkeypatch.setattr(copy, "_copy_meta", copy_meta)
    with Library.open(tmp_path / "firm.db") as library, Library.open(url) as target:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        contract().add(library)
        assert copy.copy_library(library, target).documents == 1
        assert [each.id for each in target.documents()] == [each.id for each in library.documents()]
    assert ends == []


def lose(library: Library, server: PostgresServer) -> None:
    with library.transaction():
        library.record("first", {})
        end_connections(server)
        library.record("second", {})


def test_what_cannot_be_tried_again_is_not_stored(url: str, own: PostgresServer) -> None:
    with Library.open(url, create=False) as library:
        with pytest.raises(TransactionLost, match="was lost"):
            lose(library, own)
        assert events(url) == {}
        end_connections(own)
        assert library.documents() == []  # a read is asked again
        end_connections(own)
        library.record("third", {})
    assert events(url) == {"third": 1}


def test_a_statement_that_ends_its_connection_each_time_ends_the_work(
    url: str, own: PostgresServer
) -> None:
    tries: list[int] = []

    def end() -> None:
        tries.append(1)
        end_connections(own)

    with Library.open(url, create=False) as library, pytest.raises(LibraryUnreachable):
        record_twice(library, end)
    assert len(tries) == 3
    assert events(url) == {}


def test_a_commit_whose_reply_is_lost_is_not_repeated(url: str, port: Relay) -> None:
    with Library.open(port.url(schema_of(url)), create=False) as library:
        library.record("before", {})
        port.swallows_commit = True
        record_twice(library, lambda: None)
        assert not port.swallows_commit
    assert events(url) == {"before": 1, "first": 1, "second": 1}


def test_a_commit_that_did_not_arrive_is_repeated(url: str, port: Relay) -> None:
    with Library.open(port.url(schema_of(url)), create=False) as library:
        cuts = [port.cut]
        transact(library, lambda: (library.record("first", {}), cuts and cuts.pop()()))
    assert events(url) == {"first": 1}


def test_a_port_that_is_closed_for_a_moment_is_waited_for(url: str, port: Relay) -> None:
    with Library.open(port.url(schema_of(url)), create=False) as library:
        port.shut()
        timer = threading.Timer(1.0, port.reopen)
        timer.start()
        began = time.monotonic()
        assert library.documents() == []
        assert 0.5 < time.monotonic() - began < 10
        port.shut()
        with waiting_for_server(wait=False), pytest.raises(LibraryUnreachable, match="not answer"):
            library.documents()
        port.reopen()
    with Library.open(port.url(schema_of(url), seconds=1), create=False) as library:
        port.shut()
        began = time.monotonic()
        with pytest.raises(LibraryUnreachable):
            library.documents()
        assert 0.9 < time.monotonic() - began < 5


def test_the_seconds_must_be_a_number(url: str) -> None:
    with pytest.raises(ConfigError, match="outage_seconds must be a number"):
        Library.open(f"{url}&outage_seconds=soon")
    with Library.open(f"{url}&outage_seconds=5", create=False) as library:
        other = Library.open(url, create=False)
        assert library.files == other.files  # the same library
        assert library.url != other.url
        other.close()


def write_contracts(folder: Path, count: int) -> list[str]:
    folder.mkdir()
    for number in range(count):
        text = f"SUPPLY OF LOT {number}\n\n1. Supply\n\n1.1 Oats Limited shall supply {number}.\n"
        (folder / f"{number}.txt").write_text(text)
    return sorted(f"{number}.txt" for number in range(count))


def test_a_restart_in_the_midst_of_add(url: str, own: PostgresServer, tmp_path: Path) -> None:
    names = write_contracts(tmp_path / "lots", 40)
    stops: list[threading.Thread] = []

    def stop_once(_: object) -> None:
        if not stops:
            stops.append(threading.Thread(target=restart, args=(own,)))
            stops[0].start()

    with Library.open(url, create=False) as library:
        report = add_files(
            library, [tmp_path / "lots"], collection="Deal", encoder=None, settings=SETTINGS,
            on_progress=stop_once,
        )  # fmt: skip
        stops[0].join()
        assert (report.added, report.already, list(report.failed)) == (40, 0, [])
        assert sorted(entry.name for entry in library.documents()) == names
        assert library.check() == []
        assert JobTable(library).list(unfinished=True) == []
    assert events(url)["add"] == 40


def test_a_restart_in_the_midst_of_review(url: str, own: PostgresServer, tmp_path: Path) -> None:
    write_contracts(tmp_path / "lots", 3)
    playbook = load_playbook("nda-review")
    done: list[int] = []
    stops: list[threading.Thread] = []

    def stop_once(_: object) -> None:
        done.append(1)
        if not stops:
            stops.append(threading.Thread(target=restart, args=(own,)))
            stops[0].start()

    with Library.open(url, create=False) as library:
        add_files(library, [tmp_path / "lots"], collection="Deal", encoder=None, settings=SETTINGS)
        filled = fill_review(
            library, playbook, ReviewScope(collection="Deal"), encoder=None, on_progress=stop_once
        )
        stops[0].join()
        assert len(filled.documents) == 3
        for entry in library.documents():
            cells = load_findings(library, playbook, entry.id)
            assert len(cells) == len(playbook.provisions)
            assert {cell.error for cell in cells.values()} == {""}
        assert JobTable(library).list(unfinished=True) == []
    assert len(done) == 3


def test_a_server_under_requests(
    url: str, own: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    app = create_app(url, SETTINGS)
    answers: list[tuple[str, int, str]] = []
    over = threading.Event()
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        room = Room(app, client, Path())
        room.put({"lease.txt": LEASE})
        headers = {"Accept": "application/json"}
        task = room.upload({"other.txt": f"{LEASE} And more."}, **headers).json()["task"]

        def ask() -> None:
            while not over.is_set():
                for path in ("/", "/api/v1/documents", "/readyz", "/search?q=tenant"):
                    told = client.get(path)
                    answers.append((path, told.status_code, told.headers.get("retry-after", "")))

        with meanwhile(ask, over):
            time.sleep(0.5)
            own.control("-m", "immediate", "stop")
            time.sleep(0.5)
            began = len(answers)
            page = client.get("/search?q=tenant")
            away = answers[began:]
            own.start()
            time.sleep(0.5)
        assert (page.status_code, page.headers["retry-after"]) == (503, "5")
        assert "restarting, or cannot be reached" in page.text
        assert str(own.folder) not in page.text
        assert {status for _, status, _ in away if status != 503} == set()
        assert {status for _, status, _ in answers} == {200, 503}
        assert all(after for _, status, after in answers if status == 503)
        assert client.get("/readyz").status_code == 200
        room.settle(task)
        names = [each["name"] for each in client.get("/api/v1/documents").json()["items"]]
        assert sorted(names) == ["lease.txt", "other.txt"]


def test_writers_that_wait_for_a_turn_get_it_afterwards(url: str, own: PostgresServer) -> None:
    def write(number: int) -> None:
        with Library.open(url, create=False) as library:
            for turn in range(5):
                contract(f"{number} {turn}.txt", [f"LOT {number} {turn}", *CLAUSES[1:]]).add(
                    library
                )

    with Library.open(url, create=False) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    restart(own, away=0.3)
    for each in threads:
        each.join(60)
    with Library.open(url, create=False) as library:
        assert len(library.documents()) == 20
        assert library.check() == []
    assert events(url)["add"] == 20
