"""A review read back from its cells is the review that was made."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import ReviewState
from fourcorners.review.parties import find_sides, set_side
from fourcorners.review.people import review_actions as states
from fourcorners.review.run import ReviewProgress, ReviewScope, review_library
from fourcorners.review.stored_review import load_review
from fourcorners.settings import Settings

DAY = date(2026, 11, 1)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    for name in ("Ash", "Oak"):
        (folder / f"{name}.txt").write_text(
            f"SUPPLY AGREEMENT\n\nMade on 3 May 2024 between {name} Ltd and B Ltd.\n\n"
            "1. Neither party may assign this Agreement without the prior written consent of the "
            "other.\n\n2. This Agreement is governed by the laws of England and Wales.\n"
        )
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    place = tmp_path_factory.mktemp("library")
    with Library.open(place / "larch.db") as opened:
        add_files(opened, [folder], collection="Larch", encoder=None, settings=Settings(jobs=1))
    return place


@pytest.fixture
def library(stored: Path, tmp_path: Path) -> Iterator[Library]:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    with Library.open(tmp_path / "larch.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    return load_playbook("due-diligence")


def test_it_is_the_review_that_was_made(library: Library, playbook: Playbook) -> None:
    made = review_library(
        library, playbook, ReviewScope(collection="Larch", as_of=DAY), encoder=None
    )
    read = load_review(library, playbook, collection="Larch", as_of=DAY)
    assert read.findings == made.findings
    assert read.documents == made.documents
    assert read.unread == made.unread
    assert len(read.unread) == 1
    assert replace(read, created=made.created, provenance=made.provenance) == made
    assert load_review(library, playbook, collection="Larch", as_of=DAY) == read
    assert load_review(library, playbook, collection="Larch").as_of == read.created.date()


def test_what_people_said_is_in_it(library: Library, playbook: Playbook) -> None:
    made = review_library(
        library, playbook, ReviewScope(collection="Larch", as_of=DAY), encoder=None
    )
    document = made.documents[0].id
    states.annotate_finding(
        library,
        playbook,
        document,
        "governing-law",
        states.NewAnnotation(by="Ada", state=ReviewState.CONFIRMED),
    )
    read = load_review(library, playbook, collection="Larch")
    assert read.cell(document, "governing-law").review is ReviewState.CONFIRMED
    assert read.cell(document, "governing-law").remarks[-1].by == "Ada"


def test_missing_cells_are_told_with_the_command(library: Library, playbook: Playbook) -> None:
    with pytest.raises(ConfigError, match="2 of 2 contracts in the collection 'Larch'") as told:
        load_review(library, playbook, collection="Larch", command="fourcorners review -c Larch")
    assert told.value.remedy == "Review them first: fourcorners review -c Larch"
    review_library(library, playbook, ReviewScope(collection="Larch"), encoder=None)
    other = replace(playbook, hash="another")
    with pytest.raises(ConfigError, match="as it is now, Ash"):
        load_review(library, other, collection="Larch")


def test_an_empty_library_says_so(tmp_path: Path, playbook: Playbook) -> None:
    with (
        Library.open(tmp_path / "empty.db") as empty,
        pytest.raises(ConfigError, match="holds no contract"),
    ):
        load_review(empty, playbook)


def test_cells_that_were_filled_for_others_are_not_told(
    library: Library, playbook: Playbook
) -> None:
    review_library(library, playbook, ReviewScope(collection="Larch"), encoder=None)
    set_side(library, "Larch", ["Ash Ltd"])
    with pytest.raises(ConfigError, match="were reviewed for others") as told:
        load_review(library, playbook, collection="Larch", command="fourcorners review -c Larch")
    assert told.value.remedy == "Review them again: fourcorners review -c Larch"
    sides = find_sides(library, library.documents())
    (ash,) = (document for document, side in sides.items() if side.names)
    assert store.stale_documents(library, playbook, sides) == {ash}
    failed = review_library(
        library, playbook, ReviewScope(collection="Larch", only_failed=True), encoder=None
    )
    assert {each.document for each in failed.findings if each.error} == {ash}
    seen: list[ReviewProgress] = []
    again = review_library(
        library, playbook, ReviewScope(collection="Larch"), encoder=None, on_progress=seen.append
    )
    assert [each.document for each in seen] == ["Ash.txt"]  # the other reads as before
    assert again.read_for == ("Ash Ltd",)
    assert store.stale_documents(library, playbook, sides) == set()
    assert load_review(library, playbook, collection="Larch").read_for == ("Ash Ltd",)
