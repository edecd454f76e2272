"""Reviews as files: some of the contracts, PDF, and long ones as a task with a file to fetch."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from itertools import product

import pytest

from fourcorners.operations.reviewing import exports
from fourcorners.playbooks.load import load_playbook
from fourcorners.server.store import exports as store
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, fill

BOOK = load_playbook("due-diligence")
REPORT = "/api/v1/reviews/report"


@pytest.fixture
def room(make_room: Callable[..., Room]) -> Room:
    made = make_room()
    made.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    with made.app.state.server.connection_pool.library() as library:
        places = product(library.documents(), BOOK.provisions)
        fill(library, BOOK, [absent(document.id, each.id) for document, each in places])
    made.put({"late.txt": LEASE.replace("MILL", "BARN")})
    return made


def test_selected_contracts_are_exported_and_the_title_says_so(room: Room) -> None:
    asked = {"c": "Mill", "p": "due-diligence", "as": "json"}
    chosen = room.document("lease")
    sent = room.client.get("/reviews/export", params={**asked, "documents": chosen})
    assert "Mill-1-of-3-contracts" in sent.headers["content-disposition"]
    value = json.loads(sent.content)
    assert value["title"] == "Mill: 1 of 3 contracts"
    assert [each["id"] for each in value["documents"]] == [chosen]
    both = [chosen, room.document("supply")]
    value = room.client.get(
        REPORT, params={"collection": "Mill", "format": "json", "documents": both}
    ).json()
    assert value["title"] == "Mill: 2 of 3 contracts"
    asked["as"] = "docx"
    sent = room.client.get("/reviews/export", params={**asked, "documents": both})
    document = zipfile.ZipFile(io.BytesIO(sent.content)).read("word/document.xml").decode()
    assert "Mill: 2 of 3 contracts" in document


def test_a_contract_that_was_not_reviewed_yet_is_named_in_the_report_of_the_others(
    room: Room,
) -> None:
    asked = {"c": "Mill", "p": "due-diligence", "as": "json"}
    value = room.client.get("/reviews/export", params=asked).json()
    assert value["title"] == "Mill: 2 of 3 contracts"
    assert {each["name"] for each in value["documents"]} == {"lease.txt", "supply.txt"}
    (left,) = value["unread"]
    assert left["path"].endswith("late.txt")
    assert str(room.folder) not in left["path"]
    assert left["reason"] == "This contract was not reviewed yet."
    asked["as"] = "docx"
    sent = room.client.get("/reviews/export", params=asked)
    document = zipfile.ZipFile(io.BytesIO(sent.content)).read("word/document.xml").decode()
    assert "late.txt" in document
    assert "1 file not covered" in document
    refused = room.client.get(
        "/reviews/export", params={**asked, "documents": room.document("late")}
    )
    assert refused.status_code == 400
    assert "Choose “Review what is new” above the grid" in refused.text
    assert "fourcorners review" not in refused.text


def test_a_contract_of_another_collection_is_refused(room: Room) -> None:
    room.put({"other.txt": SUPPLY.replace("GRAIN", "OATS")}, "Grain")
    asked = {"collection": "Mill", "format": "json", "documents": room.document("other")}
    assert room.client.get(REPORT, params=asked).status_code == 404
    assert room.client.post(REPORT, json={**asked, "documents": ["f" * 16]}).status_code == 404


@pytest.mark.parametrize("form", ["pdf", "flags.pdf"])
def test_a_review_is_sent_as_a_pdf(room: Room, form: str) -> None:
    pytest.importorskip("typst")
    asked = {"collection": "Mill", "format": form, "documents": room.document("lease")}
    sent = room.client.get(REPORT, params=asked)
    assert sent.headers["content-type"] == "application/pdf"
    assert sent.content.startswith(b"%PDF-")


def test_a_long_report_is_a_task_with_a_file(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("api.reviews", "pages.reviewing.review"):
        monkeypatch.setattr(f"fourcorners.server.{module}.MOST_AT_ONCE", 1)
    both = [room.document("lease"), room.document("supply")]
    asked = {"c": "Mill", "p": "due-diligence", "as": "xlsx", "documents": both}
    page = room.client.get("/reviews/export", params=asked).text
    assert "Export 2 contracts" in page
    fields = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', page)
    data: dict[str, list[str]] = {}
    for name, value in fields:
        data.setdefault(name, []).append(value)
    begun = room.client.post("/reviews/export", data=data)
    assert begun.status_code == 303
    task = begun.headers["location"].rpartition("/")[2]
    done = room.settle(task)
    assert f'href="/tasks/{task}/file"' in done
    sent = room.client.get(f"/tasks/{task}/file")
    assert "Mill-2-of-3-contracts-due-diligence.xlsx" in sent.headers["content-disposition"]
    assert zipfile.ZipFile(io.BytesIO(sent.content)).testzip() is None
    assert str(room.folder).encode() not in sent.content


def test_a_program_starts_a_long_report_and_fetches_its_file(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.server.api.reviews.MOST_AT_ONCE", 0)
    asked = {"collection": "Mill", "format": "json", "documents": [room.document("lease")]}
    refused = room.client.get(REPORT, params=asked)
    assert refused.status_code == 413
    assert "POST" in refused.json()["remedy"]
    task = room.client.post(REPORT, json=asked)
    assert task.status_code == 202
    identifier = task.json()["id"]
    room.settle(identifier)
    ended = room.client.get(f"/api/v1/tasks/{identifier}").json()
    assert (ended["state"], ended["result"]["contracts"]) == ("done", 1)
    file = room.client.get(f"/api/v1/tasks/{identifier}/file")
    assert file.json()["title"] == "Mill: 1 of 3 contracts"
    monkeypatch.setattr(store, "KEEP_SECONDS", -1.0)
    gone = room.client.get(f"/api/v1/tasks/{identifier}/file")
    assert gone.status_code == 404


def test_a_file_goes_with_its_collection(room: Room) -> None:
    asked = {"collection": "Mill", "format": "json", "documents": [room.document("lease")]}
    task = room.client.post(REPORT, json=asked).json()["id"]
    room.settle(task)
    assert room.client.delete("/api/v1/collections/Mill").status_code == 204
    with room.app.state.server.connection_pool.library() as library:
        assert list(library.execute("SELECT task FROM server_exports")) == []


@pytest.mark.parametrize("chosen", [["lease"], []])
def test_a_file_goes_with_a_document_that_it_holds(room: Room, chosen: list[str]) -> None:
    held = []
    for names in (chosen, ["supply"]):
        documents = [room.document(name) for name in names]
        asked = {"collection": "Mill", "format": "json", "documents": documents}
        held.append(room.client.post(REPORT, json=asked).json()["id"])
        room.settle(held[-1])
    data = {"csrf": room.token(), "document": room.document("lease")}
    assert room.client.post("/remove", data=data).status_code == 303
    with room.app.state.server.connection_pool.library() as library:
        assert [task for (task,) in library.execute("SELECT task FROM server_exports")] == held[1:]


def test_every_form_has_a_type() -> None:
    assert all(exports.media_type_of(each) for each in exports.FORMS)
