"""The journal: turns, what is lost, snapshots; and the copy that is made from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("lancedb")

from fourcorners.cluster.catalogue.journal import Journal
from fourcorners.cluster.library import LanceLibrary
from fourcorners.cluster.storage.address import address_of
from fourcorners.cluster.storage.tables import Tables
from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.audit import GENESIS_HASH
from fourcorners.library.store import Library
from tests.library.conftest import ENCODER, contract


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    made = Journal(Tables(address_of(f"lance:{tmp_path / 'firm'}")))
    made.create()
    return made


def test_what_is_published_is_read_in_order(journal: Journal) -> None:
    head = journal.publish(journal.acquire("host/1/a"), [("schema", b"1"), ("changes", b"2")])
    head = journal.publish(journal.acquire("host/1/a"), [("changes", b"3")])
    assert [entry.data for entry in journal.entries_since(0, GENESIS_HASH, head)] == [
        b"1",
        b"2",
        b"3",
    ]
    assert journal.head() == head
    second = journal.entries_since(0, GENESIS_HASH, head)[1]
    assert [entry.data for entry in journal.entries_since(2, second.digest, head)] == [b"3"]


def test_a_turn_that_was_taken_over_writes_nothing(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.cluster.catalogue.journal.LEASE_SECONDS", -1.0)
    slow = journal.acquire("elsewhere/1/a")
    quick = journal.publish(journal.acquire("elsewhere/2/b"), [("changes", b"quick")])
    with pytest.raises(LibraryError, match="another process took its turn"):
        journal.publish(slow, [("changes", b"slow")])
    assert [entry.data for entry in journal.entries_since(0, GENESIS_HASH, journal.head())] == [
        b"quick"
    ]
    assert journal.head() == quick


def test_a_turn_is_waited_for(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourcorners.cluster.catalogue.journal.MAX_WAIT", 0.3)
    held = journal.acquire("elsewhere/1/a")
    with pytest.raises(LibraryError, match="is locked: elsewhere/1/a"):
        journal.acquire("elsewhere/2/b")
    journal.release(held)
    assert journal.acquire("elsewhere/2/b").holder == "elsewhere/2/b"


def test_an_answer_that_was_lost_is_looked_for(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = Tables.swap

    def lost(tables: Tables, *arguments: object) -> bool:
        swap(tables, *arguments)  # type: ignore[arg-type]
        raise LibraryError("the connection broke")

    head = journal.acquire("host/1/a")
    monkeypatch.setattr(Tables, "swap", lost)
    moved = journal.publish(head, [("changes", b"1")])
    assert journal.head() == moved == replace(moved, holder="")


def test_a_turn_whose_answer_was_lost_is_ones_own(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = Tables.swap

    def deaf(tables: Tables, *arguments: object) -> bool:
        swap(tables, *arguments)  # type: ignore[arg-type]
        return False  # as where it is tried again, and finds that it was done

    monkeypatch.setattr("fourcorners.cluster.catalogue.journal.MAX_WAIT", 0.3)
    monkeypatch.setattr(Tables, "swap", deaf)
    head = journal.acquire("elsewhere/1/a")
    monkeypatch.setattr(Tables, "swap", swap)
    assert head == journal.head()
    assert journal.publish(head, [("changes", b"1")]) == journal.head()


def test_a_machine_may_come_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"lance:{tmp_path / 'firm'}"
    with Library.open(url) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        for number in range(3):
            lines = [f"AGREEMENT {number}", "1. One.", f"1.1 Number {number}."]
            contract(f"{number}.txt", lines).add(library)
            library.maintain(always=True)
        entries = library.documents()
        assert isinstance(library, LanceLibrary)
        rows = library.tables.rows("journal", "", ["seq"])
        assert len(rows) < 5  # what two snapshots hold is trimmed
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    with Library.open(url, create=False) as library:
        assert library.documents() == entries
        assert library.check() == []
        library.remove(entries[0].id)
        assert library.audit_verdict().faults == ()


@pytest.mark.parametrize(
    "url", ["lance:", "lance://host/x", "lance+s3://bucket", "lance+s3:///x", "lance+s3://B/x"]
)
def test_urls_that_name_nothing_are_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="names no"):
        address_of(url)


def test_urls_as_paths_have_them_are_understood() -> None:
    assert address_of(str(Path("lance+s3://bucket/firm/a"))).uri == "s3://bucket/firm/a"
    assert address_of("lance:/x/y").folder == address_of("lance:///x/y").folder == Path("/x/y")
    assert address_of("lance:./x").folder == Path("x").absolute()
