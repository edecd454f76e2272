"""Kill -9 at random moments: what was done is kept, and the same command goes on."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.library.store import Library

if TYPE_CHECKING:
    from tests.conftest import Program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there"),
]
COUNT, MOMENTS = 40, 10


@pytest.fixture
def room(tmp_path: Path) -> Path:
    folder = tmp_path / "room"
    folder.mkdir()
    for number in range(COUNT):
        clauses = "\n\n".join(
            f"{clause}. Delivery\n\n{clause}.1 Lot {number}-{clause} is due within {clause} days."
            for clause in range(1, 25)
        )
        (folder / f"{number:02}.txt").write_text(f"SUPPLY AGREEMENT {number}\n\n{clauses}\n")
    return folder


@pytest.fixture
def archive(room: Path) -> Path:
    """The same files, packed; some of them in an archive within, or attached to a mail."""
    path = room.parent / "room.zip"
    files = sorted(room.iterdir())
    with zipfile.ZipFile(path, "w") as outer:
        for file in files[: COUNT // 2]:
            outer.write(file, f"contracts/{file.name}")
        with outer.open("inner.zip", "w") as place, zipfile.ZipFile(place, "w") as inner:
            for file in files[COUNT // 2 : -5]:
                inner.write(file, file.name)
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "a@example.com", "b@example.com", "Lots"
        mail["Message-ID"] = "<1@example.com>"
        mail.set_content("The last five contracts are attached to this letter.")
        for file in files[-5:]:
            mail.add_attachment(file.read_bytes(), "text", "plain", filename=file.name)
        outer.writestr("last.eml", mail.as_bytes())
    return path


def held(path: Path) -> dict[str, str]:
    """Return the documents that are in a library, each whole, with their texts."""
    if not path.exists():
        return {}
    with Library.open(path) as library:
        texts = {}
        for entry in library.documents():
            document = library.document(entry.id)
            passages = library.passages(entry.id)
            assert passages, f"{entry.name} is half there"
            assert passages[-1].span.end <= len(document.text)
            texts[entry.id] = document.text
        return texts


def test_nothing_is_lost_or_doubled(program: Program, room: Path) -> None:
    command = ["add", room.name, "--words-only", "--json", "--library"]
    began = time.monotonic()
    whole = program(*command, "whole.db").json
    seconds = time.monotonic() - began
    assert whole["added"] == COUNT
    expected = held(program.folder / "whole.db")
    chance = random.Random(20)
    kept = []
    for moment in range(MOMENTS):
        name = f"{moment}.db"
        process = program.start(*command, name)
        time.sleep(chance.uniform(0.2, 1.0) * seconds)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        before = held(program.folder / name)
        assert before.items() <= expected.items()
        kept.append(len(before))

        report = program(*command, name).json

        assert report["failed"] == []
        assert (report["already"], report["added"]) == (len(before), COUNT - len(before))
        assert held(program.folder / name) == expected
        again = program(*command, name).json
        assert (again["already"], again["added"]) == (COUNT, 0)
        told = program("status", "--library", name, "--json").json
        assert (told["documents"], told["jobs"], told["failures"]) == (COUNT, [], [])
        assert told["passages"] == whole["passages"]
        assert [each["documents"] for each in told["collections"]] == [COUNT]
    assert any(0 < count < COUNT for count in kept), f"no kill fell into the work: {kept}"


def test_nothing_within_an_archive_is_lost_or_doubled(program: Program, archive: Path) -> None:
    count = COUNT + 1  # the mail is a document too
    command = ["add", archive.name, "--words-only", "--json", "--library"]
    began = time.monotonic()
    whole = program(*command, "whole.db").json
    seconds = time.monotonic() - began
    assert (whole["added"], whole["failed"]) == (count, [])
    expected = held(program.folder / "whole.db")
    chance = random.Random(30)
    kept = []
    for moment in range(MOMENTS // 2):
        name = f"{moment}.db"
        process = program.start(*command, name)
        time.sleep(chance.uniform(0.3, 1.0) * seconds)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        before = held(program.folder / name)
        assert before.items() <= expected.items()
        kept.append(len(before))

        report = program(*command, name).json

        assert report["failed"] == []
        assert report["added"] == count - len(before)
        assert held(program.folder / name) == expected
        again = program(*command, name).json
        assert (again["already"], again["added"], again["failed"]) == (count, 0, [])
        told = program("status", "--library", name, "--json").json
        assert (told["documents"], told["jobs"], told["failures"]) == (count, [], [])
        assert told["passages"] == whole["passages"]
    assert any(0 < number < count for number in kept), f"no kill fell into the work: {kept}"
