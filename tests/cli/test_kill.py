"""Kill -9 at random moments: what was done is kept, and the same command goes on."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def timed(program: Program, *command: str) -> tuple[Any, float]:
    """Run what will be killed to its end; returns what it printed, and its seconds."""
    began = time.monotonic()
    process = program.start(*command)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return json.loads(out), time.monotonic() - began


def test_nothing_is_lost_or_doubled(program: Program, room: Path) -> None:
    command = ["add", room.name, "--words-only", "--json", "--library"]
    whole, seconds = timed(program, *command, "whole.db")
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
    whole, seconds = timed(program, *command, "whole.db")
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


WRITER = """
import sys
from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.people import review_actions
from fourcorners.review import annotations
book = load_playbook("due-diligence")
with Library.open(sys.argv[1], create=False) as library:
    kept = annotations.select_annotations(library, book.id).values()
    number = sum(each.by_person for said in kept for each in said)
    places = [(e.id, p.id) for e in library.documents() for p in book.provisions]
    while True:
        for place in places[number % 7 :: 7]:
            try:
                review_actions.annotate_finding(
                    library,
                    book,
                    *place,
                    review_actions.NewAnnotation("Ann", comment=f"remark {number}"),
                )
            except ConfigError:  # not reviewed yet
                continue
            print(number, flush=True)
            number += 1
"""


def test_what_people_say_during_a_review_is_neither_lost_nor_doubled(
    program: Program, room: Path
) -> None:
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review import annotations as remarks
    from fourcorners.review import store

    for path in sorted(room.iterdir())[6:]:
        path.unlink()
    program("add", room.name, "--words-only", "--library", "a.db")
    book, path = load_playbook("due-diligence"), program.folder / "a.db"
    whole = len(book.provisions)
    review = ("review", "--words-only", "--json", "--library", "a.db")
    _, seconds = timed(program, *review)
    chance = random.Random(40)
    reported: set[int] = set()
    busy = 0
    for moment in range(MOMENTS):
        again = ("--again",) if moment % 3 else ()
        reviewing = program.start(*review, *again)
        writing = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            cwd=program.folder, env=dict(program.environment), stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        time.sleep(chance.uniform(0.3, 1.1) * seconds)
        ended = reviewing.poll() is not None
        for process in chance.sample([reviewing, writing], 2):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        said = writing.communicate(timeout=60)[0]
        reviewing.communicate(timeout=60)
        assert writing.returncode == -signal.SIGKILL, "the writer never ends by itself"
        reported |= {int(line) for line in said.split("\n")[:-1]}
        busy += bool(said) and not ended
        with Library.open(path, create=False) as library:
            kept = [
                int(each.annotation.comment.removeprefix("remark "))
                for several in remarks.select_annotations(library, book.id).values()
                for each in several
                if each.by_person
            ]
            assert sorted(kept) == list(range(len(kept))), "each once, and none between is missing"
            assert reported <= set(kept)
            assert remarks.annotation_faults(library) == []
            assert library.audit_verdict().faults == ()
            for entry in library.documents():
                assert len(store.load_findings(library, book, entry.id)) == whole
    assert busy, "no kill fell into the work"
    report = program(*review).json
    assert len(report["findings"]) == 6 * whole
    assert sum(len(each["remarks"]) for each in report["findings"]) == len(kept)
    assert program("status", "--json", "--library", "a.db").json["jobs"] == []
    with Library.open(path, create=False) as library:
        assert library.check() == []
