"""Views of a review that people save: who sees them, who may delete them, and what they hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fourcorners.operations.principal import Role
from fourcorners.playbooks.load import load_playbook
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.grid.query import GridQuery, parse_query
from fourcorners.server.store.collections import delete_collection, rename_collection
from tests.server.conftest import LEASE, Room
from tests.server.grids import absent, fill

PASSWORD = "a long enough password 1"  # noqa: S105 - of a test
BOOK = load_playbook("due-diligence")
FIRST, SECOND, THIRD = (each.id for each in BOOK.provisions[:3])
GRID = f"/reviews/grid?c=Mill&p={BOOK.id}"


@pytest.fixture
def mill(room: Room) -> Room:
    room.put({"lease.txt": LEASE})
    with room.app.state.server.connection_pool.library() as library:
        fill(library, BOOK, [absent(room.document("lease"), p.id) for p in BOOK.provisions])
    return room


def _save(room: Room, query: str, name: str, **more: str) -> None:
    sent = {"csrf": room.token(), "back": f"c=Mill&p={BOOK.id}&{query}", "name": name, **more}
    answer = room.client.post("/reviews/views", data=sent)
    assert answer.status_code == 303, answer.text


def _heads(page: str) -> list[str]:
    return re.findall(r'<th [^>]*data-column="([^"]+)"', page)


def test_columns_come_in_the_order_and_the_width_of_the_address(mill: Room) -> None:
    page = mill.client.get(f"{GRID}&show={THIRD}&show={FIRST}&w={FIRST}:320&w={THIRD}:x").text
    assert _heads(page) == [THIRD, FIRST]
    assert page.count('data-width="320"') == 1
    rows = mill.client.get(f"/reviews/rows?c=Mill&p={BOOK.id}&show={THIRD}&show={FIRST}").text
    assert re.findall(r'data-v="([^"]+)"', rows) == [THIRD, FIRST]
    assert "data-width" not in mill.client.get(f"{GRID}&w={FIRST}:{'9' * 5_000}").text


def test_an_address_goes_to_a_query_and_back() -> None:
    asked = GridQuery("Mill", "due", show=(THIRD, FIRST), widths=(f"{FIRST}:90",), sort="risk")
    assert parse_query(asked.to_query()) == asked


def test_a_view_is_saved_replaced_and_deleted(mill: Room) -> None:
    _save(mill, f"severity=high&sort=risk&down=1&show={SECOND}", "Grave ones")
    _save(mill, "severity=low", "Grave ones")
    (view,) = mill.client.get("/api/v1/views?collection=Mill").json()
    assert (view["name"], view["query"], view["shared"]) == ("Grave ones", "severity=low", False)
    page = mill.client.get(GRID).text
    assert f"{GRID}&severity=low".replace("&", "&amp;") in page
    sent = {"csrf": mill.token()}
    assert mill.client.post(f"/reviews/views/{view['id']}/delete", data=sent).status_code == 303
    assert mill.client.get("/api/v1/views?collection=Mill").json() == []
    assert mill.client.delete(f"/api/v1/views/{view['id']}").status_code == 404


def test_views_go_with_their_collection(mill: Room) -> None:
    _save(mill, "severity=high", "Grave ones")
    with mill.app.state.server.connection_pool.library() as library:
        rename_collection(library, "Mill", "Wharf", by="Ada")
        assert mill.client.get("/api/v1/views?collection=Wharf").json()[0]["name"] == "Grave ones"
        delete_collection(library, "Wharf", by="Ada")
        assert library.execute("SELECT count(*) FROM server_views")[0][0] == 0


def test_a_shared_view_is_seen_by_all_and_deleted_by_its_owner_or_an_editor(
    make_room: Callable[..., Room],
) -> None:
    room = make_room(team=True)
    people = {"ada": Role.REVIEWER, "bram": Role.READER, "cleo": Role.EDITOR, "dora": None}
    with room.app.state.server.connection_pool.library() as library:
        for name, role in people.items():
            Accounts(library).add(name, PASSWORD, by="test")
            if role is not None:
                Accounts(library).grant(name, role, "Mill", by="test")
    room.put({"lease.txt": LEASE})
    clients = {name: _sign_in(room, name) for name in people}

    def save(name: str, **more: Any) -> Any:
        client, headers = clients[name]
        body = {"collection": "Mill", "name": name, "query": "", **more}
        return client.post("/api/v1/views", json=body, headers=headers)

    assert save("bram", shared=True).status_code == 403
    assert save("bram").status_code == save("ada", shared=True).status_code == 201
    assert save("dora").status_code == 404
    seen = {
        name: [
            each["name"] for each in clients[name][0].get("/api/v1/views?collection=Mill").json()
        ]
        for name in ("ada", "bram", "cleo")
    }
    assert seen == {"ada": ["ada"], "bram": ["bram", "ada"], "cleo": ["ada"]}
    (shared,) = clients["cleo"][0].get("/api/v1/views?collection=Mill").json()
    statuses = [
        clients[name][0].delete(f"/api/v1/views/{shared['id']}", headers=clients[name][1])
        for name in ("dora", "bram", "cleo")
    ]
    assert [each.status_code for each in statuses] == [404, 403, 204]


def _sign_in(room: Room, name: str) -> tuple[TestClient, dict[str, str]]:
    client = TestClient(room.app, base_url="https://firm.test", follow_redirects=False)
    assert client.post("/sign-in", data={"name": name, "password": PASSWORD}).status_code == 303
    found = re.search(r'name="csrf-token" content="(\w+)"', client.get("/").text)
    assert found
    return client, {"X-CSRF-Token": found[1]}
