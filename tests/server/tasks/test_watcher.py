"""Files that arrive in a watched folder are added once, when they stand still, and told of."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from fourcorners.library import ingest
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.tasks import watcher as watching_module
from fourcorners.server.tasks.handlers import add
from fourcorners.server.tasks.queue import Task, TaskQueue
from fourcorners.server.tasks.watcher import FolderWatcher
from fourcorners.settings import Settings
from fourcorners.source_settings import WatchSettings
from tests.server.conftest import LEASE, SUPPLY, Room


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "post"
    made.mkdir()
    return made


def watcher(room: Room, folder: Path, collection: str = "Mill") -> FolderWatcher:
    watched = WatchSettings(folder=str(folder), collection=collection)
    state = room.app.state.server
    return FolderWatcher(state.connection_pool, [watched], state.workers.wake)


def tasks(room: Room) -> list[Task]:
    with room.app.state.server.connection_pool.library() as library:
        return list(TaskQueue(library).of_kind("add"))


def taken(room: Room) -> list[str]:
    """Return the names of the files that tasks were started for, the first task first."""
    return [Path(path).name for task in reversed(tasks(room)) for path in task.spec["paths"]]


def names(room: Room) -> set[str]:
    with room.app.state.server.connection_pool.library() as library:
        return {each.name for each in library.documents("Mill")}


def test_a_file_is_added_once_it_stands_still(room: Room, folder: Path) -> None:
    watching = watcher(room, folder)
    (folder / "deal").mkdir()
    lease = folder / "deal" / "lease.txt"
    lease.write_text(LEASE[:40])
    watching.run_round()
    lease.write_text(LEASE)  # it is still being copied
    watching.run_round()
    assert tasks(room) == []
    watching.run_round()
    (task,) = tasks(room)
    assert (task.asked_by, task.collection) == ("watched folder", "Mill")
    page = room.settle(task.id)
    assert "lease.txt" in page
    assert str(folder) not in page
    assert names(room) == {"lease.txt"}
    assert lease.read_text() == LEASE
    for _ in range(3):
        watching.run_round()
    assert len(tasks(room)) == 1


def test_neither_restarts_nor_other_servers_take_a_file_again(room: Room, folder: Path) -> None:
    room.app.state.server.workers.stop()
    (folder / "lease.txt").write_text(LEASE)
    first, second = watcher(room, folder), watcher(room, folder)
    for each in (first, second, first, second):
        each.run_round()
    again = watcher(room, folder)
    again.run_round()
    again.run_round()
    assert taken(room) == ["lease.txt"]
    (folder / "lease.txt").write_text(SUPPLY)  # another version is another contract
    again.run_round()
    again.run_round()
    assert taken(room) == ["lease.txt", "lease.txt"]


def test_a_removed_document_and_a_deleted_collection_stay_away(room: Room, folder: Path) -> None:
    (folder / "lease.txt").write_text(LEASE)
    watching = watcher(room, folder)
    watching.run_round()
    watching.run_round()
    room.settle(tasks(room)[0].id)
    data = {"csrf": room.token(), "document": room.document("lease.txt")}
    assert room.client.post("/remove", data=data).status_code == 303
    assert (folder / "lease.txt").exists()
    assert room.client.delete("/api/v1/collections/Mill").status_code == 204
    watching.run_round()
    watching.run_round()
    assert tasks(room) == []
    assert room.client.get("/c/Mill").status_code == 404


@pytest.mark.parametrize("taken_before", [True, False])
def test_a_watch_follows_its_collection_and_feeds_no_other(
    room: Room, folder: Path, taken_before: bool
) -> None:
    watching = watcher(room, folder)
    room.put({"old.txt": SUPPLY}, "Mill")
    if taken_before:
        (folder / "first.txt").write_text(f"{LEASE} 1")
    watching.run_round()
    watching.run_round()
    for task in tasks(room):
        room.settle(task.id)
    url = "/api/v1/collections/Mill"
    assert room.client.patch(url, json={"name": "Wharf"}).status_code == 200
    room.put({"other.txt": SUPPLY}, "Mill")  # another deal takes the name
    for each in (watching, watcher(room, folder)):
        (folder / f"lease-{id(each)}.txt").write_text(f"{LEASE} {id(each)}")
        each.run_round()
        each.run_round()
        task = tasks(room)[0]
        assert task.collection == "Wharf"
        room.settle(task.id)
    assert names(room) == {"other.txt"}
    assert room.client.delete("/api/v1/collections/Wharf").status_code == 204
    before = len(tasks(room))
    (folder / "late.txt").write_text(f"{LEASE} late")
    watching.run_round()
    watching.run_round()
    assert len(tasks(room)) == before
    assert names(room) == {"other.txt"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
def test_a_file_whose_name_is_no_utf8_is_a_failure_of_that_file(room: Room, folder: Path) -> None:
    Path(os.fsdecode(bytes(folder) + b"/l\xe9ase.txt")).write_text(SUPPLY)
    (folder / "lease.txt").write_text(LEASE)
    watching = watcher(room, folder)
    for _ in range(3):
        watching.run_round()
    assert taken(room) == ["lease.txt"]
    with room.app.state.server.connection_pool.library() as library:
        (failed,) = library.failures(collection="Mill")
    assert "UTF-8" in failed.reason


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_files_of_a_task_that_failed_are_listed_to_be_tried_again(
    room: Room, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall(*_: object, **__: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr(ingest, "add_files", fall)
    (folder / "lease.txt").write_text(LEASE)
    watching = watcher(room, folder)
    for _ in range(2):
        watching.run_round()
    (task,) = tasks(room)
    room.settle(task.id)
    with room.app.state.server.connection_pool.library() as library:
        (failed,) = library.failures(collection="Mill")
    assert failed.path == str(folder / "lease.txt")
    assert "RuntimeError" in failed.reason


def test_no_link_is_followed_and_no_leftover_taken(room: Room, folder: Path) -> None:
    room.app.state.server.workers.stop()
    secret = room.folder / "secret.txt"
    secret.write_text("The password of the mill.")
    (folder / "link.txt").symlink_to(secret)
    (folder / "outside").symlink_to(room.folder)
    for name in (".hidden.txt", "~$lease.docx", "Thumbs.db"):
        (folder / name).write_text("x")
    lease = folder / "lease.txt"
    lease.write_text(LEASE)
    watching = watcher(room, folder)
    watching.run_round()
    watching.run_round()
    assert taken(room) == ["lease.txt"]
    lease.unlink()
    lease.symlink_to(secret)  # after it was taken, before it is read
    assert add.paths_to_read(tasks(room)[0]) == []
    with room.app.state.server.connection_pool.library() as library:
        library.fail(str(lease), "it is torn", "", collection="Mill")
    again = room.client.post("/api/v1/failures/retry", json={"collection": "Mill"})
    assert again.status_code == 202
    assert [add.paths_to_read(each) for each in tasks(room)] == [[], []]


def test_the_librarys_uploads_are_not_watched(room: Room) -> None:
    room.put({"lease.txt": LEASE}, "Elm")
    room.app.state.server.workers.stop()
    watching = watcher(room, room.folder)
    watching.run_round()
    watching.run_round()
    assert taken(room) == []


def test_a_folder_that_is_not_there_is_waited_for(room: Room, tmp_path: Path) -> None:
    folder = tmp_path / "later"
    watching = watcher(room, folder)
    watching.run_round()
    folder.mkdir()
    (folder / "lease.txt").write_text(LEASE)
    watching.run_round()
    watching.run_round()
    assert taken(room) == ["lease.txt"]


def test_members_are_told_and_the_library_counts_what_is_new(
    make_room: Callable[..., Room], folder: Path
) -> None:
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram", "cleo"):
            accounts.add(name, "a short sentence is good", by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("bram", Role.READER, "Mill", by="test")
        accounts.grant("cleo", Role.READER, "Elm", by="test")
    room.put({"old.txt": SUPPLY}, "Mill")
    data = {"name": "bram", "password": "a short sentence is good"}
    assert room.client.post("/sign-in", data=data).status_code == 303

    def library_says() -> str:
        page = room.client.get("/").text
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())

    assert "new" not in library_says()  # nobody has looked yet
    room.client.get("/c/Mill")
    assert "new" not in library_says()
    watching = watcher(room, folder)
    for number in range(2):
        (folder / f"lease-{number}.txt").write_text(f"{LEASE}\n\n3. {number}")
        watching.run_round()
        watching.run_round()
        room.settle(tasks(room)[0].id)
    assert "3 documents · 2 new" in library_says()
    with room.app.state.server.connection_pool.library() as library:
        told = library.execute("SELECT person, kind, by, collection FROM server_notices")
        assert [tuple(each) for each in told] == [("bram", "added", "watched folder", "mill")]
        by = [json.loads(e.detail).get("by") for e in library.audit_trail() if e.event == "task"]
        assert by == ["watched folder", "watched folder"]
    room.client.get("/c/Mill")
    assert "new" not in library_says()


def test_a_watch_that_stops_is_said_once_where_people_see_it(
    make_room: Callable[..., Room], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching_module, "_LOOK", 3_600.0)  # the server's own looks at nothing
    settings = WatchSettings(folder=str(folder), collection="Mill")
    room = make_room(team=True, watch=(settings,))
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram"):
            accounts.add(name, "a short sentence is good", by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("bram", Role.READER, "Mill", by="test")
    room.put({"old.txt": SUPPLY}, "Mill")

    def sign_in(name: str) -> None:
        room.client.cookies.clear()
        data = {"name": name, "password": "a short sentence is good"}
        assert room.client.post("/sign-in", data=data).status_code == 303

    def notices() -> list[tuple[object, ...]]:
        with room.app.state.server.connection_pool.library() as library:
            return [tuple(each) for each in library.execute(
                "SELECT person, kind, collection FROM server_notices ORDER BY row"
            )]  # fmt: skip

    away = folder.rename(folder.with_name("away"))
    for each in (watcher(room, folder), watcher(room, folder)):  # another server, or a restart
        each.run_round()
        each.run_round()
    assert sorted(notices()) == [("ada", "no_folder", "mill"), ("bram", "no_folder", "mill")]
    sign_in("bram")
    said = "A folder that is watched for this collection cannot be reached"
    assert said in room.client.get("/c/Mill").text
    assert str(folder) not in room.client.get("/c/Mill").text
    assert "cannot reach the folder that is watched" in room.client.get("/inbox").text
    assert "Nothing is added" not in room.client.get("/").text
    away.rename(folder)
    watching = watcher(room, folder)
    watching.run_round()
    assert said not in room.client.get("/c/Mill").text
    sign_in("ada")
    headers = {"X-CSRF-Token": room.token()}
    assert room.client.delete("/api/v1/collections/Mill", headers=headers).status_code == 204
    watching.run_round()
    watching.run_round()
    assert notices()[-1] == ("ada", "no_collection", "")
    assert len([each for each in notices() if each[1] == "no_collection"]) == 1
    page = room.client.get("/inbox").text
    assert "as its collection was deleted" in page
    assert "Mill" in page
    assert "the collection was deleted" in room.client.get("/").text


def test_a_folder_is_named_in_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fourcorners.toml").write_text(
        '[[watch]]\nfolder = "post"\ncollection = "Project Larch"\n'
    )
    (found,) = Settings.load().watch
    assert (Path(found.folder).name, found.collection) == ("post", "Project Larch")
    (tmp_path / "elsewhere").mkdir()
    assert (tmp_path / found.folder).resolve() == tmp_path / "post"
