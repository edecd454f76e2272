"""The list of reviews counts cells by an index, each in the collection of its contract."""

from __future__ import annotations

import pytest

from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.server.grid.cell_summaries import count_filled
from tests.server import grids
from tests.server.conftest import LEASE, SUPPLY, Room

BOOK = load_playbook("due-diligence")


def review(library: Library, *documents: str) -> None:
    cells = [
        grids.absent(document, each.id) for document in documents for each in BOOK.provisions[:5]
    ]
    grids.fill(library, BOOK, cells)


def test_cells_count_wherever_their_contract_is(room: Room) -> None:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY}, "Mill")
    room.put({"copy.txt": LEASE}, "Grain")
    lease, supply, copy = map(room.document, ("lease.txt", "supply.txt", "copy.txt"))
    with room.app.state.server.connection_pool.library() as library:
        review(library, lease, supply, copy)
        review(library, lease)  # again: no cell is counted twice
        found = {each.collection: each.cells for each in count_filled(library, [BOOK.hash])}
        assert found == {"Grain": 5, "Mill": 10}
        assert count_filled(library, ["another"]) == []
    page = room.client.get("/reviews").text
    assert f"10 cells of {2 * len(BOOK.provisions)}" in page
    assert f"5 cells of {len(BOOK.provisions)}" in page


def test_no_finding_is_read_to_count_them(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.put({"lease.txt": LEASE}, "Mill")
    lease = room.document("lease.txt")
    asked: list[tuple[str, tuple[str, ...]]] = []
    execute = Library.execute

    def told(library: Library, statement: str, values: tuple[str, ...] = ()) -> object:
        asked.append((statement, tuple(values)))
        return execute(library, statement, values)

    with room.app.state.server.connection_pool.library() as library:
        review(library, lease)
        monkeypatch.setattr(Library, "execute", told)
        count_filled(library, [BOOK.hash])
        monkeypatch.undo()
        ((counted, values),) = [each for each in asked if "count(*)" in each[0]]
        plan = [str(row[3]) for row in library.execute(f"EXPLAIN QUERY PLAN {counted}", values)]
    reads = [step for step in plan if "review_findings" in step]
    assert reads
    assert all("COVERING INDEX review_findings_by_document" in step for step in reads)
