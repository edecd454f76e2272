"""Playbooks of a collection: who sees, saves and uses them, and what becomes of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fourcorners.operations.principal import Role
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.load import parse_playbook as parse
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, fill

PASSWORD = "a long enough password 1"  # noqa: S105 - of a test
TEXT = 'id: house\nname: {}\nversion: "1"\nextends: due-diligence\nprovisions: []\n'
FIRST = load_playbook("due-diligence").provisions[0].id
BASE = "/api/v1"


class Person:
    """Someone who has signed in."""

    def __init__(self, room: Room, name: str) -> None:
        self.client = TestClient(room.app, base_url="https://firm.test", follow_redirects=False)
        signed_in = self.client.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert signed_in.status_code == 303
        found = re.search(r'name="csrf-token" content="(\w+)"', self.client.get("/").text)
        assert found
        self._token = found[1]

    def __call__(self, method: str, path: str, status: int, **body: Any) -> Any:
        headers = {"X-CSRF-Token": self._token}
        answer = self.client.request(method, f"{BASE}{path}", json=body or None, headers=headers)
        assert answer.status_code == status, answer.text
        is_json = answer.headers.get("content-type", "").endswith("json")
        return answer.json() if is_json and answer.content else answer.text

    def page(self, path: str, status: int = 200) -> str:
        answer = self.client.get(path)
        assert answer.status_code == status, path
        return unescape(answer.text)

    def form(self, path: str, **data: str) -> Any:
        return self.client.post(path, data={"csrf": self._token, **data})

    def ids(self, query: str = "") -> list[tuple[str, str]]:
        listed = self("GET", f"/playbooks{query}", 200)
        return [(e["id"], e["collection"]) for e in listed if e["id"] == "house"]

    def save(self, status: int = 201, name: str = "House", **more: Any) -> Any:
        return self("POST", "/playbooks", status, text=TEXT.format(name), **more)


class Team:
    """Ada administers all; Bram edits Mill, which Cleo reads; Dora edits Grain."""

    def __init__(self, room: Room) -> None:
        self.room = room
        room.put({"lease.txt": LEASE}, "Mill")
        room.put({"supply.txt": SUPPLY}, "Grain")
        with room.app.state.server.connection_pool.library() as library:
            accounts = Accounts(library)
            for name in ("ada", "bram", "cleo", "dora"):
                accounts.add(name, PASSWORD, by="test")
            accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
            accounts.grant("bram", Role.EDITOR, "Mill", by="test")
            accounts.grant("cleo", Role.READER, "Mill", by="test")
            accounts.grant("dora", Role.EDITOR, "Grain", by="test")
        self.ada, self.bram, self.cleo, self.dora = (
            Person(room, name) for name in ("ada", "bram", "cleo", "dora")
        )


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Team:
    return Team(make_room(team=True))


def test_editors_of_a_collection_save_its_playbooks_and_its_readers_see_them(team: Team) -> None:
    ada, bram, cleo, dora = team.ada, team.bram, team.cleo, team.dora
    bram.save(403)  # not of all collections
    cleo.save(403, collection="Mill")
    made = bram.save(collection="mill")
    assert (made["id"], made["collection"]) == ("house", "Mill")
    for person in (ada, bram, cleo):
        assert person.ids() == person.ids("?collection=Mill") == [("house", "Mill")]
        assert person("GET", "/playbooks/house", 200)["collection"] == "Mill"
    assert ada.ids("?collection=Grain") == dora.ids() == []
    (version,) = cleo("GET", "/playbooks/house/versions", 200)
    cleo.save(403, "Our house", before=version["number"])
    bram.save(name="Our house", before=version["number"])
    bram.save(409, name="Our house", before=version["number"])  # meanwhile
    last = bram("GET", "/playbooks/house/versions", 200)[0]["number"]
    cleo("POST", f"/playbooks/house/versions/{version['number']}/restore", 403)
    back = bram("POST", f"/playbooks/house/versions/{version['number']}/restore", 200)
    assert (back["name"], back["collection"]) == ("House", "Mill")
    pair = f"before={version['number']}&after={last}"
    assert cleo("GET", f"/playbooks/house/comparison?{pair}", 200)["changes"]
    assert ada.ids() == [("house", "Mill")]  # it stays where it belongs


def test_one_of_another_collection_answers_as_one_that_does_not_exist(team: Team) -> None:
    dora = team.dora
    team.bram.save(collection="Mill")
    (version,) = team.bram("GET", "/playbooks/house/versions", 200)
    number = version["number"]
    for method, path, body in (
        ("GET", "/playbooks/{}", {}),
        ("GET", "/playbooks/{}?collection=Grain", {}),
        ("GET", "/playbooks/{}/file", {}),
        ("GET", "/playbooks/{}/versions", {}),
        ("GET", f"/playbooks/{{}}/versions/{number}", {}),
        ("GET", f"/playbooks/{{}}/comparison?before={number}&after={number}", {}),
        ("POST", f"/playbooks/{{}}/versions/{number}/restore", {"x": 1}),
        ("POST", "/playbooks/{}/trial", {"words": "An end."}),
    ):
        told = [str(dora(method, path.format(each), 404, **body)) for each in ("house", "hause")]
        assert told[0].replace("house", "hause") == told[1]
        assert "There are: " in told[0]
    hidden, none = (
        dora("POST", "/playbooks", 404, text=TEXT.format("House"), before=each)
        for each in (number, 999)
    )
    assert hidden["detail"] == none["detail"]
    assert team.cleo.page("/playbooks").count("House")
    assert "House" not in dora.page("/playbooks")
    for path in ("/playbooks/house", "/playbooks/house?c=Mill", "/playbooks/house/versions"):
        dora.page(path, 404)


def test_a_review_of_another_collection_cannot_name_it(team: Team) -> None:
    """Not even by those who see both."""
    ada, supply = team.ada, team.room.document("supply")
    team.bram.save(collection="Mill")
    for method, path, body in (
        ("POST", "/reviews", {"collection": "Grain", "playbook": "{}"}),
        ("GET", "/findings?collection=Grain&playbook={}", {}),
        ("GET", f"/documents/{supply}/findings/{FIRST}?playbook={{}}", {}),
        ("POST", "/findings/mark", {
            "document": supply, "provision": FIRST, "playbook": "{}", "comment": "Look.",
        }),
        ("POST", "/columns", {"collection": "Grain", "playbook": "{}", "question": "Who pays?"}),
        ("GET", "/columns?collection=Grain&playbook={}", {}),
        ("GET", "/reviews/report?collection=Grain&playbook={}&format=json", {}),
        ("PUT", "/collections/Grain/arrivals", {"playbook": "{}", "review": False}),
        ("POST", f"/documents/{supply}/markup", {"playbook": "{}", "party": "Oats Limited"}),
    ):  # fmt: skip
        told = []
        for name in ("house", "hause"):
            sent = {key: name if value == "{}" else value for key, value in body.items()}
            told.append(str(ada(method, path.format(name), 404, **sent)).replace(name, "…"))
        assert told[0] == told[1], path
        assert "Playbook '…' not found" in told[0], path
    assert ada("POST", "/reviews", 202, collection="Mill", playbook="house")["collection"] == "Mill"
    ada.page("/reviews/grid?c=Mill&p=house")
    ada.page("/reviews/grid?c=Grain&p=house", 404)


def test_findings_of_the_same_text_elsewhere_are_no_review(team: Team) -> None:
    team.bram.save(collection="Mill")
    with team.room.app.state.server.connection_pool.library() as library:
        book = parse(TEXT.format("House"), "house")
        for name in ("lease", "supply"):
            fill(library, book, [absent(team.room.document(name), FIRST)])
    listed = team.ada("GET", "/reviews", 200)
    assert [(e["collection"], e["playbook"]) for e in listed] == [("Mill", "house")]
    assert team.dora("GET", "/reviews", 200) == []
    assert "House" not in team.ada.page(f"/d/{team.room.document('supply')}")


def test_two_collections_may_have_one_of_the_same_id(team: Team) -> None:
    ada, bram, dora = team.ada, team.bram, team.dora
    bram.save(name="Of Mill", collection="Mill")
    dora.save(name="Of Grain", collection="Grain")
    assert dora("GET", "/playbooks/house", 200)["name"] == "Of Grain"
    assert bram("GET", "/playbooks/house", 200)["name"] == "Of Mill"
    assert "Name the collection" in str(ada("GET", "/playbooks/house", 409))
    assert ada("GET", "/playbooks/house?collection=Mill", 200)["name"] == "Of Mill"
    assert "Of Grain" in ada.page("/playbooks/house?c=Grain")
    ada.save(409)  # one for all would be either of them there
    ada.save(409, collection="Mill")
    (number,) = {e["number"] for e in ada("GET", "/playbooks/house/versions?collection=Mill", 200)}
    assert ada.save(name="Mill's", before=number, collection="Mill")["collection"] == "Mill"
    assert dora("GET", "/playbooks/house", 200)["name"] == "Of Grain"
    for collection in ("Mill", "Grain"):
        ada("POST", "/reviews", 202, collection=collection, playbook="house")
    page = ada.page("/playbooks")
    assert 'href="/playbooks/house?c=Mill"' in page
    assert 'href="/playbooks/house?c=Grain"' in page


def test_it_is_renamed_and_deleted_with_its_collection(team: Team) -> None:
    ada, bram = team.ada, team.bram
    bram.save(collection="Mill")
    ada("PATCH", "/collections/Mill", 200, name="The Mill on the Hill")
    assert bram.ids() == [("house", "The Mill on the Hill")]
    ada("POST", "/collections", 201, name="Mill")
    assert ada.ids("?collection=Mill") == []
    ada("DELETE", "/collections/The%20Mill%20on%20the%20Hill", 204)
    assert ada.ids() == []
    ada("GET", "/playbooks/house", 404)
    assert ada.save()["collection"] == ""  # nothing of it is left
    with team.room.app.state.server.connection_pool.library() as library:
        (count,) = library.execute("SELECT count(*) FROM server_playbooks")[0]
    assert count == 1


def test_pages_offer_where_it_belongs_and_show_it(team: Team) -> None:
    ada, bram, cleo = team.ada, team.bram, team.cleo
    page = bram.page("/playbooks/new?extends=due-diligence")
    choices = re.search(r'<select id="c".*?</select>', page)
    assert choices
    assert re.findall(r'value="(.*?)"', choices[0]) == ["Mill"]
    offered = re.search(r'<select id="c".*?</select>', ada.page("/playbooks/new"))
    assert offered
    assert re.findall(r'value="(.*?)"', offered[0]) == ["", "Grain", "Mill"]
    assert bram.form("/playbooks/save", text=TEXT.format("House")).status_code == 403
    kept = bram.form("/playbooks/save", text="id: [", c="Mill")  # it stays chosen with faults
    assert '<option value="Mill" selected>' in kept.text
    saved = bram.form("/playbooks/save", text=TEXT.format("House"), c="Mill")
    address = "/playbooks/house?c=Mill"
    assert (saved.status_code, saved.headers["location"]) == (303, address)
    assert "available in Mill" in cleo.page(address)
    assert "/playbooks/house/edit" not in cleo.page(address)
    assert "/playbooks/house/edit" not in cleo.page("/playbooks")
    assert '<a href="/playbooks/house/edit?c=Mill">' in bram.page("/playbooks")
    assert cleo.client.get("/playbooks/house/edit").status_code == 403
    editor = bram.page("/playbooks/house/edit?c=Mill")
    assert "Available in Mill." in editor
    before = re.search(r'name="before" value="(\d+)"', editor)
    assert before
    text = TEXT.format("House") + "# Again\n"
    again = bram.form("/playbooks/save", text=text, before=before[1])
    assert again.headers["location"] == address
    restored = bram.form("/playbooks/house/restore", number="1", c="Mill")
    assert restored.headers["location"] == "/playbooks/house/versions?c=Mill"
    assert len(bram("GET", "/playbooks/house/versions", 200)) == 3
    assert "House (" in bram.page("/reviews")
    assert "· Mill</option>" in bram.page("/reviews")
