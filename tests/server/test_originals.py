"""Originals in a bucket: any server shows any page, and says so where the bucket is away."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fourcorners.library.originals.bucket import open_bucket
from fourcorners.library.originals.files import Originals
from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.server.store.backup import restore_backup, write_backup
from tests.object_store import ObjectStore
from tests.server.conftest import Room

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def put_pdf(room: Room, dataroom: Path) -> str:
    """Add a PDF as an upload, and return the id of its document."""
    (pdf, *_) = sorted(dataroom.glob("*.pdf"), key=lambda path: path.stat().st_size)
    state = room.app.state.server
    path = state.uploads.root / "0" / "lease.pdf"
    path.parent.mkdir(parents=True)
    shutil.copy(pdf, path)
    made = prepare_file(path)
    assert isinstance(made, PreparedFile)
    with state.connection_pool.library() as library:
        library.add_columns(made.columns, None, collection="Mill")
    return room.document("lease.pdf")


def move(room: Room) -> None:
    state = room.app.state.server
    with state.connection_pool.library() as library:
        assert Originals(state.settings.originals).move(library).moved == 1


def test_a_server_without_the_file_shows_its_pages(
    make_room: Callable[..., Room], bucket_server: ObjectStore, dataroom: Path
) -> None:
    room = make_room(originals=bucket_server.settings())
    document = put_pdf(room, dataroom)
    move(room)
    root = room.app.state.server.uploads.root
    assert not list(root.rglob("*.pdf"))
    page = room.client.get(f"/d/{document}")
    assert "Download the original" in page.text
    assert 'data-view="print"' in page.text
    answer = room.client.get(f"/d/{document}/page/1.png")
    assert answer.content.startswith(b"\x89PNG")
    (original,) = bucket_server.contents().values()
    assert room.client.get(f"/d/{document}/original").content == original
    assert room.client.get(f"/d/{document}/page/1.json").json()
    archive = room.folder / "backup.zip"
    assert write_backup(room.folder / "library.db", archive).in_buckets == 1
    assert restore_backup(archive, room.folder / "again" / "library.db").in_buckets == 1
    room.client.post("/remove", data={"document": document, "csrf": room.token()})
    assert not list(root.rglob("*.original"))


def test_pages_fall_back_to_the_text_where_the_bucket_is_away(
    make_room: Callable[..., Room], bucket_server: ObjectStore, dataroom: Path
) -> None:
    room = make_room(originals=bucket_server.settings())
    document = put_pdf(room, dataroom)
    move(room)
    open_bucket.cache_clear()
    away = bucket_server.settings().model_copy(update={"endpoint": "http://127.0.0.1:9"})
    other = make_room(originals=away)
    page = other.client.get(f"/d/{document}")
    assert page.status_code == 200
    assert "The store of original files does not answer" in page.text
    assert 'data-view="text"' in page.text
    assert "Download the original" not in page.text
    answer = other.client.get(f"/d/{document}/original")
    assert answer.status_code == 502
    assert "does not answer" in answer.text


def test_adding_says_that_the_bucket_is_away(
    make_room: Callable[..., Room], bucket_server: ObjectStore
) -> None:
    away = bucket_server.settings().model_copy(update={"endpoint": "http://127.0.0.1:9"})
    room = make_room(originals=away)
    shown = room.add({"lease.txt": "LEASE\n\n1. Term. Five years."})
    assert "1 document added" in shown
    assert "1 original file could not be put into the bucket yet" in shown
    value = room.client.get("/api/v1/collections/Mill/originals").json()
    assert (value["stored"], value["waiting"]) == (0, 1)
    assert "does not answer" in value["reasons"][0]


def test_a_collection_is_given_a_bucket_of_the_settings(
    make_room: Callable[..., Room], bucket_server: ObjectStore
) -> None:
    matter = {"matter": bucket_server.settings("matter").find("")}
    room = make_room(originals=bucket_server.settings(buckets=matter))
    room.put({"lease.txt": "LEASE\n\n1. Term. Five years."})
    address = "/api/v1/collections/Mill/originals"
    assert room.client.get(address).json()["buckets"] == ["matter"]
    assert room.client.put(address, json={"bucket": "matter"}).json()["bucket"] == "matter"
    refused = room.client.put(address, json={"bucket": "nowhere"})
    assert refused.status_code == 400
    assert "no bucket 'nowhere'" in refused.text
