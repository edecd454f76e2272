"""The pages that compare versions, and check a contract's drafting."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from html import unescape

import pytest

from fourcorners.operations.access import Access
from fourcorners.operations.contracts.comparison import CompareRequest, compare_contracts
from fourcorners.operations.principal import Principal, Role
from tests.review.lint.test_checks import CLEAN
from tests.server.conftest import LEASE, SUPPLY, Room

LATER = LEASE.replace("six months'", "three months'").replace("five years", "seven years")


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.fixture
def room(make_room: Callable[..., Room]) -> Room:
    made = make_room()
    made.put({"lease v1.txt": LEASE, "supply.txt": SUPPLY, "lease v2.txt": LATER})
    return made


def versions(room: Room) -> dict[str, str]:
    return {"before": room.document("lease v1"), "after": room.document("lease v2")}


def test_versions_of_the_library_are_compared(room: Room) -> None:
    page = room.client.get("/compare").text
    assert page.count("<option") >= 6
    chosen = versions(room)
    page = room.client.get("/compare", params={"after": chosen["after"]}).text
    likely = page[page.index("Likely versions") : page.index("Other contracts")]
    assert chosen["before"] in likely
    assert room.document("supply") not in likely
    page = room.client.get("/compare", params=chosen).text
    shown = words(page)
    assert "6 months → 3 months" in shown
    assert re.search(r"<del>[^<]*six[^<]*</del>", page)
    assert re.search(r"<ins>[^<]*three[^<]*</ins>", page)
    (anchor, *_) = re.findall(r'href="#(c\d+)"', page)
    assert f'id="{anchor}"' in page


def test_versions_in_between_say_what_each_brought(room: Room) -> None:
    middle = LEASE.replace("six months'", "three months'")
    room.put({"lease v1b.txt": middle})
    asked = {**versions(room), "between": room.document("lease v1b")}
    page = room.client.get("/compare", params=asked).text
    assert "version 2" in words(page)
    assert "version 3" in words(page)


def test_the_trail_of_a_deal_has_comparisons_and_their_exports(room: Room) -> None:
    room.put({"lease v3.txt": f"{LATER} "}, "Elm")
    asked = {**versions(room), "after": room.document("lease v3")}
    with room.app.state.server.connection_pool.library() as library:
        reader = Principal("ada", roles={"mill": Role.READER, "elm": Role.READER})
        compare_contracts(
            Access(library, reader, watched=True), CompareRequest.from_fields(**asked), None
        )
    assert room.client.get("/compare/report.html", params=asked).status_code == 200
    asked = {**asked, "format": "html"}
    assert room.client.get("/api/v1/comparison/report", params=asked).status_code == 200
    assert room.client.get("/dates/report.ics", params={"c": "Elm"}).status_code == 200
    for collection in ("Mill", "Elm"):
        answer = room.client.get("/api/v1/audit", params={"collection": collection})
        assert answer.status_code == 200
        events = [each["event"] for each in answer.json()["items"]]
        assert "compared" in events
        assert events.count("export") == 2 + (collection == "Elm")


def test_the_trail_lists_details_of_another_shape(room: Room) -> None:
    with room.app.state.server.connection_pool.library() as library:
        library.record("compared", {"between": [], "by": "ada"})
    assert room.client.get("/api/v1/audit").json()["items"][-1]["detail"]["between"] == "[]"


@pytest.mark.parametrize("form", ["docx", "html"])
def test_a_comparison_is_sent_as_a_file(room: Room, form: str) -> None:
    sent = room.client.get(f"/compare/report.{form}", params=versions(room))
    assert sent.status_code == 200
    data = sent.content
    if form == "docx":
        data = zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml")
    assert b"three" in data
    assert room.client.get("/compare/report.doc", params=versions(room)).status_code == 404


@pytest.mark.parametrize("file_is", ["later", "earlier"])
def test_a_file_is_compared_and_not_kept(room: Room, file_is: str) -> None:
    before = sorted(room.folder.rglob("*"))
    data = {"csrf": room.token(), "after": room.document("lease v1"), "file_is": file_is}
    sent = {"file": ("../draft.txt", LATER.encode())}
    answer = room.client.post("/compare/upload", data=data, files=sent)
    assert answer.status_code == 200
    change = ["6 months", "3 months"][:: 1 if file_is == "later" else -1]
    assert " → ".join(change) in words(answer.text)
    assert "draft.txt" in answer.text
    file = room.client.post("/compare/upload", data={**data, "form": "docx"}, files=sent)
    assert zipfile.ZipFile(io.BytesIO(file.content)).testzip() is None
    rest = room.client.post(
        "/api/v1/comparison/upload",
        data={"document": data["after"], "file_is": file_is},
        files=sent,
    ).json()
    assert rest["counts"]["changed"] == 2
    kept = [each for each in sorted(room.folder.rglob("*")) if each.suffix not in (".db-wal",)]
    assert [each for each in kept if each not in before and "db" not in each.name] == []
    assert len(room.client.get("/api/v1/documents").json()["items"]) == 3


def test_a_file_that_cannot_be_read_is_said_in_place(room: Room) -> None:
    data = {"csrf": room.token(), "after": room.document("lease v1")}
    torn = {"file": ("torn.pdf", b"%PDF-1.7 and nothing more")}
    answer = room.client.post("/compare/upload", data=data, files=torn)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert "The PDF is truncated" in answer.text
    assert 'name="file"' in answer.text
    assert str(room.folder) not in answer.text
    assert ".partial" not in answer.text


SLIPS = CLEAN.replace("ended under Section 3.2", "ended under Section 3.9")


def test_a_contract_s_drafting_is_checked(room: Room) -> None:
    room.put({"slips.txt": SLIPS})
    document = room.document("slips")
    found = room.client.get(f"/api/v1/documents/{document}/lint").json()
    (slip,) = found["slips"]
    assert (slip["check"], slip["severity"]) == ("dangling-reference", "high")
    for each in found["slips"]:
        assert SLIPS[each["words"]["start"] : each["words"]["end"]] == each["words"]["text"]
    page = room.client.get(f"/d/{document}/lint").text
    assert all(each["message"] in unescape(page) for each in found["slips"])
    (first, *_) = re.findall(r'href="(/d/[^"]+\?s=[^"]+)"', page)
    assert "Section 3.9" in " ".join(
        re.findall(r"<mark[^>]*>([^<]+)", room.client.get(unescape(first)).text)
    )
    assert "Nothing to look at" in room.client.get(f"/d/{room.document('lease v1')}/lint").text
    room.put({"unused.txt": CLEAN.replace("to the Mill Gate", "to the yard")})
    document, grave = room.document("unused"), {"least": "medium"}
    assert room.client.get(f"/api/v1/documents/{document}/lint", params=grave).json()["slips"] == []
    assert "Nothing of this severity" in room.client.get(f"/d/{document}/lint", params=grave).text
