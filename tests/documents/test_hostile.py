"""Pages, rich text, texts, archives, mails, pictures and old Word files that mean harm.

Each is read in a worker with the limits of `add`; what archives and mails hold is read in turn.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fourcorners.documents.archive.container import MAX_DEPTH
from fourcorners.documents.conversion.libreoffice import find_libreoffice
from fourcorners.documents.document import Document
from fourcorners.documents.ocr.recognition import OcrOptions
from fourcorners.documents.read import read_document
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError
from tests.documents.hostile import held_files, page_files
from tests.documents.hostile.invariants import Looked, look, whole

ROOT = Path(__file__).resolve().parents[2]
MEMORY, SECONDS = 1_500 << 20, 60
MOST_WAITED = 240  # seconds for what is huge: a busy machine may take many times its usual
MOST = 60  # members that are looked into
CLAUSE = page_files.CLAUSE.decode()
SINGLE = {**page_files.FAST, **held_files.ODT, **held_files.DOC}
HOLDING = {**held_files.ZIP, **held_files.MAIL}
# Files in which the clause need not be found: it was damaged, or is not there.
LOST = frozenset(
    "flipped-bytes.html flipped-bytes.rtf flipped-bytes.odt truncated.html truncated.rtf "  # noqa: SIM905
    "odd-code-pages.rtf half-utf-16.txt changing-letters.rtf counted.html many-cells.html".split()
)
REFUSED = {
    "lying-bin.rtf": None,
    "nothing-said.rtf": "holds no text",
    "utf-16-half.txt": "binary file",
    "half-utf-16.txt": "binary file",
    "only-null-bytes.txt": "binary file",
    "only-marks.txt": None,
    "garbage.txt": "binary file",
    "laughs.odt": "declares a document type|not well-formed",
    "entity-of-a-file.odt": "declares a document type",
    "entity-of-the-net.odt": "declares a document type",
    "deep-spans.odt": "not well-formed",
    "no-text-part.odt": "no text part",
    "null-bytes.odt": "not well-formed",
    "inflating.odt": "far more than any contract",
    "truncated.odt": "",
    "flipped-bytes.odt": "",
    "locked.odt": "password",
    "locked.doc": "password",
    "outlook.doc": "Outlook message",
    "no-stream.doc": "old Office file",
}
WARNED = {
    "lying-bin.rtf": "longer than the file",
    "truncated.rtf": "may be truncated",
    "null-bytes.html": "NUL characters",
    "null-bytes.txt": "NUL characters",
    "half-letters.txt": "Windows-1252",
    "changing-letters.rtf": "hidden text",
    "really-page.rtf": "holds a web page",
    "really-rich.txt": "holds rich text",
    "really-rich.doc": "holds rich text",
    "really-page.doc": "holds a web page",
}


Outcome = Document | FourcornersError
Kept = Looked | FourcornersError


@pytest.fixture(scope="module")
def reading() -> Iterator[ProcessPool[Path, Document]]:
    with ProcessPool(
        partial(read_document, ocr=OcrOptions(seconds=30)), jobs=1, memory=MEMORY, seconds=SECONDS
    ) as pool:
        yield pool


@pytest.fixture(scope="module")
def looking() -> Iterator[ProcessPool[Path, Looked]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)  # the task is one of the tests', which a worker must find
        with ProcessPool(look, jobs=1, memory=MEMORY, seconds=SECONDS) as pool:
            yield pool


def run(pool: ProcessPool[Path, Document], path: Path, seconds: float = SECONDS) -> Outcome:
    started = time.monotonic()
    ((_, found),) = pool.run([path])
    assert time.monotonic() - started < seconds + 30  # it may have to start first
    return found


def refused(found: Outcome | Kept, name: str) -> InputError:
    """Check that it is an error that names the file and the way out, and no defect of ours."""
    assert isinstance(found, InputError), found
    assert name in found.message
    assert found.remedy
    assert "could not be processed" not in found.message, found.message
    assert "died" not in found.message, found.message
    return found


@pytest.mark.parametrize("name", sorted(SINGLE))
def test_a_hostile_file_is_read_or_refused(
    name: str, tmp_path: Path, reading: ProcessPool[Path, Document]
) -> None:
    path = tmp_path / name
    path.write_bytes(SINGLE[name]())
    found = run(reading, path)
    expected = REFUSED.get(name)
    if expected is not None:
        message = refused(found, name).message
        assert any(words in message for words in expected.split("|")), message
        return
    assert isinstance(found, Document), found
    whole(found)
    assert WARNED.get(name, "") in " ".join(found.warnings)
    if name not in LOST and name not in REFUSED:
        assert CLAUSE in found.text
    assert "root:" not in found.text  # of /etc/passwd
    assert "haha" not in found.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sorted(name for name in {**page_files.SLOW, **held_files.SLOW} if "." in name)
)
def test_a_huge_hostile_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    if name in held_files.CONVERTED and find_libreoffice() is None:
        pytest.skip("LibreOffice is not installed")
    path = tmp_path / name
    path.write_bytes({**page_files.SLOW, **held_files.SLOW}[name]())
    task = partial(read_document, ocr=OcrOptions(seconds=30))
    with ProcessPool(task, jobs=1, memory=MEMORY, seconds=MOST_WAITED) as pool:
        found = run(pool, path, MOST_WAITED)
    if isinstance(found, Document):
        whole(found)
        assert CLAUSE in found.text or found.warnings
    else:
        refused(found, name)


@pytest.mark.parametrize("name", sorted(held_files.PICTURE))
def test_a_hostile_picture_is_read_or_refused(
    name: str, tmp_path: Path, reading: ProcessPool[Path, Document]
) -> None:
    path = tmp_path / name
    path.write_bytes(held_files.PICTURE[name]())
    found = run(reading, path)
    if isinstance(found, Document):
        whole(found)
        assert found.warnings
        assert not found.text.strip()
        assert name != "circling.tif"
    else:
        refused(found, name)


def follow(path: Path, pool: ProcessPool[Path, Looked]) -> dict[str, Kept]:
    """Read a file and what it holds, and what that holds, as `add` does."""
    found: dict[str, Kept] = {}
    waiting = [path]
    while waiting and len(found) < MOST:
        holds: list[Path] = []
        for at, outcome in pool.run(waiting[: MOST - len(found)]):
            assert at == path or at.is_relative_to(path)
            found[str(at.relative_to(path))] = outcome
            if isinstance(outcome, FourcornersError):
                refused(outcome, at.name if len(at.name) < 100 else path.name)
                continue
            holds += outcome.holds
            if outcome.document is not None:
                whole(outcome.document)
        waiting = holds
    return found


@pytest.mark.parametrize("name", sorted(HOLDING))
def test_a_hostile_archive_or_mail_is_followed_or_refused(
    name: str, tmp_path: Path, looking: ProcessPool[Path, Looked]
) -> None:
    path = tmp_path / "in" / name
    path.parent.mkdir()
    path.write_bytes(HOLDING[name]())
    began = time.monotonic()
    found = follow(path, looking)
    assert time.monotonic() - began < 10 * SECONDS
    assert [each.name for each in tmp_path.iterdir()] == ["in"]
    assert [each.name for each in path.parent.iterdir()] == [name]
    for place in found:
        assert ".." not in Path(place).parts
        assert "\u202e" not in place
        assert len(Path(place).parts) < 64
    first = found["."]
    wanted = FIRST.get(name)
    if wanted is not None:
        assert isinstance(first, InputError), first
        assert wanted in first.message
    elif name in HELD:
        assert [place for place, each in found.items() if HELD[name] in str(each)]
    elif name.endswith(".eml"):
        assert isinstance(first, Looked)
        assert first.document is not None


FIRST = {
    "overlapping.zip": "far more than any data room",
    "many-members.zip": "far more than any data room",
    "many-attachments.eml": "far more than any data room",
    "locked.zip": "locked with a password",
    "nothing-but-the-start.zip": "archive is damaged",
    "truncated.zip": "archive is damaged",
    "nothing.zip": "",
    "mail-in-mail.eml": "nested too deeply",
    "parts-in-parts.eml": "nested too deeply",
    "encrypted.eml": "is encrypted",
}
# What the error says of something within.
HELD = {
    "inflating.zip": "far more than any data room",
    "lying-size.zip": "does not unpack",
    "a-bomb-within.zip": "far more than any data room",
    "a-bomb-attached.eml": "far more than any data room",
    "nested.zip": f"more than {MAX_DEPTH} archives",
    "circling.zip": f"more than {MAX_DEPTH} archives",
    "wrapped.eml": f"more than {MAX_DEPTH} archives",
    "half-locked.zip": "locked with a password",
    "odd-method.zip": "does not unpack",
}


@pytest.mark.parametrize("kind", ["txt", "html", "rtf", "odt", "eml", "zip"])
def test_a_file_that_grows_while_it_is_read(
    kind: str, tmp_path: Path, looking: ProcessPool[Path, Looked]
) -> None:
    path = tmp_path / f"growing.{kind}"
    make = {
        "odt": lambda: held_files.opendocument(held_files.P),
        "eml": lambda: held_files.mail(page_files.CLAUSE),
        "zip": lambda: held_files.archive(("a.txt", page_files.CLAUSE)),
        "html": lambda: page_files.page(page_files.CLAUSE),
        "rtf": lambda: page_files.rich(page_files.CLAUSE),
        "txt": lambda: page_files.CLAUSE,
    }
    path.write_bytes(make[kind]())
    done = threading.Event()

    def grow() -> None:
        with path.open("ab") as file:
            while not done.is_set() and file.tell() < 16 << 20:
                file.write(b"more and more \n" * 4_000)
                file.flush()

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        ((_, found),) = looking.run([path])
    finally:
        done.set()
        thread.join()
    if isinstance(found, InputError):
        refused(found, path.name)
    else:
        assert isinstance(found, Looked)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, reading: ProcessPool[Path, Document]
) -> None:
    pipe = tmp_path / "pipe.pdf"
    os.mkfifo(pipe)
    ring = tmp_path / "ring.docx"
    ring.symlink_to(tmp_path / "circle.docx")
    (tmp_path / "circle.docx").symlink_to(ring)
    device = tmp_path / "endless.txt"
    device.symlink_to("/dev/zero")
    began = time.monotonic()
    for path, words in (
        (pipe, "a device or pipe"),
        (device, "a device or pipe"),
        (ring, "leads back to itself"),
        (tmp_path, "a folder"),
        (tmp_path / "gone.txt", "no such file"),
        (tmp_path / ("a" * 300 + ".txt"), "longer than this system allows"),
    ):
        found = run(reading, path)
        assert words in refused(found, path.name).message
    assert time.monotonic() - began < 60


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_what_may_not_be_read_is_refused(
    tmp_path: Path, reading: ProcessPool[Path, Document]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("words")
    path.chmod(0)
    assert "no permission" in refused(run(reading, path), path.name).message
