"""Word saves a file anew with other bytes: the open contract is found by its words."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from fourcorners.settings import WordSettings
from tests.redline.word_contracts import WORD_CONTRACTS, word_file
from tests.server.conftest import Room
from tests.word.pane import OFFICE


def saved_again(data: bytes, **changed: tuple[bytes, bytes]) -> bytes:
    """Return a Word file as a program writes it anew: other bytes, and words that it changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in reversed(old.namelist()):
            content = old.read(name)
            for before, after in changed.values():
                content = content.replace(before, after)
            new.writestr(name, content)
    return made.getvalue()


def open_in_word(room: Room, data: bytes) -> dict[str, str]:
    sent = {"collection": "Mill"}
    files = {"files": ("Document1.docx", data)}
    headers = {"X-CSRF-Token": room.token()}
    answer = room.client.post("/word/documents", data=sent, files=files, headers=headers)
    assert answer.is_success, answer.text
    return dict(answer.json())


@pytest.fixture
def pane_room(make_room: Callable[..., Room]) -> Room:
    return make_room(word=WordSettings(office_js=OFFICE))


def test_the_same_words_and_tracked_changes_are_no_second_copy(pane_room: Room) -> None:
    data = word_file(WORD_CONTRACTS["tracked-changes"]())
    pane_room.add({"supply.docx": data})
    again = saved_again(data)
    assert again != data
    assert open_in_word(pane_room, again) == {"document": pane_room.document("supply")}
    other = saved_again(data, author=(b'w:author="', b'w:author="Not '))
    assert "task" in open_in_word(pane_room, other)


def test_other_words_are_another_contract(pane_room: Room) -> None:
    data = word_file(WORD_CONTRACTS["tables"]())
    pane_room.add({"supply.docx": data})
    other = saved_again(data, words=(b"assign", b"novate"))
    assert other != saved_again(data)
    assert "task" in open_in_word(pane_room, other)
