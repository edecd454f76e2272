"""What is done with the words of a contract: found, taken with their page, put into a review."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import CellState, ReviewState
from fourcorners.review.people.review_actions import load_finding
from fourcorners.server.rendering import contract_view
from tests.server.conftest import LEASE, Room

BOOK = load_playbook("due-diligence")
PROVISION = BOOK.provisions[0]
WORDS = "The Landlord may not assign this lease without the consent of the Tenant."
PDF = Path(__file__).parents[3] / "examples" / "dataroom" / "02-cordovan-supply-agreement.pdf"


def grids() -> ModuleType:
    spec = importlib.util.spec_from_file_location("grids", Path(__file__).parents[1] / "grids.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def lease(room: Room) -> str:
    """A lease for whose first provision nothing was found; its id."""
    room.put({"lease.txt": LEASE})
    document = room.document("lease")
    with room.app.state.server.connection_pool.library() as library:
        grids().fill(library, BOOK, [grids().absent(document, PROVISION.id)])
    return document


def mark(room: Room, document: str, at: str, words: str) -> int:
    form = {"c": "Mill", "p": BOOK.id, "d": document, "v": PROVISION.id, "csrf": room.token()}
    answer = room.client.post(
        "/reviews/mark", data={**form, "says": "corrected", "at": at, "words": words}
    )
    return int(answer.status_code)


def test_selected_words_become_a_finding_with_their_place(room: Room, lease: str) -> None:
    start = LEASE.index(WORDS)
    at = f"{start}-{start + len(WORDS)}"
    offered = room.client.get(f"/d/{lease}/cells?start={start}&end={start + len(WORDS)}").text
    assert f"{BOOK.id}\n{PROVISION.id}" in offered
    assert "(not found)" in offered
    assert mark(room, lease, at, WORDS.replace(" may", "\r\n may")) == 303
    with room.app.state.server.connection_pool.library() as library:
        finding = load_finding(library, BOOK, lease, PROVISION.id)
    assert (finding.state, finding.review) == (CellState.FOUND, ReviewState.CORRECTED)
    assert finding.value == WORDS
    assert finding.place is not None
    assert finding.place.text_in(LEASE) == WORDS


@pytest.mark.parametrize("at", ["0-20", "5-3", "0-999999", "a-b"])
def test_words_that_are_not_those_seen_are_refused(room: Room, lease: str, at: str) -> None:
    assert mark(room, lease, at, WORDS) == 400
    with room.app.state.server.connection_pool.library() as library:
        assert load_finding(library, BOOK, lease, PROVISION.id).state is CellState.NOT_FOUND


def test_words_are_found_with_the_part_they_stand_in(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract_view, "TEXT_WINDOW", 200)
    room.put({"lease.txt": LEASE})
    document = room.document("lease")
    found = room.client.get(f"/d/{document}/find", params={"q": "THE   tenant"}).json()["places"]
    assert [LEASE[start:end].casefold() for start, end, *_ in found] == ["the tenant"] * len(found)
    assert len({part for _, _, part, _ in found}) > 1
    for start, end, part, page in found:
        assert page == 0
        drawn = room.client.get(f"/d/{document}/part/{part}").text
        assert LEASE[start:end].split()[1] in drawn
    assert room.client.get(f"/d/{document}/part/99").status_code == 404
    assert "Part 2 of" in room.client.get(f"/d/{document}").text


def test_a_printed_page_has_its_words_and_the_original_is_sent(room: Room) -> None:
    room.add({PDF.name: PDF.read_bytes()})
    document = room.document("cordovan")
    with room.app.state.server.connection_pool.library() as library:
        text = library.text(document)
    lines = room.client.get(f"/d/{document}/page/1.json").json()
    assert len(lines) > 10
    for start, x0, y0, x1, y1, words in lines:
        assert text[start : start + len(words)] == words
        assert 0 <= x0 < x1 <= 700
        assert 0 <= y0 < y1 <= 900
    for end in ("json", "png"):
        missing = room.client.get(f"/d/{document}/page/999.{end}")
        assert missing.status_code == 404
        assert "This contract has no page 999." in missing.text
    sent = room.client.get(f"/d/{document}/original")
    assert sent.content == PDF.read_bytes()
    assert sent.headers["content-disposition"].startswith("attachment")
    beside = room.client.get(f"/d/{document}/view?s=0-20").text
    assert 'class="boxes"' in beside
    assert "<html" not in beside
