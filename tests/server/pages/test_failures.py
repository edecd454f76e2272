"""Files that could not be read: read again, dismissed, and brought to an administrator."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents import install_hints
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from tests.server.conftest import LEASE, SUPPLY, Room

PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
TORN = b"%PDF-1.7 and nothing more"


@pytest.fixture
def mill(room: Room) -> Room:
    """Two files that were torn, and one that was read."""
    room.add({"a.txt": LEASE, "deal/torn.pdf": TORN, "burst.pdf": TORN})
    return room


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def post(room: Room, **fields: Any) -> Any:
    data = {"csrf": room.token(), "c": "Mill", **fields}
    return room.client.post("/failures", data=data)


def failed(room: Room) -> dict[str, str]:
    """Return the ids of the files that could not be read, by their names."""
    listed = room.client.get("/api/v1/failures?collection=Mill").json()
    return {each["file"]: each["id"] for each in listed}


def mend(room: Room, name: str, text: str) -> None:
    (path,) = Path(room.app.state.server.uploads.root).glob(f"*/{name}")
    path.write_text(text)


def test_a_file_is_read_again_alone_or_with_all_others(mill: Room) -> None:
    files = failed(mill)
    assert set(files) == {"deal/torn.pdf", "burst.pdf"}
    assert mill.client.get("/c/Mill").text.count('value="retry"') == 3
    for name in files:
        mend(mill, name, SUPPLY + name)
    tried = post(mill, action="retry", file=files["burst.pdf"])
    assert tried.status_code == 303
    page = words(mill.settle(tried.headers["location"].rpartition("/")[2]))
    assert "1 document added." in page
    assert "deal/torn.pdf" not in page
    assert set(failed(mill)) == {"deal/torn.pdf"}
    mill.settle(post(mill, action="retry").headers["location"].rpartition("/")[2])
    assert failed(mill) == {}
    assert "could not be read" not in mill.client.get("/c/Mill").text
    assert post(mill, action="retry", file=files["burst.pdf"]).status_code == 404


def test_what_an_archive_holds_is_read_again_with_it(room: Room, tmp_path: Path) -> None:
    from zipfile import ZipFile

    with ZipFile(tmp_path / "deal.zip", "w") as made:
        made.writestr("lease.txt", LEASE)
        made.writestr("torn.pdf", TORN)
    room.add({"deal.zip": (tmp_path / "deal.zip").read_bytes()})
    (inside,) = failed(room)
    assert inside == "deal.zip/torn.pdf"
    again = post(room, action="retry", file=failed(room)[inside])
    page = words(room.settle(again.headers["location"].rpartition("/")[2]))
    assert "0 documents added" in page, page
    assert "1 not read" in page, page
    assert set(failed(room)) == {inside}


def test_a_dismissed_file_is_gone_from_list_and_disk(mill: Room) -> None:
    files = failed(mill)
    assert post(mill, action="dismiss", file=files["burst.pdf"]).status_code == 303
    root = Path(mill.app.state.server.uploads.root)
    assert [each.name for each in root.rglob("*.pdf")] == ["torn.pdf"]
    assert post(mill, action="dismiss").status_code == 303
    assert not list(root.rglob("*.pdf"))
    assert [each.name for each in root.rglob("*.txt")] == ["a.txt"]
    with mill.app.state.server.connection_pool.library() as library:
        events = [each for each in library.audit_trail() if each.event == "failures dismissed"]
    assert len(events) == 2
    assert "burst.pdf" in events[0].detail
    assert str(root) not in events[0].detail


def test_remedies_on_pages_are_for_who_reads_contracts(room: Room) -> None:
    with room.app.state.server.connection_pool.library() as library:
        library.add_collection("Mill")
        for hint in (install_hints.TESSERACT, install_hints.LIBREOFFICE, install_hints.OCR_OFF):
            remedy = f"{hint}, then add the file again."
            library.fail(f"/x/{hint[8:13]}.pdf", "it is a scan", remedy, collection="Mill")
    page = words(room.client.get("/c/Mill").text)
    assert "Ask your administrator to install text recognition, then add the file again." in page
    for command in ("apt-get", "brew", "pip install", "the setting"):
        assert command not in page
    listed = room.client.get("/api/v1/failures?collection=Mill").json()
    assert any("apt-get" in each["remedy"] for each in listed)  # for who operates it


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """Ada administers all, Bram only Mill, Cleo reads Mill, Dora reads Grain; a file has failed."""
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name, role, collection in (
            ("ada", Role.ADMIN, ALL_COLLECTIONS),
            ("bram", Role.ADMIN, "Mill"),
            ("cleo", Role.READER, "Mill"),
            ("dora", Role.READER, "Grain"),
            ("emil", Role.ADMIN, "Grain"),
        ):
            accounts.add(name, PASSWORD, by="test")
            accounts.grant(name, role, collection, by="test")
        library.fail("/x/torn.pdf", "it is torn", "Send it again.", collection="Mill")
    return room


def enter(room: Room, name: str) -> None:
    room.client.cookies.clear()
    answer = room.client.post("/sign-in", data={"name": name, "password": PASSWORD})
    assert answer.status_code == 303


def test_a_reader_asks_those_who_administer_the_collection(team: Room) -> None:
    enter(team, "cleo")
    page = team.client.get("/c/Mill").text
    assert 'value="help"' in page
    assert 'value="retry"' not in page
    assert post(team, action="retry").status_code == 403
    for _ in range(2):
        asked = post(team, action="help")
        assert asked.headers["location"] == "/c/Mill?helped=1#unread"
    page = words(team.client.get("/c/Mill?helped=1").text)
    assert "Your administrator has been notified." in page
    with team.app.state.server.connection_pool.library() as library:
        told = library.execute("SELECT person, kind, by, collection FROM server_notices")
    assert [tuple(each) for each in told] == [
        ("ada", "help", "cleo", "mill"),
        ("bram", "help", "cleo", "mill"),
    ]
    enter(team, "bram")
    assert "cleo asked for your help with these files." in words(team.client.get("/c/Mill").text)
    enter(team, "dora")
    for action in ("retry", "dismiss", "help"):
        assert post(team, action=action).status_code == 404
