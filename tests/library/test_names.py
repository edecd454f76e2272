from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library

Make = Callable[..., Any]


@pytest.fixture
def shelf(library: Library, make: Make) -> Library:
    for number, (name, folder) in enumerate(
        [
            ("Supply.txt", "room/a"),
            ("Supply.txt", "room/b"),
            ("Supply Amendment.txt", "room"),
            ("Lease of Bürohaus.txt", "room"),
        ]
    ):
        parts = make(name, [f"Contract {number}", "1. A", "1.1 B", "2. C"])
        moved = replace(parts.document, path=f"{folder}/{name}")
        replace(parts, document=moved).add(library, "Larch" if number else "Oak")
    return library


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("room/a/Supply.txt", "room/a/Supply.txt"),
        ("ROOM/A/supply.TXT", "room/a/Supply.txt"),
        ("amendment", "room/Supply Amendment.txt"),
        ("bürohaus", "room/Lease of Bürohaus.txt"),
        ("BÜROHAUS", "room/Lease of Bürohaus.txt"),
        ("supply amendment", "room/Supply Amendment.txt"),
        ("Supply_amendment", "room/Supply Amendment.txt"),
        ("lease, of - bürohaus", "room/Lease of Bürohaus.txt"),
        ("room/b", "room/b/Supply.txt"),
    ],
)
def test_a_name_that_fits_one_document(shelf: Library, name: str, path: str) -> None:
    assert shelf.resolve(name).path == path


def test_ids_and_their_beginnings(shelf: Library) -> None:
    for entry in shelf.documents():
        assert shelf.resolve(entry.id) == entry
        assert shelf.resolve(entry.id[:8].upper()) == entry


def test_an_absolute_path_means_the_same_file(
    shelf: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shelf.resolve(str(tmp_path / "room/b/Supply.txt")).path == "room/b/Supply.txt"


def test_several_fits_are_listed(shelf: Library) -> None:
    with pytest.raises(ConfigError, match="'supply' matches 2 documents") as caught:
        shelf.resolve("supply")
    assert "room/a/Supply.txt" in caught.value.message
    assert "room/b/Supply.txt" in caught.value.message
    assert shelf.resolve("supply.txt", "Oak").path == "room/a/Supply.txt"


def test_no_fit_lists_the_nearest(shelf: Library) -> None:
    with pytest.raises(ConfigError, match="no document is called 'Suply Amendmnt'") as caught:
        shelf.resolve("Suply Amendmnt")
    assert "Supply Amendment.txt" in caught.value.remedy
    with pytest.raises(ConfigError, match="no document is called ''"):
        shelf.resolve("")


def test_an_empty_library_says_how_to_fill_it(library: Library) -> None:
    with pytest.raises(ConfigError, match="there are none") as caught:
        library.resolve("supply")
    assert "fourcorners add" in caught.value.remedy
