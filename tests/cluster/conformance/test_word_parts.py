"""Words are ranked alike however their index was written, joined, doubled, cleared or lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.cluster.library import LanceLibrary
from fourcorners.cluster.words import store as word_parts
from fourcorners.cluster.words.store import POSTINGS
from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.search.index import index_of
from fourcorners.search.lexical import best_rows
from fourcorners.search.query import Node, Or, Word
from fourcorners.search.query.tree import Prefix
from tests.cluster.conformance.conftest import ENCODER, generated
from tests.library.conftest import Parts

ASKED: list[Node] = [
    Or((Word("a"), Word("b"), Word("ab"))),
    Or((Prefix("a"), Word("lot"), Word("c"))),
    Word("d"),
    Or((Word("nowhere"), Prefix("b"))),
]


class Pair:
    """One library of each store, filled and asked in step; each has rows of its own."""

    def __init__(self, folder: Path) -> None:
        self.url = f"lance:{folder / 'firm'}"
        self.sqlite = Library.open(folder / "firm.db")
        self.lance = Library.open(self.url)
        assert isinstance(self.lance, LanceLibrary)
        self.words = self.lance.word_parts
        for library in (self.sqlite, self.lance):
            library.set_encoder(ENCODER.name, ENCODER.dimension)

    def add(self, parts: list[Parts]) -> None:
        for library in (self.sqlite, self.lance):
            with library.transaction():
                for each in parts:
                    each.add(library, "Deal")

    def remove(self, name: str) -> None:
        for library in (self.sqlite, self.lance):
            [entry] = [each for each in library.documents() if each.name == name]
            library.remove(entry.id)

    def parts(self) -> int:
        """Return how many parts there are in the table, used or not."""
        assert isinstance(self.lance, LanceLibrary)
        if POSTINGS not in self.lance.tables.names():
            return 0
        return len(self.lance.tables.rows(POSTINGS, "ordinal < 0", ["part"]))

    def agree(self) -> None:
        for tree in ASKED:
            told = []
            for library in (self.sqlite, self.lance):
                found = best_rows(library, tree, [], 1000).scores
                passages = library.passage_rows(found)
                names = {entry.id: entry.name for entry in library.documents()}
                told.append(
                    {
                        (names[passages[row].document], passages[row].passage.ordinal): score
                        for row, score in found.items()
                    }
                )
            assert told[1] == pytest.approx(told[0])
        filters = [["vnode"]]
        assert len(index_of(self.lance).filtered_rows(filters)) == len(
            index_of(self.sqlite).filtered_rows(filters)
        )

    def close(self) -> None:
        self.sqlite.close()
        self.lance.close()


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    monkeypatch.setattr(word_parts, "MAX_BATCH", 40)
    made = Pair(tmp_path)
    yield made
    made.close()


def some(first: int, count: int) -> list[Parts]:
    return sorted(generated(), key=lambda each: int(each.document.name.split(".")[0]))[
        first : first + count
    ]


def test_parts_in_memory_and_in_the_table_tell_the_same(pair: Pair) -> None:
    pair.add(some(0, 3))
    pair.agree()
    pair.words.extend(pair.lance.visible())  # type: ignore[attr-defined]
    assert pair.parts() == 1
    pair.agree()
    pair.add(some(3, 2))
    pair.agree()


def test_parts_are_joined_as_they_become_many(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_parts, "MERGE_FACTOR", 3)
    monkeypatch.setattr(word_parts, "_STRETCH", 2)
    written = []
    for at in range(0, 20, 2):
        pair.add(some(at, 2))
        pair.words.extend(pair.lance.visible())  # type: ignore[attr-defined]
        written.append(pair.parts())
        pair.agree()
    assert written[2] == 4  # three, and the one into which they were joined
    used = [each for each in pair.words._living if each.part.postings is None]
    assert len(used) < len(written)


def test_what_is_removed_counts_no_more_in_any_part(pair: Pair) -> None:
    pair.add(some(0, 6))
    pair.words.extend(pair.lance.visible())  # type: ignore[attr-defined]
    pair.remove("2.txt")
    pair.agree()
    pair.add(some(6, 1))
    pair.lance.maintain(always=True)
    pair.agree()
    assert pair.lance.check() == []


def test_what_two_processes_indexed_at_once_counts_once(pair: Pair) -> None:
    pair.add(some(0, 4))
    with Library.open(pair.url) as other:
        assert isinstance(other, LanceLibrary)
        mine, theirs = pair.lance.visible(), other.visible()  # type: ignore[attr-defined]
        best_rows(pair.lance, ASKED[0], [], 5)  # both have read what no part holds
        best_rows(other, ASKED[0], [], 5)
        pair.words._settle(mine)
        other.word_parts.extend(theirs)
        pair.words.extend(mine)
    assert pair.parts() == 2
    pair.agree()


def test_what_nobody_uses_is_cleared_away_after_a_time(pair: Pair) -> None:
    pair.add(some(0, 2))
    pair.words.extend(pair.lance.visible())  # type: ignore[attr-defined]
    for name in ("0.txt", "1.txt"):
        pair.remove(name)
    pair.add(some(2, 2))
    visible = pair.lance.visible()  # type: ignore[attr-defined]
    pair.words.maintain(visible, before="0")
    assert pair.parts() == 2
    pair.words.maintain(visible, before="f")
    assert pair.parts() == 1
    pair.agree()


def test_parts_that_were_cleared_away_meanwhile_are_looked_for_anew(pair: Pair) -> None:
    pair.add(some(0, 6))
    pair.words.extend(pair.lance.visible())  # type: ignore[attr-defined]
    best_rows(pair.lance, Word("d"), [], 5)
    with Library.open(pair.url) as other:
        assert isinstance(other, LanceLibrary)
        other.tables.delete(POSTINGS, "true")
    pair.agree()


def test_a_changed_block_is_noticed(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.add(some(0, 6))
    pair.lance.maintain(always=True)
    tables = pair.lance.tables  # type: ignore[attr-defined]
    [row] = tables.rows(POSTINGS, "ordinal = 0", ["part", "data"]).to_pylist()
    changed = bytearray(row["data"])
    changed[random.Random(1).randrange(len(changed))] ^= 1
    tables.swap(POSTINGS, "ordinal = 0", {"data": bytes(changed)})
    with Library.open(pair.url) as fresh:
        assert any("index of words" in fault for fault in fresh.check())
        with pytest.raises(LibraryError, match="not what was stored"):
            best_rows(fresh, ASKED[0], [], 5)
    pair.close()


def test_a_part_that_was_being_written_when_its_writer_died_is_not_seen(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.add(some(0, 6))
    monkeypatch.setattr(word_parts, "_APPENDED", 1)
    real = pair.words._append
    appended: list[object] = []

    def dying(rows: object) -> None:
        if appended:
            raise LibraryError("the disk is full", remedy="make room")
        appended.append(rows)
        real(rows)  # type: ignore[arg-type]

    monkeypatch.setattr(pair.words, "_append", dying)
    with pytest.raises(LibraryError, match="full"):
        pair.words.extend(pair.lance.visible())  # type: ignore[attr-defined]
    assert pair.parts() == 0
    pair.agree()
    assert pair.lance.check() == []
