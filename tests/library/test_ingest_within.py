"""Adding archives and mails: each file in them is a document of its own, and nothing is lost."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from fourcorners.library import ingest
from fourcorners.library.add_report import AddReport, Progress
from fourcorners.library.ingest import add_files
from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.settings import Settings

SETTINGS = Settings(jobs=2, memory_mb=800, seconds=30, ocr=False)


def text(number: int) -> bytes:
    return (
        f"SERVICES AGREEMENT No. {number}\n\n1. Services\n\n"
        f"1.1 Alder {number} Ltd shall deliver the services with due care.\n"
    ).encode()


def zipped(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def mail(attachments: dict[str, bytes]) -> bytes:
    message = EmailMessage()
    message["From"] = "ann@example.com"
    message["To"] = "bo@example.com"
    message["Subject"] = "The contract"
    message["Message-ID"] = "<1@example.com>"
    message.set_content("Please find the contract attached.")
    for name, data in attachments.items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with a contract, and five more files in an archive and a mail in it."""
    folder = tmp_path / "room"
    folder.mkdir()
    (folder / "0.txt").write_bytes(text(0))
    inner = zipped({"4.txt": text(4), "broken.pdf": b"%PDF-1.7\n"})
    members = {
        "a/1.txt": text(1),
        "a/2.txt": text(2),
        "offer.eml": mail({"3.txt": text(3), "more.zip": inner}),
    }
    (folder / "deal.zip").write_bytes(zipped(members))
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "firm.db") as library:
        yield library


def put(library: Library, path: Path, collection: str = "Larch", **more: object) -> AddReport:
    return add_files(
        library,
        [path],
        collection=collection,
        encoder=None,
        settings=SETTINGS,
        **more,  # type: ignore[arg-type]
    )


def paths(library: Library, room: Path) -> set[str]:
    return {str(Path(entry.path).relative_to(room)) for entry in library.documents()}


WHOLE = {
    "0.txt",
    "deal.zip/a/1.txt",
    "deal.zip/a/2.txt",
    "deal.zip/offer.eml",
    "deal.zip/offer.eml/3.txt",
    "deal.zip/offer.eml/more.zip/4.txt",
}


def test_each_file_within_is_a_document(empty: Library, room: Path) -> None:
    seen: list[Progress] = []
    report = put(empty, room, on_progress=seen.append)
    assert paths(empty, room) == WHOLE
    assert (report.found, report.added, report.already) == (7, 6, 0)
    (failure,) = report.failed
    assert failure.path == str(room / "deal.zip/offer.eml/more.zip/broken.pdf")
    assert (seen[-1].done, seen[-1].total) == (7, 7)
    assert empty.check() == []
    assert JobTable(empty).list(unfinished=True) == []


def test_again_nothing_is_doubled(empty: Library, room: Path) -> None:
    put(empty, room)
    report = put(empty, room)
    assert (report.found, report.added, report.already) == (7, 0, 6)
    assert len(report.failed) == 1
    assert not report.duplicates
    assert not report.replaced
    assert paths(empty, room) == WHOLE


def test_another_collection_gets_what_is_within_too(empty: Library, room: Path) -> None:
    put(empty, room)
    assert put(empty, room, collection="Oak").added == 6
    assert empty.collections() == [("Larch", 6), ("Oak", 6)]


def test_the_same_content_within_and_without_is_one_document(empty: Library, room: Path) -> None:
    (room / "copy.txt").write_bytes(text(4))
    report = put(empty, room)
    assert (report.found, report.added, report.already) == (8, 6, 1)
    (duplicate,) = report.duplicates
    assert {duplicate.path, duplicate.same_as} == {
        str(room / "copy.txt"),
        str(room / "deal.zip/offer.eml/more.zip/4.txt"),
    }


def test_a_changed_archive_brings_its_changes(empty: Library, room: Path) -> None:
    put(empty, room)
    (room / "deal.zip").write_bytes(zipped({"a/1.txt": text(1), "a/2.txt": text(22)}))
    report = put(empty, room)
    assert (report.found, report.added, report.already, report.failed) == (3, 1, 2, ())
    assert [each.path for each in report.replaced] == [str(room / "deal.zip/a/2.txt")]
    assert empty.failures() == []


def test_a_run_that_was_stopped_within_an_archive_goes_on(
    empty: Library, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ingest._Run._keep
    done: list[Path] = []

    def stop(self: object, step: object, path: Path, made: object) -> None:
        if len(done) == 3:
            raise KeyboardInterrupt
        kept(self, step, path, made)  # type: ignore[arg-type]
        done.append(path)

    monkeypatch.setattr(ingest._Run, "_keep", stop)
    with pytest.raises(KeyboardInterrupt):
        put(empty, room)
    assert len(empty.documents()) == 3
    monkeypatch.setattr(ingest._Run, "_keep", kept)
    report = put(empty, room)
    assert paths(empty, room) == WHOLE
    assert (report.found, report.added, report.already) == (7, 3, 3)
    assert report.found == report.added + report.already + len(report.failed)


def test_an_archive_of_archives_without_end_is_a_failure(empty: Library, tmp_path: Path) -> None:
    data = zipped({"1.txt": text(1)})
    for _ in range(4):
        data = zipped({"in.zip": data})
    path = tmp_path / "deep.zip"
    path.write_bytes(data)
    report = put(empty, path)
    (failure,) = report.failed
    assert "more than 3 archives or mails within each other" in failure.reason
    assert report.found == 1


def test_a_damaged_and_a_locked_archive_are_failures(empty: Library, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    data = zipped({"1.txt": text(1)})
    (room / "cut.zip").write_bytes(data[:60])
    locked = bytearray(data)
    locked[data.index(b"PK\x01\x02") + 8] |= 1
    (room / "locked.zip").write_bytes(bytes(locked))
    report = put(empty, room)
    reasons = {Path(each.path).name: each.reason for each in report.failed}
    assert "may be truncated" in reasons["cut.zip"]
    assert reasons["locked.zip"] == "the archive is locked with a password."
