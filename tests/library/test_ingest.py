from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray

from fourcorners.documents import discovery
from fourcorners.documents.workers.worker_pool import OwnProcessPool
from fourcorners.errors import LibraryError, ModelError
from fourcorners.library import ingest
from fourcorners.library.add_report import AddReport, Progress
from fourcorners.library.ingest import add_files
from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder

SETTINGS = Settings(jobs=2, memory_mb=800, seconds=30, ocr=False)
ENCODER = HashEncoder(16)


def text(number: int) -> str:
    """Write a small contract, unlike all others."""
    sections = [
        f"SERVICES AGREEMENT No. {number}",
        f"This Agreement is made between Alder {number} Ltd and Birch {number} GmbH.",
        "1. Services",
        f"1.1 The Supplier shall deliver the services of annex {number} with due care.",
        "1.2 The Customer shall pay each invoice within thirty days of its receipt.",
        "2. Change of control",
        f"2.1 If control of the Supplier changes, the Customer may end order {number} at once.",
        "3. Law",
        "3.1 This Agreement is governed by the laws of Denmark.",
    ]
    return "\n\n".join(sections * (1 + number % 3)) + "\n"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with six contracts, one of them in a folder below."""
    folder = tmp_path / "room"
    (folder / "more").mkdir(parents=True)
    for number in range(5):
        (folder / f"contract {number}.txt").write_text(text(number))
    (folder / "more" / "contract 5.txt").write_text(text(5))
    return folder


def put(
    library: Library,
    *paths: Path,
    encoder: HashEncoder | None = ENCODER,
    collection: str = "Larch",
    on_progress: Callable[[Progress], None] | None = None,
    in_processes: bool = False,
) -> AddReport:
    return add_files(
        library,
        paths,
        collection=collection,
        encoder=encoder,
        settings=SETTINGS,
        worker_pool=None if in_processes else OwnProcessPool(),
        on_progress=on_progress,
    )


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "firm.db") as library:
        yield library


def assert_whole(library: Library) -> None:
    """Assert that every document has its passages, words and vectors, once."""
    assert library.check() == []
    vectors = library.vectors()
    for entry in library.documents():
        document = library.document(entry.id)
        passages = library.passages(entry.id)
        assert len(passages) == entry.passages > 0
        assert library.vectors(document=entry.id).rowids.tolist() == list(entry.rows)
        assert vectors.documents.count(entry.id) == len(passages)
        words = library.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (f"meta : d{entry.id}",)
        )
        assert words == [(len(passages),)]
        assert document.text == Path(document.path).read_text()


def test_a_folder_is_added_whole(empty: Library, room: Path) -> None:
    seen: list[Progress] = []
    report = put(empty, room, on_progress=seen.append, in_processes=True)
    assert (report.found, report.added, report.already) == (6, 6, 0)
    assert (len(report.failed), len(report.duplicates), len(report.replaced)) == (0, 0, 0)
    assert report.needs_ocr == ()
    assert report.characters == sum(len(text(number)) for number in range(6))
    assert report.passages == empty.stats().passages == empty.stats().vectors
    assert {name for name, spent in report.seconds.items() if spent > 0} == {
        "read",
        "outline",
        "encode",
        "store",
    }
    assert [each.done for each in seen] == [1, 2, 3, 4, 5, 6]
    assert {each.total for each in seen} == {6}
    assert {each.path for each in seen} == {str(path) for path in room.rglob("*.txt")}
    assert_whole(empty)
    entry = empty.resolve("contract 5")
    assert entry.path == str(room / "more" / "contract 5.txt")
    assert empty.outline(entry.id).nodes
    assert empty.encoder
    assert empty.encoder.name == ENCODER.name


def test_the_vector_of_a_passage_is_that_of_its_context_and_words(
    empty: Library, room: Path
) -> None:
    put(empty, room)
    for entry in empty.documents():
        words = empty.text(entry.id)
        wanted = ENCODER.encode(
            [f"{each.context}\n{each.span.text_in(words)}" for each in empty.passages(entry.id)]
        )
        found = empty.vectors(document=entry.id).matrix
        np.testing.assert_allclose(found, wanted, atol=5e-4)


def test_again_nothing_is_parsed_and_nothing_doubled(
    empty: Library, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(empty, room)
    version = empty.content_version
    monkeypatch.setattr(ingest, "prepare_file", print)  # no worker could make a document with it
    report = put(empty, room)
    assert (report.added, report.already) == (0, 6)
    assert report.duplicates == ()
    assert empty.content_version == version
    assert empty.stats().documents == 6


def test_the_same_content_is_one_document_and_is_reported(empty: Library, room: Path) -> None:
    (room / "more" / "copy.txt").write_text(text(0))
    report = put(empty, room)
    assert (report.added, report.already) == (6, 1)
    (duplicate,) = report.duplicates
    assert {duplicate.path, duplicate.same_as} == {
        str(room / "contract 0.txt"),
        str(room / "more" / "copy.txt"),
    }
    assert empty.stats().documents == 6
    again = put(empty, room, collection="Oak")
    assert (again.added, again.already, len(again.duplicates)) == (6, 1, 1)
    assert empty.collections() == [("Larch", 6), ("Oak", 6)]
    assert_whole(empty)


def test_a_changed_file_is_reported_with_its_earlier_version(empty: Library, room: Path) -> None:
    put(empty, room)
    old = empty.resolve("contract 0").id
    (room / "contract 0.txt").write_text(text(77))
    report = put(empty, room)
    assert (report.added, report.already) == (1, 5)
    assert [(each.path, each.earlier) for each in report.replaced] == [
        (str(room / "contract 0.txt"), old)
    ]
    assert put(empty, room).replaced == ()


def test_bad_files_are_failures_and_all_others_go_on(empty: Library, room: Path) -> None:
    (room / "empty.txt").touch()
    (room / "spaces.txt").write_text(" \n\n ---- \n")
    (room / "broken.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog")
    (room / "noise.txt").write_bytes(bytes(range(256)) * 64)
    report = put(empty, room, room / "missing.txt", in_processes=True)
    assert report.added == 6
    assert [Path(each.path).name for each in report.failed] == [
        "broken.pdf",
        "empty.txt",
        "missing.txt",
        "noise.txt",
        "spaces.txt",
    ]
    for failure in report.failed:
        assert failure.reason
        assert failure.remedy
        assert not failure.reason.startswith(str(room))
    assert report.failed[4].reason == "it holds no words."
    assert list(report.failed) == empty.failures("Larch")
    assert report.found == 11
    assert JobTable(empty).list(unfinished=True) == []


def test_a_scan_without_text_says_how_to_get_it(empty: Library, dataroom: Path) -> None:
    report = put(empty, dataroom / "14-sorrel-trade-mark-licence.pdf")
    (failure,) = report.failed
    assert failure.reason.startswith("it needs OCR: none of its ")
    assert failure.remedy.startswith("Switch text recognition on")
    assert empty.documents() == []


def test_pages_left_unread_are_read_when_they_can_be(
    empty: Library, dataroom: Path, room: Path
) -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("Tesseract is not installed")
    mixed = pypdfium2.PdfDocument.new()
    for name in ("02-cordovan-supply-agreement.pdf", "14-sorrel-trade-mark-licence.pdf"):
        mixed.import_pages(pypdfium2.PdfDocument(dataroom / name), [0])
    mixed.save(room / "mixed.pdf")
    report = put(empty, room)
    assert [each.pages for each in report.needs_ocr] == [(2,)]
    assert "TRADE MARK" not in empty.text(
        empty.document_at(report.needs_ocr[0].path, "Larch") or ""
    )
    assert put(empty, room).already == 7
    able = SETTINGS.model_copy(update={"ocr": True})
    again = add_files(empty, [room], collection="Larch", encoder=ENCODER, settings=able)
    assert (again.added, again.already, again.failed, again.needs_ocr) == (1, 6, (), ())
    assert "TRADE MARK" in empty.text(empty.document_at(str(room / "mixed.pdf"), "Larch") or "")
    assert len(empty.documents()) == 7
    once_more = add_files(empty, [room], collection="Larch", encoder=ENCODER, settings=able)
    assert (once_more.added, once_more.already) == (0, 7)
    assert empty.check() == []


def test_a_failed_file_is_tried_again_and_its_failure_cleared(empty: Library, room: Path) -> None:
    late = room / "late.txt"
    late.touch()
    assert len(put(empty, room).failed) == 1
    assert len(put(empty, room).failed) == 1
    late.write_text(text(9))
    report = put(empty, room)
    assert (report.added, report.failed) == (1, ())
    assert empty.failures() == []


def test_the_failure_of_a_file_that_is_gone_is_forgotten(empty: Library, room: Path) -> None:
    (room / "empty.txt").touch()
    put(empty, room)
    assert len(empty.failures()) == 1
    (room / "empty.txt").unlink()
    put(empty, room / "more")
    assert len(empty.failures()) == 1
    put(empty, room)
    assert empty.failures() == []


def test_a_file_that_disappears_meanwhile_is_a_failure(empty: Library, room: Path) -> None:
    def take_away(_: Progress) -> None:
        for path in room.glob("*.txt"):
            path.unlink()

    report = put(empty, *sorted(room.rglob("*.txt")), on_progress=take_away)
    assert report.added + len(report.failed) == 6
    assert report.failed
    assert all("no such file" in failure.reason for failure in report.failed)


def test_names_of_every_kind(empty: Library, tmp_path: Path) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    names = [
        "x" * 240 + ".txt",
        "Vertrag über Büroräume – 契約.txt",
        "[a] 'b' \"c\" $d %e\n.txt",
        os.fsdecode(b"caf\xe9.txt"),
    ]
    for number, name in enumerate(names):
        (folder / name).write_text(text(number))
    report = put(empty, folder)
    assert (report.added, report.failed) == (4, ())
    assert put(empty, folder).already == 4
    assert put(empty, folder).duplicates == ()
    assert len(empty.documents()) == 4
    assert empty.check() == []


def test_without_an_encoder_and_with_one_later(empty: Library, room: Path) -> None:
    report = put(empty, room, encoder=None)
    assert (report.added, report.seconds["encode"]) == (6, 0.0)
    assert len(empty.vectors()) == 0
    report = put(empty, room)
    assert report.already == 6
    assert_whole(empty)


def test_another_encoder_is_refused_before_anything_is_read(empty: Library, room: Path) -> None:
    put(empty, room)
    with pytest.raises(LibraryError, match="hash-16"):
        put(empty, room, encoder=HashEncoder(32))


class Stumbling(HashEncoder):
    """An encoder that raises once, at the third document."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(16)
        self.calls = 0
        self._error = error

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls == 3:
            raise self._error
        return super().encode(texts)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ModelError("the weights are gone")])
def test_after_an_interruption_it_goes_on(empty: Library, room: Path, error: BaseException) -> None:
    encoder = Stumbling(error)
    with pytest.raises(type(error)):
        put(empty, room, encoder=encoder, in_processes=True)
    assert empty.stats().documents == 2
    (job,) = JobTable(empty).list(unfinished=True)
    progress = JobTable(empty).progress(job)
    assert (progress.total, progress.done, progress.waiting) == (6, 2, 4)
    assert_whole(empty)
    report = put(empty, room, encoder=encoder)
    assert (report.added, report.already) == (4, 2)
    assert JobTable(empty).list(unfinished=True) == []
    assert_whole(empty)


def test_a_step_that_always_kills_is_given_up_and_told(
    empty: Library, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "JobTable", lambda library: JobTable(library, attempts=2))
    first = put(empty, room / "contract 0.txt")
    assert first.added == 1
    job = JobTable(empty).start(
        "add", {"collection": "larch", "paths": f'["{room / "contract 1.txt"}"]'}
    )
    JobTable(empty).add_steps(job, [str(room / "contract 1.txt")])
    empty.execute("UPDATE steps SET attempts = 2")
    report = put(empty, room / "contract 1.txt")
    assert [failure.reason for failure in report.failed] == [
        "given up after 2 attempts: the process ended each time"
    ]
    assert put(empty, room / "contract 1.txt").added == 1
    assert empty.failures() == []


CHILD = """
import sys, time
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from tests.models.fake import HashEncoder
from fourcorners.settings import Settings

class Slow(HashEncoder):
    def encode(self, texts):
        time.sleep(0.01)
        return super().encode(texts)

def show(progress):
    print(progress.path, flush=True)

with Library.open(sys.argv[1]) as library:
    add_files(library, [sys.argv[2]], collection="Larch", encoder=Slow(16),
        settings=Settings(jobs=2, memory_mb=800, seconds=30), on_progress=show)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_killed_at_ten_random_moments_nothing_is_lost_half_there_or_doubled(
    tmp_path: Path,
) -> None:
    folder, path = tmp_path / "room", tmp_path / "firm.db"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02d}.txt").write_text(text(number))
    chance = random.Random(20)
    told: set[str] = set()
    stored: list[int] = []
    for _ in range(10):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path), str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout
        for _ in range(chance.randint(len(told), len(told) + 3)):
            if line := child.stdout.readline():
                told.add(line.rstrip("\n"))
        time.sleep(chance.uniform(0, 0.05))
        child.kill()
        told.update(line.rstrip("\n") for line in child.stdout if line.endswith("\n"))
        child.wait()
        child.stdout.close()
        with Library.open(path) as library:
            assert_whole(library)
            held = [entry.path for entry in library.documents()]
            assert told <= set(held)
            assert len(set(held)) == len(held)
            stored.append(len(held))
    assert stored == sorted(stored)
    assert 0 < stored[4] < 40
    with Library.open(path) as library:
        report = put(library, folder)
        assert (report.found, report.failed) == (40, ())
        assert report.added + report.already == 40
        assert library.stats().documents == 40
        assert JobTable(library).list(unfinished=True) == []
        assert_whole(library)


def test_two_processes_add_one_folder_together(tmp_path: Path) -> None:
    folder, path = tmp_path / "room", tmp_path / "firm.db"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:02d}.txt").write_text(text(number))
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path), str(folder)], stdout=subprocess.DEVNULL
        )
        for _ in range(2)
    ]
    assert [child.wait() for child in children] == [0, 0]
    with Library.open(path) as library:
        assert library.stats().documents == 20
        assert library.failures() == []
        assert JobTable(library).list(unfinished=True) == []
        assert_whole(library)


def test_a_file_that_grows_without_end_is_hashed_no_further_than_it_was_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"words " * 100)
    monkeypatch.setattr(discovery, "_PART", 64)
    assert discovery.digest_file(path, 1 << 20) == hashlib.sha256(b"words " * 100).hexdigest()
    hashed = []

    class Growing:
        def update(self, part: bytes) -> None:
            hashed.append(part)
            assert len(hashed) < 100, "it is read on and on"
            with path.open("ab") as file:
                file.write(part * 2)

    monkeypatch.setattr(discovery, "sha256", Growing)
    assert discovery.digest_file(path, 1 << 20) == ""
    assert sum(map(len, hashed)) == 600


def test_what_an_equal_add_did_at_the_same_time_counts_as_there(
    empty: Library, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = ingest._Run.work

    def late(run: ingest._Run, *given: Any) -> None:
        monkeypatch.undo()
        with Library.open(empty.path) as other:
            assert put(other, room).added
        work(run, *given)

    monkeypatch.setattr(ingest._Run, "work", late)
    (room / "empty.txt").write_text("")
    report = put(empty, room)
    assert report.added == 0
    assert report.already
    assert [Path(each.path).name for each in report.failed] == ["empty.txt"]
    assert report.already + len(report.failed) == report.found
    assert JobTable(empty).list(unfinished=True) == []
