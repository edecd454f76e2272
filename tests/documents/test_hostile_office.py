"""PDF and Word files that mean harm: each is read with bounds kept, or refused by name."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.documents.document import Document
from fourcorners.documents.read import read_document
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError
from tests.documents.hostile import docx_files, pdf_files
from tests.documents.hostile.invariants import whole

MEMORY = 1_500 << 20
SECONDS = 60
MOST_WAITED = 240  # seconds for what is huge: a busy machine may take many times its usual twenty
FAST = {**pdf_files.FAST, **docx_files.FAST}
SLOW = {**pdf_files.SLOW, **docx_files.SLOW}
# What must be read, not refused, and words that must be in it.
READ = {
    "looping-xref.pdf": "within ten days",
    "form-in-itself-once.pdf": "within ten days",
    "negative-rotation.pdf": "within ten days",
    "odd-rotation.pdf": "within ten days",
    "garbage-first.pdf": "within ten days",
    "lying-length.pdf": "within ten days",
    "null-bytes.pdf": "within ten days",
    "many-annotations.pdf": "within ten days",
    "drawing.pdf": "within ten days",
    "strange-letters.pdf": "plain words",
    "five-thousand-pages.pdf": "within ten days",
    "tables-to-the-limit.docx": "within ten days",
    "boxes-to-the-limit.docx": "within ten days",
    "controls-to-the-limit.docx": "within ten days",
    "insertions-to-the-limit.docx": "within ten days",
    "no-styles.docx": "within ten days",
    "no-relations.docx": "within ten days",
    "relations-in-a-ring.docx": "within ten days",
    "styles-in-a-ring.docx": "x",
    "lists-in-a-ring.docx": "within ten days",
    "huge-numbers.docx": "x",
    "open-comments.docx": "within ten days",
    "open-fields.docx": "after",
    "ends-that-never-show.docx": "within ten days",
    "strange-letters.docx": "zero\u200bwidth",
    "utf-16.docx": "within ten days",
    "part-elsewhere.docx": "within ten days",
    "really-pdf.docx": "A deed of gift",
    "really-text.docx": "This Deed",
    "hundred-thousand-paragraphs.docx": "99999 days",
}
REFUSED = {
    "form-in-itself.pdf": "draws itself without end",
    "doubling-forms.pdf": "draws itself without end",
    "no-pages.pdf": "holds no pages",
    "password.pdf": "protected by a password",
    "truncated.pdf": "truncated",
    "garbage.pdf": "does not open|truncated",
    "lying-size.docx": "far more than any contract|does not unpack",
    "billion-laughs.docx": "declares a document type|not well-formed",
    "entity-of-a-file.docx": "declares a document type",
    "entity-of-the-net.docx": "declares a document type",
    "deep-tables.docx": "not well-formed",
    "no-text-part.docx": "no text part",
    "locked.docx": "password",
    "null-bytes.docx": "not well-formed",
    "truncated.docx": "damaged",
    "beginning-cut.docx": "does not unpack",
    "many-parts.docx": "far more than any contract",
    "nothing-said.docx": "holds no text",
    "inflating.docx": "far more than any contract",
}


def pool_of(seconds: float) -> ProcessPool[Path, Document]:
    return ProcessPool(read_document, jobs=1, memory=MEMORY, seconds=seconds)


@pytest.fixture(scope="module")
def reading() -> Iterator[ProcessPool[Path, Document]]:
    with pool_of(SECONDS) as pool:
        yield pool


def outcome(
    pool: ProcessPool[Path, Document], path: Path, seconds: float = SECONDS
) -> Document | FourcornersError:
    started = time.monotonic()
    ((_, found),) = pool.run([path])
    assert time.monotonic() - started < seconds + 15
    return found


def check(path: Path, found: Document | FourcornersError) -> None:
    name = path.name
    if isinstance(found, Document):
        whole(found)
        assert name not in REFUSED, f"read, not refused: {found.text[:200]!r}"
        assert READ.get(name, "") in found.text
        assert found.text.strip() or found.warnings
        return
    assert isinstance(found, InputError)
    assert name in found.message
    assert found.remedy
    assert name not in READ, found.message
    if name in REFUSED:
        assert any(words in found.message for words in REFUSED[name].split("|")), found.message


@pytest.mark.parametrize("name", sorted(FAST))
def test_a_hostile_file_is_read_or_refused(
    name: str, tmp_path: Path, reading: ProcessPool[Path, Document]
) -> None:
    path = tmp_path / name
    path.write_bytes(FAST[name]())
    check(path, outcome(reading, path))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOW))
def test_a_huge_hostile_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(SLOW[name]())
    with pool_of(MOST_WAITED) as pool:
        check(path, outcome(pool, path, MOST_WAITED))


@pytest.mark.parametrize("earlier", ["garbage.pdf", "password.pdf"])
def test_a_refusal_does_not_depend_on_an_earlier_file(earlier: str, tmp_path: Path) -> None:
    for name, message in ((earlier, REFUSED[earlier]), ("no-pages.pdf", "holds no pages")):
        (tmp_path / name).write_bytes(FAST[name]())
        with pytest.raises(InputError, match=message):
            read_document(tmp_path / name)


def test_entities_leak_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the-secret-words")
    path = tmp_path / "leak.docx"
    path.write_bytes(
        docx_files.with_declaration(f'<!ENTITY x SYSTEM "{secret.as_uri()}">', "a &x; b")
    )
    with pytest.raises(InputError) as refused:
        read_document(path)
    assert "the-secret-words" not in str(refused.value)


@pytest.mark.parametrize("kind", ["pdf", "docx"])
def test_a_file_that_grows_while_it_is_read(
    kind: str, tmp_path: Path, reading: ProcessPool[Path, Document]
) -> None:
    path = tmp_path / f"growing.{kind}"
    start = FAST["many-annotations.pdf"]() if kind == "pdf" else docx_files.word()
    path.write_bytes(start)
    done = threading.Event()

    def grow() -> None:
        with path.open("ab") as file:
            for _ in range(2000):
                if done.is_set():
                    return
                file.write(b"\n% more and more \n" * 100)
                file.flush()

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        found = outcome(reading, path)
    finally:
        done.set()
        thread.join()
    if isinstance(found, Document):
        whole(found)
    else:
        assert isinstance(found, InputError)
