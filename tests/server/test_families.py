"""A contract's family: one row that opens, told by the documents or by a person."""

from __future__ import annotations

import re

import pytest

from fourcorners.playbooks.load import load_playbook
from fourcorners.review.stored_review import load_review
from fourcorners.server.grid.query import GridQuery, parse_query
from tests.server.conftest import SUPPLY, Room
from tests.server.grids import absent, failed, fill, found

BOOK = load_playbook("due-diligence")
FIRST = BOOK.provisions[0].id
MILLING = """MILLING AGREEMENT

This Milling Agreement is dated 3 March 2021 and made between Oats Limited and Mills Limited.

1. Grain. Mills Limited shall grind the grain that Oats Limited delivers, as listed in Exhibit C.

2. Price. The price is ten crowns a sack.
"""
FIRST_AMENDMENT = """FIRST AMENDMENT TO MILLING AGREEMENT

This First Amendment to the Milling Agreement dated 3 March 2021 between Oats Limited and Mills
Limited is made on 5 May 2022.

1. Clause 2 of the Milling Agreement is deleted and replaced with: "2. Price. The price is twelve
crowns a sack."
"""
EXHIBIT = """EXHIBIT C

GRAIN

Oats, barley and rye, in sacks of fifty pounds.
"""
FILES = {"milling.txt": MILLING, "first amendment.txt": FIRST_AMENDMENT, "supply.txt": SUPPLY}
GRID = f"/reviews/grid?c=Mill&p={BOOK.id}"
ROWS = f"/reviews/rows?c=Mill&p={BOOK.id}"


@pytest.fixture
def mill(room: Room) -> Room:
    room.put({**FILES, "Exhibit C.txt": EXHIBIT})
    with room.app.state.server.connection_pool.library() as library:
        ids = [each.id for each in library.documents("Mill")]
        fill(library, BOOK, [absent(d, p.id) for d in ids for p in BOOK.provisions])
    return room


def _rows(page: str) -> list[str]:
    return re.findall(r'<tr[^>]* data-d="([^"]+)"', page)


def _family(room: Room, name: str) -> list[tuple[str, str | None]]:
    sent = room.client.get(f"/api/v1/documents/{room.document(name)}/family").json()
    return [(each["document"], each["relation"]) for each in sent["members"]]


def test_what_amends_a_contract_and_its_exhibit_belong_to_it(mill: Room) -> None:
    milling, amendment, exhibit = map(mill.document, ("milling", "first amendment", "Exhibit C"))
    family = _family(mill, "milling")
    assert family[0] == (milling, None)
    assert set(family[1:]) == {(amendment, "amendment"), (exhibit, "exhibit")}
    assert _family(mill, "Exhibit C") == family
    assert _family(mill, "supply") == [(mill.document("supply"), None)]
    page = mill.client.get(f"/d/{amendment}/family").text
    assert "Amendment" in page
    assert "Exhibit" in page


def test_an_exhibit_that_two_contracts_cite_belongs_to_neither(room: Room) -> None:
    twin = MILLING.replace("MILLING", "THRESHING").replace("Milling", "Threshing")
    room.put({"milling.txt": MILLING, "threshing.txt": twin, "Exhibit C.txt": EXHIBIT})
    assert len(_family(room, "Exhibit C")) == 1


def test_the_grid_has_one_row_of_a_family_until_it_is_opened(mill: Room) -> None:
    milling, amendment = mill.document("milling"), mill.document("first amendment")
    page = mill.client.get(GRID).text
    assert len(_rows(page)) == 2
    assert "2 contracts and 2 related" in page
    (opener,) = re.findall(r'<a class="family" href="([^"]+)" aria-expanded="false"', page)
    opened = mill.client.get(opener.replace("&amp;", "&")).text
    rows = _rows(opened)
    assert len(rows) == 4
    assert amendment in rows[rows.index(milling) + 1 : rows.index(milling) + 3]
    assert 'aria-expanded="true"' in opened
    assert opened.count('<tr class="member"') == 2
    assert len(_rows(mill.client.get(f"{GRID}&flat=1").text)) == 4
    assert "aria-expanded" not in mill.client.get(f"{GRID}&flat=1").text


def test_a_member_that_alone_fits_has_its_own_row(mill: Room) -> None:
    amendment = mill.document("first amendment")
    with mill.app.state.server.connection_pool.library() as library:
        fill(library, BOOK, [failed(amendment, FIRST)])
    assert _rows(mill.client.get(f"{GRID}&state=failed").text) == [amendment]


def test_an_export_has_a_family_together(mill: Room) -> None:
    named = ("milling", "Exhibit C", "first amendment", "supply")
    milling, exhibit, amendment, supply = map(mill.document, named)
    with mill.app.state.server.connection_pool.library() as library:
        whole = load_review(library, BOOK, collection="Mill")
        part = load_review(library, BOOK, collection="Mill", documents={amendment, supply})
    heads = {each.id: each.family.head if each.family else "" for each in whole.documents}
    assert heads == {milling: "", exhibit: milling, amendment: milling, supply: ""}
    order = [each.id for each in whole.documents]
    assert order[order.index(milling) :][:3] == [milling, exhibit, amendment]
    assert {each.family for each in part.documents} == {None}


def test_the_next_finding_may_be_in_a_family_that_is_closed(mill: Room) -> None:
    amendment = mill.document("first amendment")
    with mill.app.state.server.connection_pool.library() as library:
        text = library.text(amendment)
        quoted = found(
            amendment,
            FIRST,
            f"{text} The Tenant may end this lease on six months' notice to the Landlord.",
        )
        fill(library, BOOK, [quoted])
    there = mill.client.get(f"/reviews/next?c=Mill&p={BOOK.id}").json()
    assert mill.document("milling") in there["open"]
    rows = _rows(mill.client.get(f"/reviews/rows?{there['open']}").text)
    assert rows[there["row"]] == amendment
    assert (
        mill.client.get(f"/reviews/next?{there['open']}&row={there['row']}&column=0").json() is None
    )


def test_a_person_sets_and_undoes_a_link(mill: Room) -> None:
    milling, supply = mill.document("milling"), mill.document("supply")
    amendment = mill.document("first amendment")
    headers = {"X-CSRF-Token": mill.token()}

    def put(document: str, head: str | None) -> int:
        path = f"/api/v1/documents/{document}/family"
        return int(mill.client.put(path, json={"head": head}, headers=headers).status_code)

    assert put(supply, milling) == 200
    assert (supply, "amendment") in _family(mill, "milling")
    assert put(milling, supply) == put(milling, milling) == 400
    assert put(amendment, None) == 200
    assert amendment not in {each for each, _ in _family(mill, "milling")}
    sent = {"csrf": mill.token(), "head": milling}
    assert mill.client.post(f"/d/{amendment}/family", data=sent).status_code == 303
    assert (amendment, "amendment") in _family(mill, "milling")
    assert put(milling, "0" * 16) == 404


def test_an_address_keeps_what_is_opened() -> None:
    asked = GridQuery("Mill", "due", opened=("0" * 16,), flat=True)
    assert parse_query(asked.to_query()) == asked
