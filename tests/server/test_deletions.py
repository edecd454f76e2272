"""Contracts deleted with a report, on pages and through REST; holds, and who may do what."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.tasks.queue import TaskQueue
from tests.server.conftest import LEASE, SUPPLY, Room

PASSWORD = "a long enough password 1"  # noqa: S105 - of a test
OLD = "UPDATE documents SET added = '2019-05-01T00:00:00+00:00' WHERE name = 'lease.txt'"
API = "/api/v1"


def post(room: Room, path: str, body: dict[str, Any]) -> Any:
    return room.client.post(f"{API}{path}", json=body, headers={"X-CSRF-Token": room.token()})


def submit(room: Room, path: str, **fields: str) -> Any:
    return room.client.post(path, data={"csrf": room.token(), "c": "Mill", **fields})


@pytest.fixture
def filled(room: Room) -> Room:
    """Mill with two contracts, one of which is due, and Grain with one."""
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY}, "Mill")
    room.put({"other.txt": SUPPLY.replace("crowns", "marks")}, "Grain")
    with room.app.state.server.connection_pool.library() as library:
        library.execute(OLD)
    return room


def names(room: Room) -> set[str]:
    with room.app.state.server.connection_pool.library() as library:
        return {each.name for each in library.documents()}


def test_what_is_due_is_deleted_on_the_page_with_a_report(filled: Room) -> None:
    page = filled.client.get("/storage?c=Mill").text
    assert "No contract is due." in page
    assert submit(filled, "/storage/retention", days="365").status_code == 303
    page = filled.client.get("/storage?c=Mill").text
    assert "Delete 1 contract</button>" in page
    other = submit(filled, "/storage/deletion", scope="due", count="2")
    assert other.status_code == 409
    assert "number of contracts to delete is now 1, not 2" in other.text
    assert names(filled) == {"lease.txt", "supply.txt", "other.txt"}
    begun = submit(filled, "/storage/deletion", scope="due", count="1")
    task = begun.headers["location"].removeprefix("/tasks/")
    page = filled.settle(task)
    assert "1 contract deleted. The search found nothing of them." in page
    assert "Deletion in" in page
    assert names(filled) == {"supply.txt", "other.txt"}
    shown = filled.client.get(f"/storage/report/{task}").text
    assert "The search found nothing of them in the library" in shown
    assert "lease.txt, of Mill: id " in shown
    assert "Ada Turner" not in shown
    text = filled.client.get(f"/storage/report/{task}/text")
    assert text.headers["content-disposition"].endswith(".txt")
    data = filled.client.get(f"/tasks/{task}/file").content
    assert sha256(data).hexdigest() in text.text
    trail = filled.client.get("/activity/audit").text
    assert sha256(data).hexdigest()[:16] in trail


def test_a_collection_is_deleted_when_its_name_is_typed(filled: Room) -> None:
    refused = submit(filled, "/storage/deletion", scope="collection", count="2", name="Mil")
    assert refused.status_code == 400
    assert "not that of the collection" in refused.text
    begun = submit(filled, "/storage/deletion", scope="collection", count="2", name="Mill")
    assert "2 contracts deleted." in filled.settle(begun.headers["location"][len("/tasks/") :])
    assert names(filled) == {"other.txt"}
    assert filled.client.get("/storage?c=Mill").status_code == 404


def test_nothing_is_deleted_under_a_hold(filled: Room) -> None:
    submit(filled, "/storage/retention", days="365")
    assert submit(filled, "/storage/hold", reason="Northmere v. Halden").status_code == 303
    page = filled.client.get("/storage?c=Mill").text
    assert "Northmere v. Halden" in page
    assert "Delete the collection" not in page
    assert "Nothing is due under a legal hold." in page
    for scope, count in (("due", 0), ("collection", 2)):
        body = {"collection": "Mill", "scope": scope, "count": count}
        refused = post(filled, "/deletions", body)
        assert refused.status_code == 409
        assert "legal hold" in refused.json()["detail"]
    assert submit(filled, "/storage/release").status_code == 303
    assert "Delete 1 contract</button>" in filled.client.get("/storage?c=Mill").text
    assert len(names(filled)) == 3


def test_programs_delete_contracts_and_get_the_report(filled: Room) -> None:
    body = {"collection": "Mill", "scope": "contracts", "count": 1}
    lease = filled.document("lease")
    unknown = post(filled, "/deletions", {**body, "documents": [filled.document("other")]})
    assert unknown.status_code == 404
    begun = post(filled, "/deletions", {**body, "documents": [lease]})
    assert begun.status_code == 202
    task = begun.json()["id"]
    filled.settle(task)
    report = filled.client.get(f"{API}/tasks/{task}/file").json()
    assert [each["name"] for each in report["contracts"]] == ["lease.txt"]
    assert report["is_clean"]
    assert report["search"]["removed"]["documents"] == 1
    again = post(filled, "/deletions", {**body, "documents": [lease]})
    assert again.status_code == 404
    nothing = post(filled, "/deletions", {"collection": "Mill", "scope": "due", "count": 0})
    assert nothing.status_code == 400


def test_a_task_that_comes_too_late_says_so(filled: Room) -> None:
    spec = {"collection": "Mill", "documents": ["0" * 16], "scope": "contracts", "is_whole": True}
    state = filled.app.state.server
    with state.connection_pool.library() as library:
        task = TaskQueue(library).start("deletion", "reading", "", spec, by="Ada")
    state.workers.wake()
    assert "not in the library any more" in filled.settle(task.id)
    assert len(names(filled)) == 3


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """Bram administers Mill, Cleo edits it, and neither may know of Grain."""
    room = make_room(team=True)
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": LEASE + SUPPLY}, "Grain")
    with room.app.state.server.connection_pool.library() as library:
        library.execute(OLD)
        accounts = Accounts(library)
        for name in ("ada", "bram", "cleo"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("bram", Role.ADMIN, "Mill", by="test")
        accounts.grant("cleo", Role.EDITOR, "Mill", by="test")
    return room


def sign_in(room: Room, name: str) -> None:
    room.client.cookies.clear()
    answer = room.client.post("/sign-in", data={"name": name, "password": PASSWORD})
    assert answer.status_code == 303


def test_an_admin_of_one_collection_gets_a_report_that_says_nothing_of_others(team: Room) -> None:
    sign_in(team, "cleo")
    due = {"collection": "Mill", "scope": "due", "count": 1}
    assert post(team, "/deletions", due).status_code == 403
    assert team.client.get("/storage?c=Mill").status_code == 403
    sign_in(team, "bram")
    assert submit(team, "/storage/retention", days="365").status_code == 303
    assert "Delete the collection" not in team.client.get("/storage?c=Mill").text
    whole = {"collection": "Mill", "scope": "collection", "count": 1}
    assert post(team, "/deletions", whole).status_code == 403
    hidden, nothing = (
        post(team, "/deletions", {**due, "collection": name}) for name in ("Grain", "Brain")
    )
    assert hidden.status_code == nothing.status_code == 404
    task = post(team, "/deletions", due).json()["id"]
    team.settle(task)
    report = team.client.get(f"{API}/tasks/{task}/file").json()
    assert [each["name"] for each in report["contracts"]] == ["lease.txt"]
    assert report["is_clean"] is report["search"] is None
    assert "The library was not searched" in team.client.get(f"/storage/report/{task}").text
    assert names(team) == {"supply.txt"}


def test_the_report_of_a_whole_library_is_for_its_admins(team: Room) -> None:
    sign_in(team, "ada")
    body = {"collection": "Mill", "scope": "collection", "count": 1}
    task = post(team, "/deletions", body).json()["id"]
    team.settle(task)
    assert team.client.get(f"/storage/report/{task}").status_code == 200
    with team.app.state.server.connection_pool.library() as library:
        Accounts(library).grant("cleo", Role.READER, ALL_COLLECTIONS, by="test")
    for name, status in (("bram", 404), ("cleo", 403)):
        sign_in(team, name)
        for address in (f"/tasks/{task}/file", f"/storage/report/{task}"):
            assert team.client.get(address).status_code == status
