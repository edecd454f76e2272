"""Several processes at once, and processes that are killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.search.find import find_passages
from tests.cluster.conformance.conftest import ENCODER
from tests.library.conftest import contract

ROOT = Path(__file__).resolve().parents[3]
TASKS = Path(__file__).with_name("processes.py")
PHASES = (
    "before the rows",
    "after the rows",
    "after the words",
    "after the vectors",
    "before the audit trail",
    "after the step",
    "after the commit",
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")


def start(task: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(TASKS), task, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out.split()


@pytest.fixture
def ready(url: str) -> str:
    with Library.open(url) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
    return url


@pytest.mark.slow
def test_two_writers_of_one_document_leave_it_whole(ready: str) -> None:
    both = [start("same", ready, "4") for _ in range(2)]
    for each in both:
        ended(each)
    with Library.open(ready, create=False) as library:
        assert [entry.id for entry in library.documents()] == [contract().document.id]
        assert library.check() == []
        assert library.document(contract().document.id) == contract().document


@pytest.mark.slow
def test_two_writers_and_four_readers_work_at_once(ready: str) -> None:
    writers = [start("write", ready, name, "8") for name in ("Alder", "Birch")]
    readers = [start("read", ready, "4") for _ in range(4)]
    added = {document for writer in writers for document in ended(writer)}
    assert all(int(ended(reader)[0]) > 1 for reader in readers)
    with Library.open(ready, create=False) as library:
        assert {entry.id for entry in library.documents()} == added
        assert len(added) == 16
        assert library.check() == []
        assert len(find_passages(library, "lot", limit=50)) == 16


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
def test_a_writer_killed_on_the_way_leaves_all_or_nothing(ready: str, phase: str) -> None:
    process = start("die", ready, phase)
    out, err = process.communicate(timeout=240)
    assert process.returncode == -9, err
    assert out == "added\n"
    with Library.open(ready, create=False) as library:
        names = sorted(entry.name for entry in library.documents())
        seen = phase == "after the commit"
        assert names == (["first.txt", "second.txt"] if seen else ["first.txt"])
        steps = library.execute("SELECT state FROM steps")
        assert steps == [("done" if seen else "claimed",)]
        assert library.check() == []
        second = contract("second.txt", ["SECOND AGREEMENT", "1. Two.", "1.1 It was second."])
        assert second.add(library) != seen
        assert [hit.words for hit in find_passages(library, "second AND was")] == [
            "1.1 It was second."
        ]
        assert library.check() == []


def test_a_full_disk_is_told_and_leaves_what_there_was(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'firm'}"  # of the server's own disk the server tells
    with Library.open(url) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
    told = start("fill", url, str(300_000))
    out, err = told.communicate(timeout=240)
    assert "Make room" in out or "Check the disk" in out, out + err
    with Library.open(url, create=False) as library:
        assert [entry.name for entry in library.documents()] == ["supply.txt"]
        assert library.check() == []
