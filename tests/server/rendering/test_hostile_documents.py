"""A contract's page, given the worst: bounded in time and in size."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from starlette.requests import Request

from fourcorners.documents.document import Document
from fourcorners.library.columns import document_columns
from fourcorners.operations.access import Access
from fourcorners.outline.card.read import read_card
from fourcorners.outline.tree import DefinedTerm, Outline
from fourcorners.text.span import Span
from tests.server.conftest import LEASE, Room
from tests.server.hostile_documents import hostile_documents

MOST_TIMES = 16.0
"""How many times the processor time of a common contract's page one page may take."""

MOST_BYTES = 5_000_000


@pytest.mark.slow
def test_fifty_hostile_documents_are_drawn_in_bounds(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    identifier, common = draw_common(room)
    held: dict[str, Document | Outline] = {}
    monkeypatch.setattr(Access, "document", lambda *_: held["document"])
    monkeypatch.setattr(Access, "outline", lambda *_: held["outline"])
    drawn, failures = 0, []
    for name, document, outline in hostile_documents(240_000):
        held |= {"document": replace(document, id=identifier), "outline": outline}
        drawn += 1
        for query in ("", "?part=3&s=120010-120500"):
            took, size = draw(room, f"/d/{identifier}{query}")
            if took > MOST_TIMES * common or size > MOST_BYTES:
                failures.append((name, query, round(took, 2), size))
    assert drawn == 50
    assert failures == []


def test_a_long_text_of_definitions_is_drawn_from_the_library_in_bounds(room: Room) -> None:
    _, common = draw_common(room)
    text = '"Term" means ' * (840_000 // 13)
    spans = [Span(at, at + 4) for at in range(1, len(text) - 13, 13)]
    outline = Outline(
        (), 0.0, windows=True, terms=tuple(DefinedTerm("Term", each, each) for each in spans)
    )
    sha256 = "a" * 64
    document = Document(sha256[:16], "a.txt", "a.txt", sha256, "text/plain", "text/1", text)
    columns = document_columns(document, outline, read_card(document, Outline((), 0.0)), [])
    with room.app.state.server.connection_pool.library() as library:
        library.add_columns(columns, None, collection="Mill")
    for address in (f"/d/{document.id}", f"/d/{document.id}?part=9", "/c/Mill"):
        took, size = draw(room, address)
        assert took < MOST_TIMES * common, address
        assert size < MOST_BYTES, address


def draw_common(room: Room) -> tuple[str, float]:
    """Return a long contract without anything hostile, and the processor seconds of its page."""
    room.put({"lease.txt": LEASE * (240_000 // len(LEASE))})
    identifier = room.document("lease")
    draw(room, f"/d/{identifier}")  # loads what every contract's page needs
    return identifier, draw(room, f"/d/{identifier}?part=2")[0]


def draw(room: Room, address: str) -> tuple[float, int]:
    """Return the seconds of a processor that a page took, and its bytes."""
    began = time.process_time()
    page = room.client.get(address)
    took = time.process_time() - began
    assert page.status_code == 200, address
    return took, len(page.content)


def test_drawing_stops_when_the_client_has_left(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": "A line.\n\n" * 2_000})
    identifier = room.document("lease")

    async def gone(_: Request) -> bool:
        return True

    monkeypatch.setattr(Request, "is_disconnected", gone)
    assert room.client.get(f"/d/{identifier}").status_code == 499
