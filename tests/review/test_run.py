"""Reviewing a collection: every cell, resumed where it stopped, whatever happens on the way."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.documents.workers.worker_pool import LocalWorkerPool
from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.ingest import add_files
from fourcorners.library.jobs import JobTable, worker_name
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import run, store
from fourcorners.review.finding import CellState, Finding, ReviewState
from fourcorners.review.people import review_actions as states
from fourcorners.review.run import ReviewProgress, ReviewScope, Workers, review_library
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder

ENCODER = HashEncoder(dimension=32)


def contract(number: int) -> str:
    return (
        f"SUPPLY AGREEMENT NUMBER {number}\n\n"
        f"This Agreement is made on {1 + number % 28} May 2024 between A{number} Ltd and B Ltd.\n\n"
        "1. Neither party may assign this Agreement without the prior written consent of the "
        "other.\n\n2. This Agreement is governed by the laws of England and Wales.\n\n"
        f"3. The Supplier shall keep {number} records and the Customer may audit them.\n"
    )


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    for number in range(6):
        (folder / f"supply-{number}.txt").write_text(contract(number), encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    place = tmp_path_factory.mktemp("library")
    with Library.open(place / "larch.db") as opened:
        add_files(opened, [folder], collection="Larch", encoder=ENCODER, settings=Settings(jobs=1))
    return place


@pytest.fixture
def library(stored: Path, tmp_path: Path) -> Iterator[Library]:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    with Library.open(tmp_path / "larch.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    return load_playbook("due-diligence")


@pytest.fixture(scope="module")
def reviewed(stored: Path, playbook: Playbook, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reviewed")
    shutil.copytree(stored, place, dirs_exist_ok=True)
    with Library.open(place / "larch.db") as opened:
        review_library(opened, playbook, encoder=ENCODER)
    return place


@pytest.fixture
def filled(reviewed: Path, tmp_path: Path) -> Iterator[Library]:
    """A library whose cells are all filled."""
    shutil.copytree(reviewed, tmp_path, dirs_exist_ok=True)
    with Library.open(tmp_path / "larch.db") as opened:
        yield opened


def test_every_document_and_provision_has_one_cell(library: Library, playbook: Playbook) -> None:
    grid = review_library(library, playbook, ReviewScope(collection="Larch"), encoder=ENCODER)
    assert len(grid.documents) == 6
    assert len(grid.findings) == 6 * 17
    cells = {(cell.document, cell.provision) for cell in grid.findings}
    assert len(cells) == 6 * 17
    law = grid.cell(grid.documents[0].id, "governing-law")
    assert law.state is CellState.FOUND
    assert "England and Wales" in law.evidence[0].quote.words
    assert grid.cell(grid.documents[0].id, "source-code-escrow").state is CellState.NOT_FOUND


def test_an_unread_file_is_in_the_grid(filled: Library, playbook: Playbook) -> None:
    (unread,) = review_library(filled, playbook, encoder=ENCODER).unread
    assert unread.path.endswith("broken.pdf")
    assert unread.reason
    assert unread.remedy


def test_filled_cells_are_not_filled_again(
    filled: Library, playbook: Playbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = review_library(filled, playbook, encoder=ENCODER)
    monkeypatch.setattr(run, "_fill", None)  # any work now would fail
    second = review_library(filled, playbook, encoder=ENCODER)
    assert second.findings == first.findings


def test_progress_counts_cells(library: Library, playbook: Playbook) -> None:
    seen: list[ReviewProgress] = []
    review_library(library, playbook, encoder=ENCODER, on_progress=seen.append)
    assert [step.done for step in seen] == [17 * n for n in range(1, 7)]
    assert {step.total for step in seen} == {6 * 17}


def test_a_document_that_crashes_has_failed_cells_and_is_tried_again(
    library: Library, playbook: Playbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SECONDS_A_DOCUMENT", 0.000_001)
    workers = Workers(pool=LocalWorkerPool(1))
    two = ReviewScope(documents=[each.id for each in library.documents()[:2]])
    grid = review_library(library, playbook, two, encoder=ENCODER, workers=workers)
    assert {cell.state for cell in grid.findings} == {CellState.FAILED}
    assert all(cell.error for cell in grid.findings)
    monkeypatch.undo()
    again = review_library(library, playbook, two, encoder=ENCODER, workers=workers)
    assert CellState.FAILED not in {cell.state for cell in again.findings}


def test_only_failed_cells_are_tried_again(filled: Library, playbook: Playbook) -> None:
    grid = review_library(filled, playbook, encoder=ENCODER)
    one, other = grid.documents[:2]
    store.save_findings(
        filled,
        playbook,
        "engine",
        [Finding(one.id, "insurance", CellState.FAILED, error="it crashed"),
         Finding(other.id, "insurance", CellState.NOT_FOUND)],
    )  # fmt: skip
    seen: list[ReviewProgress] = []
    again = review_library(
        filled,
        playbook,
        ReviewScope(only_failed=True),
        encoder=ENCODER,
        on_progress=seen.append,
    )
    assert [(step.document, step.done, step.total) for step in seen] == [(one.name, 102, 102)]
    assert again.cell(one.id, "insurance").error == ""
    assert again.cell(other.id, "insurance").searched is None, "filled by another engine, and left"
    with pytest.raises(ConfigError, match="are both given"):
        review_library(filled, playbook, ReviewScope(only_failed=True, again=True), encoder=ENCODER)


def test_cells_that_were_never_filled_say_so(library: Library, playbook: Playbook) -> None:
    grid = review_library(library, playbook, ReviewScope(only_failed=True), encoder=ENCODER)
    assert {cell.state for cell in grid.findings} == {CellState.FAILED}
    assert grid.findings[0].error == "This was not reviewed yet."


def test_time_and_cost_to_come_are_foretold(
    library: Library, playbook: Playbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("fourcorners.review.run.time.monotonic", lambda: clock[0])
    pace = run._Pace(40, lambda: clock[0] / 100)
    clock[0] += 30
    assert pace.step(10) == pytest.approx((90.0, 0.3, 0.9))
    clock[0] += 30
    assert pace.step(30) == pytest.approx((0.0, 0.6, 0.0))
    monkeypatch.undo()
    seen: list[ReviewProgress] = []
    review_library(library, playbook, encoder=ENCODER, on_progress=seen.append)
    assert all(step.seconds_left is not None for step in seen)
    assert seen[-1].seconds_left == 0
    assert {(step.cost, step.cost_left) for step in seen} == {(None, None)}


def test_the_grid_has_what_people_said(filled: Library, playbook: Playbook) -> None:
    grid = review_library(filled, playbook, encoder=ENCODER)
    assert grid.playbook_id == playbook.id
    one = grid.documents[0]
    states.annotate_finding(
        filled,
        playbook,
        one.id,
        "governing-law",
        states.NewAnnotation(by="Ann", state=ReviewState.CONFIRMED),
    )
    words = "The Supplier shall keep 0 records and the Customer may audit them."
    states.annotate_finding(
        filled, playbook, one.id, "audit-rights", states.NewAnnotation(by="Ann", value=words)
    )
    again = review_library(filled, playbook, encoder=ENCODER)
    assert again.cell(one.id, "governing-law").review is ReviewState.CONFIRMED
    corrected = again.cell(one.id, "audit-rights")
    assert corrected.place is not None
    assert corrected.place.text_in(one.text) == words
    anew = review_library(filled, playbook, ReviewScope(again=True), encoder=ENCODER)
    assert anew.findings == again.findings


def test_another_playbook_version_fills_its_own_cells(filled: Library, playbook: Playbook) -> None:
    from dataclasses import replace

    review_library(filled, playbook, encoder=ENCODER)
    other = replace(playbook, hash="0" * 64, provisions=playbook.provisions[:2])
    assert len(review_library(filled, other, encoder=ENCODER).findings) == 12
    assert len(review_library(filled, playbook, encoder=ENCODER).findings) == 6 * 17


def test_a_removed_document_takes_its_cells_along(filled: Library, playbook: Playbook) -> None:
    grid = review_library(filled, playbook, encoder=ENCODER)
    gone = grid.documents[0].id
    filled.remove(gone)
    assert store.load_findings(filled, playbook, gone) == {}
    assert len(review_library(filled, playbook, encoder=ENCODER).findings) == 5 * 17


def test_an_empty_library_is_said_to_be_empty(tmp_path: Path, playbook: Playbook) -> None:
    with (
        Library.open(tmp_path / "empty.db") as empty,
        pytest.raises(ConfigError, match="holds no contract"),
    ):
        review_library(empty, playbook, encoder=None)


def test_two_processes_do_not_do_the_same_review(library: Library, playbook: Playbook) -> None:
    jobs = JobTable(library)
    job = jobs.start(
        "review", {"playbook": playbook.id, "hash": playbook.hash, "collection": "Larch"}
    )
    jobs.add_steps(job, [entry.id for entry in library.documents("Larch")])
    jobs.claim(job, worker_name(), 60.0, 2)
    with pytest.raises(LibraryError, match="another process is reviewing 2"):
        review_library(library, playbook, ReviewScope(collection="Larch"), encoder=ENCODER)


def test_a_review_that_was_cancelled_meanwhile_ends_and_keeps_what_it_did(
    library: Library, playbook: Playbook
) -> None:
    def cancel(_: ReviewProgress) -> None:
        with Library.open(library.path) as other:
            jobs = JobTable(other)
            for job in jobs.list(unfinished=True):
                jobs.cancel(job, force=True)

    with pytest.raises(LibraryError, match="was stopped"):
        review_library(
            library, playbook, ReviewScope(collection="Larch"), encoder=ENCODER, on_progress=cancel
        )
    assert len(store.load_cells(library, playbook, [each.id for each in playbook.provisions])) == 2
    assert JobTable(library).list(unfinished=True) == []


def test_what_an_ended_review_left_open_is_closed_by_the_next(
    filled: Library, playbook: Playbook
) -> None:
    grid = review_library(filled, playbook, ReviewScope(collection="Larch"), encoder=ENCODER)
    ids = [each.id for each in grid.documents]
    jobs = JobTable(filled)
    spec = {"playbook": playbook.id, "hash": playbook.hash, "collection": "Larch"}
    job = jobs.start("review", spec)
    jobs.add_steps(job, [*ids, "0" * 16])  # the last has left the library
    review_library(
        filled, playbook, ReviewScope(collection="Larch", documents=ids[:2]), encoder=ENCODER
    )
    assert jobs.progress(job).waiting == len(ids) - 2
    review_library(
        filled, playbook, ReviewScope(collection="Larch", only_failed=True), encoder=ENCODER
    )
    assert jobs.progress(job).waiting == len(ids) - 2
    older = jobs.start("review", {**spec, "hash": "0" * 64})
    jobs.add_steps(older, ids)
    review_library(filled, playbook, ReviewScope(collection="Larch"), encoder=ENCODER)
    assert jobs.list(unfinished=True) == []


def test_steps_in_hand_are_not_closed(filled: Library, playbook: Playbook) -> None:
    grid = review_library(filled, playbook, encoder=ENCODER)
    jobs = JobTable(filled)
    spec = {"playbook": playbook.id, "hash": playbook.hash, "collection": ""}
    job = jobs.start("review", spec)
    jobs.add_steps(job, [grid.documents[0].id])
    jobs.claim(job, worker_name(), 60.0, 1)
    review_library(filled, playbook, encoder=ENCODER)
    assert jobs.progress(job).claimed == 1


SCRIPT = """
import sys
from fourcorners.library.store import Library
from tests.models.fake import HashEncoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.run import review_library
with Library.open(sys.argv[1]) as library:
    review_library(
        library,
        load_playbook("due-diligence"),
        encoder=HashEncoder(dimension=32),
        on_progress=lambda step: print(step.document, flush=True),
    )
"""


def test_killed_at_any_moment_it_goes_on_and_loses_nothing(
    library: Library, playbook: Playbook
) -> None:
    chance = random.Random(7)
    path = str(library.path)
    reported: set[str] = set()
    killed = 0
    for _ in range(10):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, path],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        time.sleep(chance.uniform(0.1, 2.5))
        os.killpg(process.pid, signal.SIGKILL)
        said = process.communicate()[0]
        killed += process.returncode == -signal.SIGKILL
        reported |= set(said.split())
        ids = {entry.name: entry.id for entry in library.documents()}
        for name in reported:
            assert len(store.load_findings(library, playbook, ids[name])) == 17
        for entry in library.documents():
            assert len(store.load_findings(library, playbook, entry.id)) in (0, 17)
        assert library.check() == []
    assert killed
    grid = review_library(library, playbook, encoder=ENCODER)
    assert len(grid.findings) == 6 * 17
    assert CellState.FAILED not in {cell.state for cell in grid.findings}
    assert JobTable(library).list(unfinished=True) == []


def test_what_is_filled_is_counted_without_reading_it(filled: Library, playbook: Playbook) -> None:
    made = run.fill_review(filled, playbook, encoder=ENCODER)
    grid = run.filled_grid(filled, playbook, made, ReviewScope())
    assert [each.id for each in made.documents] == [each.id for each in grid.documents]
    counted = store.count_states(filled, playbook)
    assert counted == Counter(cell.state for cell in grid.findings)
    names = filled.collection_names()
    assert sum(
        (Counter(store.count_states(filled, playbook, name)) for name in names), Counter()
    ) == Counter(counted)
