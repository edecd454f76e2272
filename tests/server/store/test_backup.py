"""Backups: taken while the library is written to, put back whole, refused when damaged."""

from __future__ import annotations

import json
import threading
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError, FourcornersError, InputError, LibraryError
from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.server.app import create_app
from fourcorners.server.store import backup
from fourcorners.server.store.backup import add_backup, restore_backup, write_backup
from fourcorners.server.tasks.handlers import add as adding
from fourcorners.server.tasks.queue import TaskQueue
from fourcorners.settings import Settings
from tests.server.conftest import LEASE, SUPPLY, Room


@pytest.fixture
def archive(room: Room) -> Path:
    """A backup of a library with two uploaded contracts."""
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    target = room.folder / "backup.zip"
    made = write_backup(room.folder / "library.db", target)
    assert (made.documents, made.files, made.missing) == (2, 2, 0)
    assert target.stat().st_mode & 0o077 == 0
    return target


def test_it_comes_back_elsewhere_with_its_originals(room: Room, archive: Path) -> None:
    place = room.folder / "elsewhere" / "firm.db"
    assert restore_backup(archive, place).documents == 2
    with Library.open(place) as library, Library.open(room.folder / "library.db") as before:
        assert [e.id for e in library.documents()] == [e.id for e in before.documents()]
        assert library.check() == []
        for entry in library.documents():
            path = Path(library.path_of(entry.id))
            assert path.is_relative_to(f"{place}-files")
            read = library.document(entry.id)
            assert sha256(path.read_bytes()).hexdigest() == read.sha256
            assert library.document_at(str(path), entry.collection) == entry.id


def test_a_task_in_hand_goes_on_where_the_files_are_now(room: Room, tmp_path: Path) -> None:
    folder = room.app.state.server.uploads.root / "1"
    with room.app.state.server.connection_pool.library() as library:
        spec = {"folder": str(folder)}
        task = TaskQueue(library).start(adding.KIND, "nobody's lane", "Mill", spec, by="Ada")
    folder.mkdir(parents=True)
    (folder / "deed.txt").write_text("A DEED")
    write_backup(room.folder / "library.db", tmp_path / "b.zip")
    restore_backup(tmp_path / "b.zip", tmp_path / "new.db")
    with Library.open(tmp_path / "new.db") as library:
        moved = Path(TaskQueue(library).find(task.id).spec["folder"])
    assert (moved / "deed.txt").read_text() == "A DEED"
    assert moved.is_relative_to(tmp_path / "new.db-files")


def test_a_folder_keeps_the_newest_of_a_library(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})
    folder = tmp_path / "backups"
    folder.mkdir()
    others = {"library-notes.zip", "firm-20260101-000000.zip", "library-20260101-000000.txt"}
    for name in others:
        (folder / name).touch()
    written = []
    for day in range(1, 6):
        monkeypatch.setattr(backup, "utc_now", lambda day=day: f"2026-03-0{day}T03:20:00+00:00")
        written.append(add_backup(room.folder / "library.db", folder, keep=3)[0])
    assert [path.name for path in written[:1]] == ["library-20260301-032000.zip"]
    assert {path.name for path in folder.iterdir()} == others | {p.name for p in written[2:]}
    assert restore_backup(written[-1], tmp_path / "new.db").documents == 1


def test_no_older_one_goes_for_one_that_cannot_be_restored(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})
    folder = tmp_path / "backups"
    folder.mkdir()
    first, _ = add_backup(room.folder / "library.db", folder, keep=1)
    monkeypatch.setattr(backup, "utc_now", lambda: "2099-01-01T00:00:00+00:00")
    with Library.open(room.folder / "library.db") as library, library.transaction():
        library.execute("UPDATE documents SET text = text || 'x'")
    with pytest.raises(LibraryError, match="damaged"):
        add_backup(room.folder / "library.db", folder, keep=1)
    assert [path.name for path in folder.iterdir()] == [first.name]


def test_an_archive_that_the_disk_changed_is_none(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})
    folder = tmp_path / "backups"
    folder.mkdir()
    copied = backup._copied

    def change(source: Any, sink: Any) -> tuple[str, int]:
        digest, size = copied(source, sink)
        return (digest if sink is not None else "0" * 64), size

    monkeypatch.setattr(backup, "_copied", change)
    with pytest.raises(InputError, match="damaged at"):
        write_backup(room.folder / "library.db", folder / "b.zip")
    assert list(folder.iterdir()) == []


def test_nothing_is_overwritten(room: Room, archive: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="already exists"):
        write_backup(room.folder / "library.db", archive)
    with pytest.raises(ConfigError, match="already exists"):
        restore_backup(archive, room.folder / "library.db")
    (tmp_path / "other.db-files").mkdir()
    with pytest.raises(ConfigError, match="already exists"):
        restore_backup(archive, tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()
    with pytest.raises(ConfigError, match="one file"):
        write_backup("postgresql:///firm", tmp_path / "b.zip")
    with pytest.raises(LibraryError, match="no library"):
        write_backup(tmp_path / "none.db", tmp_path / "b.zip")


def _without_list(source: zipfile.ZipFile, target: zipfile.ZipFile) -> None:
    target.writestr("library.db", source.read("library.db"))


def _other_words(source: zipfile.ZipFile, target: zipfile.ZipFile) -> None:
    for name in source.namelist():
        data = source.read(name)
        target.writestr(name, data.replace(b"six", b"ten") if name.endswith("lease.txt") else data)


def _leading_out(source: zipfile.ZipFile, target: zipfile.ZipFile) -> None:
    told = json.loads(source.read("backup.json"))
    told["sha256"]["files/../../evil.txt"] = sha256(b"evil").hexdigest()
    target.writestr("library.db", source.read("library.db"))
    for name in source.namelist():
        if name.startswith("files/"):
            target.writestr(name, source.read(name))
    target.writestr("files/../../evil.txt", b"evil")
    target.writestr("backup.json", json.dumps(told))


def _no_library(source: zipfile.ZipFile, target: zipfile.ZipFile) -> None:
    told = json.loads(source.read("backup.json"))
    told["sha256"] = {"library.db": sha256(b"words").hexdigest()}
    target.writestr("library.db", b"words")
    target.writestr("backup.json", json.dumps(told))


@pytest.mark.parametrize("change", [_without_list, _other_words, _leading_out, _no_library])
def test_a_damaged_archive_leaves_nothing(
    archive: Path, tmp_path: Path, change: Callable[[zipfile.ZipFile, zipfile.ZipFile], None]
) -> None:
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(damaged, "w") as target:
        change(source, target)
    place = tmp_path / "deep" / "new.db"
    with pytest.raises(FourcornersError):
        restore_backup(damaged, place)
    assert list(place.parent.iterdir()) == []
    assert not (tmp_path / "evil.txt").exists()


def test_an_archive_that_is_cut_short_is_told(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    for length in (0, 100, len(whole) // 2, len(whole) - 10):
        cut = tmp_path / "cut.zip"
        cut.write_bytes(whole[:length])
        with pytest.raises(InputError):
            restore_backup(cut, tmp_path / "cut.db")


def test_it_is_whole_though_others_write(tmp_path: Path, settings: Settings, room: Room) -> None:
    room.put({"lease.txt": LEASE})
    path = room.folder / "library.db"
    ended = threading.Event()

    def write() -> None:
        source = tmp_path / "more"
        source.mkdir()
        with Library.open(path) as library:
            number = 0
            while not ended.is_set():
                number += 1
                file = source / f"{number}.txt"
                file.write_text(f"{SUPPLY}\n{number}. Clause {number}.\n")
                made = prepare_file(file)
                assert isinstance(made, PreparedFile)
                library.add_columns(made.columns, None, collection="Grain")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = []
        for number in range(3):
            held = write_backup(path, tmp_path / f"{number}.zip")
            restore_backup(tmp_path / f"{number}.zip", tmp_path / f"{number}.db")
            with Library.open(tmp_path / f"{number}.db") as library:
                assert len(library.documents()) == held.documents
            counts.append(held.documents)
    finally:
        ended.set()
        writer.join()
    assert counts[0] < counts[2]
    create_app(tmp_path / "2.db", settings).state.server.connection_pool.close()


def test_a_clock_before_1970_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Library.open(tmp_path / "firm.db").close()
    monkeypatch.setattr("zipfile.time.time", lambda: -86_400.0)
    write_backup(tmp_path / "firm.db", tmp_path / "firm.zip")
    assert restore_backup(tmp_path / "firm.zip", tmp_path / "again.db").documents == 0
