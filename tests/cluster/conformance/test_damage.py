"""What was changed behind the library's back is noticed, never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.cluster.library import LanceLibrary
from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.search.find import find_passages
from tests.cluster.conformance.conftest import ENCODER
from tests.library.conftest import contract


@pytest.fixture
def firm(tmp_path: Path) -> Path:
    folder = tmp_path / "firm"
    with Library.open(f"lance:{folder}") as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        contract().add(library)
    return folder


def flip(file: Path, inside: bytes) -> None:
    """Change one byte of a file, the second of the given ones."""
    data = bytearray(file.read_bytes())
    data[data.index(inside) + 1] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("inside", [b"laws of Norway", b"laws of norway"])
def test_a_flipped_byte_of_words_is_noticed(firm: Path, inside: bytes) -> None:
    files = [
        file
        for table in ("texts", "passages")
        for file in (firm / f"{table}.lance" / "data").iterdir()
        if inside in file.read_bytes()
    ]
    assert files
    flip(files[0], inside)
    with Library.open(f"lance:{firm}", create=False) as library:
        assert library.check() != []
        with pytest.raises(LibraryError, match="is not what was stored"):
            find_passages(library, "norway")


def test_a_flipped_byte_of_a_vector_is_noticed(firm: Path) -> None:
    parts = contract()
    assert parts.vectors is not None
    inside = parts.vectors[:1].astype("<f2").tobytes()
    files = [
        file for file in (firm / "vectors.lance" / "data").iterdir() if inside in file.read_bytes()
    ]
    flip(files[0], inside)
    with Library.open(f"lance:{firm}", create=False) as library:
        assert library.check() != []
        with pytest.raises(LibraryError, match="is not what was stored"):
            find_passages(library, None, like="norway", encoder=ENCODER)


def test_a_changed_journal_is_noticed(firm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(firm / "another"))  # a machine without a copy
    files = [
        file
        for file in (firm / "journal.lance" / "data").iterdir()
        if b"supply.txt" in file.read_bytes()
    ]
    flip(files[0], b"supply.txt")
    with pytest.raises(LibraryError, match="journal is damaged"):
        Library.open(f"lance:{firm}", create=False)


def test_a_file_that_is_gone_is_noticed(firm: Path) -> None:
    for file in (firm / "passages.lance" / "data").iterdir():
        file.unlink()
    with Library.open(f"lance:{firm}", create=False) as library:
        assert library.check() != []
        with pytest.raises(LibraryError):
            find_passages(library, "norway")


def test_a_copy_of_the_catalogue_that_is_damaged_is_made_anew(firm: Path) -> None:
    url = f"lance:{firm}"
    with Library.open(url, create=False) as library:
        assert isinstance(library, LanceLibrary)
        copy = library.replica.path
    copy.write_bytes(b"no database at all" * 1000)
    with Library.open(url, create=False) as library:
        assert [entry.name for entry in library.documents()] == ["supply.txt"]
        assert library.check() == []


def test_a_copy_that_is_ahead_of_restored_tables_is_made_anew(firm: Path, tmp_path: Path) -> None:
    from shutil import copytree, rmtree

    copytree(firm, tmp_path / "kept")
    with Library.open(f"lance:{firm}") as library:
        contract("late.txt", ["LATE", "1. Late.", "1.1 It is lost."]).add(library)
    rmtree(firm)
    copytree(tmp_path / "kept", firm)
    with Library.open(f"lance:{firm}", create=False) as library:
        assert [entry.name for entry in library.documents()] == ["supply.txt"]
        assert library.check() == []
