from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest

from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.library.tables import sqlite as database
from fourcorners.library.tables.migration import VERSION
from fourcorners.library.tables.sqlite import APPLICATION_ID

Make = Callable[..., Any]


@pytest.fixture
def filled(tmp_path: Path, make: Make) -> Path:
    """A closed library with sixty contracts."""
    path = tmp_path / "filled.db"
    with Library.open(path) as library:
        library.set_encoder("hash", 16)
        with library.transaction():
            for number in range(60):
                clauses = [
                    f"Contract {number}.",
                    "1. " + "term " * 200,
                    f"1.1 x{number}",
                    "2. Law.",
                ]
                make(f"c{number}.txt", clauses).add(library)
    return path


def refusal(path: Path, *, create: bool = True) -> LibraryError:
    with pytest.raises(LibraryError) as caught:
        Library.open(path, create=create).close()
    assert str(path) in caught.value.message
    assert caught.value.remedy
    return caught.value


def test_a_new_library_has_the_projects_mark_and_pragmas(tmp_path: Path) -> None:
    with Library.open(tmp_path / "new.db") as library:
        for pragma, value in {
            "application_id": APPLICATION_ID,
            "user_version": VERSION,
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
        }.items():
            assert library.execute(f"PRAGMA {pragma}") == [(value,)], pragma


def test_nothing_is_made_where_nothing_should_be(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    assert "there is no library" in refusal(path, create=False).message
    assert not path.exists()
    path.touch()
    assert "there is no library" in refusal(path, create=False).message
    apsw.Connection(str(path)).execute("VACUUM")  # a database without a table
    before = path.read_bytes()
    assert "there is no library" in refusal(path, create=False).message
    assert path.read_bytes() == before
    path.write_bytes(b"")
    Library.open(path).close()  # an empty file is a library that was never begun


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path).message


@pytest.mark.parametrize("size", [1, 24, 600, 20_000])
def test_another_kind_of_file_is_refused_and_left_alone(tmp_path: Path, size: int) -> None:
    path = tmp_path / "contract.pdf"
    path.write_bytes((b"%PDF-1.7 not a database " * (size // 24 + 1))[:size])
    before = path.read_bytes()
    assert "is not a library" in refusal(path, create=False).message
    assert "is not a library" in refusal(path).message
    assert path.read_bytes() == before


def test_another_applications_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE photos(name)")
    other.close()
    before = path.read_bytes()
    assert "another application" in refusal(path).message
    assert path.read_bytes() == before


def test_a_newer_library_is_refused(filled: Path) -> None:
    other = apsw.Connection(str(filled))
    other.execute(f"PRAGMA user_version = {VERSION + 1}")
    other.close()
    error = refusal(filled)
    assert "newer version" in error.message
    assert "upgrade" in error.remedy.lower()


@pytest.mark.parametrize("part", [0.02, 0.5, 0.95])
def test_a_truncated_library_is_refused(filled: Path, part: float) -> None:
    data = filled.read_bytes()
    filled.write_bytes(data[: int(len(data) * part)])
    assert "damaged" in refusal(filled).message


def test_flipped_bytes_are_noticed(filled: Path) -> None:
    data = bytearray(filled.read_bytes())
    page = 4096
    for at in range(3 * page, len(data), 7 * page):
        data[at : at + 32] = bytes(byte ^ 0xFF for byte in data[at : at + 32])
    filled.write_bytes(bytes(data))
    assert "damaged" in refusal(filled).message


def overwrite(path: Path, table: str) -> None:
    """Overwrite the header of a table's first page."""
    other = apsw.Connection(str(path))
    root = int(
        str(other.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).get)
    )
    other.close()
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096 : (root - 1) * 4096 + 64] = b"\xff" * 64
    path.write_bytes(bytes(data))


def test_the_tables_of_larger_files_are_checked_on_opening(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "INDEX_CHECK_BYTES", 0)
    Library.open(filled).close()
    overwrite(filled, "vectors")
    assert "damaged" in refusal(filled).message


def test_above_the_size_checked_on_opening_damage_is_found_by_the_full_check(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "INDEX_CHECK_BYTES", 0)
    monkeypatch.setattr(database, "TABLES_CHECK_BYTES", 0)
    overwrite(filled, "vectors")
    with Library.open(filled) as library:
        assert any("damaged" in fault for fault in library.check())
    filled.write_bytes(filled.read_bytes()[:-4096])
    assert "damaged" in refusal(filled).message


def test_a_text_that_was_changed_in_the_file_is_never_handed_out(filled: Path) -> None:
    data = filled.read_bytes()
    assert data.count(b"1.1 x7\n") == 1
    filled.write_bytes(data.replace(b"1.1 x7\n", b"1.1 x8\n"))
    with Library.open(filled) as library:
        entry = library.resolve("c7.txt")
        for read in (library.text, library.document):
            with pytest.raises(LibraryError, match=r"is damaged \(its text"):
                read(entry.id)
        assert any(entry.id in fault for fault in library.check())


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM words WHERE rowid = 3", "the words index has 239 rows for 240 passages"),
        ("UPDATE passage_vectors SET data = x'0000' WHERE passage = 1", "has 98 bytes of vectors"),
        ("DELETE FROM passages WHERE row = 2", "3 of its 4 passages"),
        ('UPDATE passages SET "end" = 99999 WHERE row = 2', "3 of its 4 passages"),
        ("UPDATE documents SET text = 'x' WHERE row = 1", "is not what was stored"),
        ("UPDATE passage_vectors SET data = zeroblob(32) WHERE passage = 1", "vectors of document"),
        ("UPDATE vectors SET codes = zeroblob(80) WHERE document = 1", "vectors of document"),
        ("UPDATE documents SET outline = '{' WHERE row = 1", "stored Outline cannot be read"),
        ("UPDATE documents SET key = '9:x' WHERE row = 1", "is in no collection"),
        ("DELETE FROM documents WHERE row = 1", "row 1 of vectors belongs to a row of documents"),
    ],
)
def test_the_full_check_finds_what_does_not_fit(filled: Path, damage: str, told: str) -> None:
    other = apsw.Connection(str(filled))
    other.execute(damage)
    other.close()
    with Library.open(filled) as library:
        faults = library.check()
    assert any(told in fault for fault in faults), faults


NOBODY = """
import os, sys
from pathlib import Path
from fourcorners.errors import LibraryError
from fourcorners.library.store import Library

if os.geteuid() == 0:
    os.setuid(65534)  # root may write anywhere
for name in ("new.db", "deeper/new.db", "old.db"):
    try:
        Library.open(Path(sys.argv[1]) / name)
    except LibraryError as error:
        print(error)
"""


def test_a_folder_without_permission_is_explained() -> None:
    with TemporaryDirectory() as name:  # not tmp_path, which another user cannot enter
        folder = Path(name)
        Library.open(folder / "old.db").close()
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", NOBODY, name], capture_output=True, text=True, check=True
        )
        folder.chmod(0o755)
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line, told in zip(lines, ("cannot be opened", "can be made", "for writing"), strict=True):
        assert told in line
        assert "folder that you may write to" in line


WRITER = """
import sys
from fourcorners.documents.document import Document
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline, Passage, View
from fourcorners.text.span import Span

path, who = sys.argv[1:]
with Library.open(path) as library:
    for number in range(40):
        text = f"contract {number} by {who} about a change of control"
        sha = f"{who}{number:063d}"
        document = Document(sha[-15:] + who, f"{who}{number}", f"{who}/{number}", sha, "text/plain",
                            "plain/1", text)
        passages = [Passage(0, Span(0, len(text)), View.WINDOW)]
        library.add(document, Outline((), 0.0, True), Card(), passages, None, collection=who)
"""


def test_two_processes_make_and_write_one_library_at_once(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), who], stderr=subprocess.PIPE)
        for who in ("a", "b")
    ]
    counts: set[int] = set()
    while any(writer.poll() is None for writer in writers):
        if path.exists() and path.stat().st_size:
            with Library.open(path) as reader:
                stats = reader.stats()
                counts.add(stats.documents)
                assert stats.documents == stats.passages
    for writer in writers:
        _, complaint = writer.communicate()
        assert writer.returncode == 0, complaint.decode()
    with Library.open(path) as library:
        assert library.collections() == [("a", 40), ("b", 40)]
        assert library.check() == []
        assert len(list(library.audit_trail())) == 80
    assert len(counts) > 1
