"""The table of a collection's documents: sorted by its columns, tagged, and filtered by tag."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.server.conftest import LEASE, SUPPLY, Room


@pytest.fixture
def mill(room: Room) -> Room:
    """Three documents: two with parties, one without; their names, titles and parties differ."""
    other = LEASE.replace("LEASE OF A MILL", "ANNEX LEASE").replace("Ada Turner", "Zadok Webb")
    room.put({"b.txt": LEASE, "a.txt": other, "c.txt": SUPPLY})
    with room.app.state.server.connection_pool.library() as library:
        for name, day in (("a", 3), ("b", 1), ("c", 2)):
            added = f"2026-01-0{day}T00:00:00+00:00"
            document = library.resolve(f"{name}.txt").id
            library.execute("UPDATE documents SET added = ? WHERE id = ?", (added, document))
        library.note_change()
    return room


def names(room: Room, query: str = "") -> str:
    """Return the documents of the table, in order, a letter each."""
    page = room.client.get(f"/c/Mill{query}")
    assert page.status_code == 200
    return "".join(re.findall(r'class="file"><bdi>(\w)\.txt', page.text))


def tag(room: Room, word: str, how: str, *documents: str) -> Any:
    data = {"csrf": room.token(), "c": "Mill", "tag": word, "tagging": how}
    ids = [room.document(f"{each}.txt") for each in documents]
    return room.client.post("/documents/tags", data={**data, "d": ids})


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", "abc"),
        ("document", "acb"),  # c has no title, and goes by its name
        ("-document", "bca"),
        ("party", "bac"),  # who has none comes last, either way
        ("-party", "abc"),
        ("added", "bca"),
        ("-added", "acb"),
        ("dated", "abc"),
        ("-pages", "abc"),
    ],
)
def test_documents_are_sorted_by_their_columns(mill: Room, sort: str, order: str) -> None:
    assert names(mill, f"?sort={sort}") == order


def test_the_head_of_a_column_says_how_it_is_sorted_and_turns_it(mill: Room) -> None:
    for sort, state, other in (("added", "ascending", "-added"), ("-added", "descending", "added")):
        page = mill.client.get(f"/c/Mill?sort={sort}&find=lease").text
        found = re.search(r'aria-sort="(\w+)"><a href="\?([^"]+)">Added', page)
        assert found
        assert (found[1], f"sort={other}" in found[2]) == (state, True)
        assert "find=lease" in found[2]
    assert mill.client.get("/c/Mill?sort=colour").status_code == 400


def test_several_documents_are_tagged_and_found_by_their_tag(mill: Room) -> None:
    assert tag(mill, " Signed  <b> ", "add", "a", "c").status_code == 303
    assert tag(mill, "to discuss", "add", "a").status_code == 303
    assert tag(mill, "SIGNED <B>", "add", "a").status_code == 303  # the same tag
    assert names(mill, "?tag=signed+<b>") == "ac"
    assert names(mill, "?tag=to+discuss&sort=-document") == "a"
    assert names(mill, "?tag=unknown") == ""
    page = mill.client.get("/c/Mill").text
    assert page.count('class="tag"') == 3
    assert "<b>" not in page.replace("<bdi>", "")
    tag(mill, "signed <b>", "remove", "a", "c")
    assert names(mill, "?tag=signed+<b>") == ""
    for wrong in ({"word": "x" * 41, "documents": "a"}, {"word": "x", "documents": ""}):
        assert tag(mill, wrong["word"], "add", *wrong["documents"]).status_code in (400, 422)


def test_programs_set_tags_and_removal_takes_them_away(mill: Room) -> None:
    document = mill.document("b.txt")
    address = f"/api/v1/documents/{document}/tags"
    assert mill.client.get(address).json() == {"tags": []}
    put = mill.client.put(address, json={"tags": ["Signed", " signed ", "", "2026"]})
    assert put.json() == {"tags": ["2026", "signed"]}
    many = {"tags": [f"tag {number}" for number in range(21)]}
    assert mill.client.put(address, json=many).status_code == 422
    assert mill.client.get("/api/v1/documents/none/tags").status_code == 404
    with mill.app.state.server.connection_pool.library() as library:
        library.remove(document)
        assert library.execute("SELECT * FROM document_tags") == []
        assert [each for each in library.audit_trail() if each.event == "tags"]
