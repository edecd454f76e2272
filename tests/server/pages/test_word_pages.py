"""A Word contract as pages: prepared when it is first opened, kept for its owner, and removed."""

from __future__ import annotations

import re
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any

import pytest

from fourcorners.documents.conversion.renditions import Rendition, is_supported
from fourcorners.documents.document import Box, Document, OcrWord, Page, TextSource
from fourcorners.errors import FourcornersError, InputError
from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.server.rendering import renditions
from fourcorners.server.store.backup import write_backup
from fourcorners.server.store.uploads import PAGES_FOLDER
from fourcorners.text.span import Span
from tests.documents.conftest import assemble, show, word_parts
from tests.server.conftest import Room

CLAUSES = ("The mill is let for five years.", "The Tenant may end it on notice.", "Unseen words.")


def docx(*clauses: str) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in clauses)
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in word_parts(body).items():
            archive.writestr(name, content)
    return buffer.getvalue()


def drawn(document: Document) -> Rendition:
    """Draw the first clauses a page each, and their words in a row; the last clause is left out."""
    words, pages, sheets = [], [], []
    starts = [document.text.index(each) for each in CLAUSES[:2]]
    ends = [starts[1], len(document.text)]
    for number, start in enumerate(starts, 1):
        pages.append(Page(number, Span(start, ends[number - 1]), 612, 792, TextSource.OCR))
        sheets.append(show([(72, 700, CLAUSES[number - 1])]))
        for match in re.finditer(r"\S+", CLAUSES[number - 1]):
            at = match.start()
            box = Box(number, 72 + 6.0 * at, 90.0, 72 + 6.0 * match.end(), 102.0)
            words.append(OcrWord(Span(start + at, start + match.end()), box, 1.0))
    return Rendition(assemble(sheets), tuple(pages), tuple(words), 2)


class Pool:
    """In the place of the process that draws: it draws here, when it may."""

    turn = threading.Event()
    problem: FourcornersError | None = None

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        self.turn.set()

    def run(self, items: Iterable[Document]) -> Iterator[tuple[Document, Any]]:
        for item in items:
            assert self.turn.wait(20)
            yield item, self.problem or drawn(item)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> type[Pool]:
    monkeypatch.setattr(renditions, "ProcessPool", Pool)
    monkeypatch.setattr(renditions, "is_supported", lambda document: bool(document.media_type))
    monkeypatch.setattr(Pool, "turn", threading.Event())
    monkeypatch.setattr(Pool, "problem", None)
    return Pool


def put(room: Room, name: str, *clauses: str) -> str:
    """Add a Word file, and return the address of its contract."""
    path = room.app.state.server.uploads.root / "0" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(docx(*clauses))
    made = prepare_file(path)
    assert isinstance(made, PreparedFile)
    with room.app.state.server.connection_pool.library() as library:
        library.add_columns(made.columns, None, collection="Mill")
    return f"/d/{room.document(name)}"


def opened(room: Room) -> str:
    return put(room, "lease.docx", *CLAUSES)


def wait_for(room: Room, address: str, words: str) -> str:
    until = time.monotonic() + 20
    while words not in (page := room.client.get(address).text):
        assert time.monotonic() < until, page
        time.sleep(0.02)
    return page


def ready(room: Room, pool: type[Pool]) -> str:
    """Return the address of a contract whose pages were prepared."""
    pool.turn.set()
    address = opened(room)
    room.client.get(address)
    wait_for(room, f"{address}/pages", ">ready<")
    return address


def test_the_text_is_read_while_the_pages_are_prepared(room: Room, pool: type[Pool]) -> None:
    address = opened(room)
    page = room.client.get(address).text
    assert "Preparing the pages…" in page
    assert CLAUSES[0] in page
    assert "Preparing the pages…" in room.client.get(f"{address}/pages").text
    pool.turn.set()
    choice = wait_for(room, f"{address}/pages?s=0-8", ">ready<")
    assert f'href="{address}?s=0-8#s=0-8"' in choice
    assert "hx-get" not in choice
    page = room.client.get(address).text
    assert 'alt="Page 2 of 2"' in page
    assert CLAUSES[0] not in page.split('class="sheets"')[1].split("<aside")[0]
    assert CLAUSES[0] in room.client.get(f"{address}?view=text").text


def test_highlighted_words_have_a_box_or_it_says_that_they_have_none(
    room: Room, pool: type[Pool]
) -> None:
    address = ready(room, pool)
    with room.app.state.server.connection_pool.library() as library:
        text = library.text(address.rpartition("/")[2])

    def at(words: str) -> str:
        start = text.index(words)
        return room.client.get(f"{address}/view?s={start}-{start + len(words)}").text

    page = at("Tenant may end")
    assert len(re.findall(r"<rect[^>]* id=\"s=", page)) == 1
    assert 'role="alert"' not in page
    page = at("Unseen words")
    assert 'class="boxes"' not in page
    assert "The words cannot be shown on the page." in page
    page = at("on notice.\n\nUnseen")
    assert 'class="boxes"' in page
    assert "Some of the words are not on the page as drawn." in page
    assert "2 words or numbers are different here" in page


def test_pages_have_a_picture_and_their_lines(room: Room, pool: type[Pool]) -> None:
    address = ready(room, pool)
    picture = room.client.get(f"{address}/page/2.png")
    assert picture.content.startswith(b"\x89PNG")
    kept = {"if-none-match": picture.headers["etag"]}
    assert room.client.get(f"{address}/page/2.png", headers=kept).status_code == 304
    (line,) = room.client.get(f"{address}/page/2.json").json()
    assert line[-1] == CLAUSES[1]
    assert room.client.get(f"{address}/page/3.png").status_code == 404
    found = room.client.get(f"{address}/find", params={"q": "tenant"}).json()["places"]
    assert [page for *_, page in found] == [2]
    found = room.client.get(f"{address}/find", params={"q": "unseen"}).json()["places"]
    assert [page for *_, page in found] == [0]


def test_pages_are_private_and_leave_with_their_contract(room: Room, pool: type[Pool]) -> None:
    address = ready(room, pool)
    folder = room.app.state.server.uploads.root / PAGES_FOLDER
    files = sorted(folder.iterdir())
    assert [path.suffix for path in files] == [".pdf", ".words"]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    made = write_backup(room.folder / "library.db", room.folder / "backup.zip")
    assert made.files == 1
    with zipfile.ZipFile(room.folder / "backup.zip") as archive:
        assert not [name for name in archive.namelist() if PAGES_FOLDER in name]
    removed = {"document": address.rpartition("/")[2], "csrf": room.token()}
    assert room.client.post("/remove", data=removed).status_code == 303
    assert list(folder.iterdir()) == []


def test_a_contract_that_leaves_while_it_is_drawn_leaves_no_pages(
    room: Room, pool: type[Pool]
) -> None:
    address = opened(room)
    room.client.get(address)
    removed = {"document": address.rpartition("/")[2], "csrf": room.token()}
    room.client.post("/remove", data=removed)
    pool.turn.set()
    other = put(room, "other.docx", *CLAUSES, "More.")
    room.client.get(other)
    wait_for(room, f"{other}/pages", ">ready<")
    folder = room.app.state.server.uploads.root / PAGES_FOLDER
    assert {path.stem for path in folder.iterdir()} == {other.rpartition("/")[2]}


def test_pages_of_another_text_are_drawn_again(room: Room, pool: type[Pool]) -> None:
    address = ready(room, pool)
    words = next((room.app.state.server.uploads.root / PAGES_FOLDER).glob("*.words"))
    words.write_bytes(b"damaged")
    room.app.state.server.page_renderer.renditions._known.clear()
    pool.turn.clear()
    assert "Preparing the pages…" in room.client.get(address).text
    pool.turn.set()
    wait_for(room, f"{address}/pages", ">ready<")


def test_pages_that_cannot_be_drawn_are_said_to_be_none(room: Room, pool: type[Pool]) -> None:
    pool.problem = InputError("/secret/lease.docx: it did not finish.", remedy="")
    pool.turn.set()
    address = opened(room)
    room.client.get(address)
    page = wait_for(room, address, "No pages")
    assert CLAUSES[0] in page
    assert "secret" not in page


def test_without_libreoffice_a_word_contract_is_text(
    make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "fourcorners.documents.conversion.renditions.find_libreoffice", lambda: None
    )
    room = make_room()
    page = room.client.get(opened(room)).text
    assert 'aria-label="View"' not in page
    assert CLAUSES[0] in page


def test_what_is_no_word_document_has_no_pages(room: Room) -> None:
    room.put({"lease.txt": CLAUSES[0]})
    with room.app.state.server.connection_pool.library() as library:
        assert not is_supported(library.document(room.document("lease")))
