"""A library where nothing can be written: read from there, and refused where it would change."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.library.tables import sqlite
from fourcorners.library.tables.migration import VERSION
from fourcorners.search.find import find_passages
from fourcorners.search.graph.links import update_links
from tests.library.conftest import CLAUSES, ENCODER, contract


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Let nothing in a folder be written: by its mode, or by a mount where root would ignore it."""
    if os.geteuid():
        modes = {path: path.stat().st_mode for path in (*folder.iterdir(), folder)}
        for path in modes:
            path.chmod(0o500 if path.is_dir() else 0o400)
        yield folder
        for path, mode in modes.items():
            path.chmod(mode)
        return
    mounted = folder.with_name(f"{folder.name}-mounted")
    mounted.mkdir()
    steps = (["--bind", str(folder), str(mounted)], ["-o", "remount,ro,bind", str(mounted)])
    if any(subprocess.run(["mount", *step], capture_output=True).returncode for step in steps):
        subprocess.run(["umount", mounted], capture_output=True)
        pytest.skip("nothing can be mounted here")
    try:
        yield mounted
    finally:
        subprocess.run(["umount", mounted], check=True)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that cannot be written, with a library."""
    made = tmp_path / "medium"
    made.mkdir()
    with Library.open(made / "firm.db") as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        contract().add(library)
    assert [path.name for path in made.iterdir()] == ["firm.db"]
    with read_only(made) as found:
        yield found


def test_it_is_read(folder: Path) -> None:
    for create in (False, True):
        with Library.open(folder / "firm.db", create=create) as library:
            assert library.is_read_only
            assert [hit.words for hit in find_passages(library, "norway")] == [CLAUSES[3]]
            update_links(library)  # which other reads begin with
            assert library.document(contract().document.id) == contract().document
            assert library.check() == []
    assert [path.name for path in folder.iterdir()] == ["firm.db"]


def test_what_would_change_it_is_refused(folder: Path) -> None:
    with Library.open(folder / "firm.db", create=False) as library:
        with pytest.raises(LibraryError, match="read-only here") as raised:
            library.remove(contract().document.id)
        assert "Copy it to a folder" in raised.value.remedy
        assert len(library.documents()) == 1


def test_an_earlier_version_is_not_converted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "VERSION", VERSION + 1)
    with pytest.raises(LibraryError, match="cannot be converted"):
        Library.open(folder / "firm.db", create=False)


def test_changes_that_are_only_logged_are_not_passed_over(tmp_path: Path) -> None:
    Library.open(tmp_path / "firm.db").close()
    writer = apsw.Connection(str(tmp_path / "firm.db"))
    writer.execute("INSERT INTO meta VALUES ('later', '1')")
    made = tmp_path / "medium"
    made.mkdir()
    for name in ("firm.db", "firm.db-wal"):
        (made / name).write_bytes((tmp_path / name).read_bytes())
    writer.close()
    with (
        read_only(made) as folder,
        pytest.raises(LibraryError, match=r"has changes in firm\.db-wal"),
    ):
        Library.open(folder / "firm.db", create=False)
