"""REST: what a program gets."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fourcorners.playbooks.bank.store import BankClause, store_clauses
from fourcorners.playbooks.load import load_playbook
from fourcorners.search.run import SearchResult
from fourcorners.server.errors import TooManyRequests
from fourcorners.server.rate_limit import RateLimiter
from tests.server import grids
from tests.server.conftest import LEASE, SUPPLY, Room

BASE = "/api/v1"
HOUSE = """id: house
name: House style
version: "1"
provisions:
  - id: ending
    name: Ending
    definition: How the contract ends.
    query: '"end this lease"'
    threshold: 0.1
"""


def get(room: Room, path: str, **asked: Any) -> Any:
    answer = room.client.get(f"{BASE}{path}", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def filled(room: Room) -> Room:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    return room


def test_a_document_and_its_words(filled: Room) -> None:
    assert [each["name"] for each in get(filled, "/collections")] == ["Mill"]
    document = filled.document("lease")
    assert get(filled, f"/documents/{document}")["title"] == "LEASE OF A MILL"
    text = get(filled, f"/documents/{document}/text")
    assert text["text"] == LEASE
    start = LEASE.index("six months")
    found = get(filled, f"/documents/{document}/span", start=start, end=start + 10, around=8)
    assert found["words"] == "six months"
    assert LEASE[start - 8 : start] == found["before"]
    assert found["path"][-1].startswith("2.1")
    assert filled.client.get(found["href"]).text.count("<mark") == 1
    part = get(filled, f"/documents/{document}/text", start=start, end=start + 10)
    assert part["text"] == "six months"
    outline = get(filled, f"/documents/{document}/outline")
    assert {"1", "2", "2.1"} <= {node["label"] for node in outline["nodes"]}
    for fact in get(filled, f"/documents/{document}/card")["facts"]:
        assert LEASE[fact["span"]["start"] : fact["span"]["end"]] == fact["words"]
    bad = filled.client.get(f"{BASE}/documents/{document}/span", params={"start": 5, "end": 4})
    assert bad.status_code == 400


def test_an_end_beyond_the_text_is_cut_with_a_word(filled: Room) -> None:
    document, length = filled.document("lease"), len(LEASE)
    span = f"/api/v1/documents/{document}/span"
    found = filled.client.get(span, params={"start": 10, "end": length + 500}).json()
    assert found["words"] == LEASE[10:]
    assert (found["cut"], found["next"]) == (f"the text ends at {length}", None)
    found = filled.client.get(span, params={"start": 10, "end": 20}).json()
    assert (found["cut"], found["next"]) == ("", 20)
    assert filled.client.get(span, params={"start": length, "end": length + 1}).status_code == 400


@pytest.mark.parametrize("given", ["Tenant", ["Tenant"]])
def test_a_party_is_a_name_or_a_list(filled: Room, given: object) -> None:
    said = {"read_for": given}
    assert filled.client.patch("/api/v1/collections/Mill", json=said).json()["read_for"] == [
        "Tenant"
    ]


def test_search_points_at_the_words_it_shows(filled: Room) -> None:
    hits = get(filled, "/search", q='"six months"')["items"]
    assert hits
    for hit in hits:
        text = get(filled, f"/documents/{hit['document']}/text")["text"]
        assert text[hit["span"]["start"] : hit["span"]["end"]] == hit["words"]
    bad = filled.client.get(f"{BASE}/search", params={"q": '"six'})
    assert bad.status_code == 400
    assert bad.headers["content-type"] == "application/problem+json"
    assert bad.json()["remedy"]


def test_a_search_warns_of_a_reranker_that_failed(
    filled: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = SearchResult((), failure="The reranker failed: it cannot be reached.")
    for module in ("api.search", "pages.collection"):
        monkeypatch.setattr(f"fourcorners.server.{module}.search_passages", lambda *_: failed)
    assert get(filled, "/search", q="who pays the rent")["warnings"] == [failed.failure]
    page = filled.client.get("/search", params={"q": "who pays the rent"}).text
    assert f'<p class="notice bad">{failed.failure}</p>' in page


def test_precedents_lead_to_their_clauses(filled: Room) -> None:
    found = get(filled, "/precedents", q="cap on liability", collection="Mill", limit=2)
    assert "capped at ten thousand crowns" in found[0]["text"]
    assert "nothing is highlighted" not in filled.client.get(found[0]["places"][0]["href"]).text


def test_precedents_come_from_a_bank_and_are_compared_with_a_draft(filled: Room) -> None:
    clause = "The liability of each party is capped at the fees paid in the last twelve months."
    with filled.app.state.server.connection_pool.library() as library:
        store_clauses(library, "house", [BankClause("Cap", clause, 4)])
    (found,) = get(filled, "/precedents", q="cap on liability", bank="house")
    assert (found["text"], found["bank"]) == (clause, "house")
    assert len(found["clause"]) >= 6
    asked = {"draft": clause.replace("twelve", "six"), "bank": "house"}
    (found,) = filled.client.post("/api/v1/precedents", json=asked).json()
    assert {("added", "twelve"), ("removed", "six")} <= {
        (each["change"], each["text"]) for each in found["difference"]
    }
    assert 80 < found["alike"] < 100
    for wrong in ({"query": " "}, {"query": "x", "bank": "house", "collection": "Mill"}):
        assert filled.client.post("/api/v1/precedents", json=wrong).status_code == 400


def test_a_list_comes_in_parts(room: Room) -> None:
    room.put({f"lease {n:02}.txt": f"{LEASE}\n{n}" for n in range(7)})
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        part = get(room, "/documents", limit=3, cursor=cursor)
        seen += [each["name"] for each in part["items"]]
        cursor = part["next"]
    assert seen == [f"lease {n:02}.txt" for n in range(7)]
    for cursor in ("nonsense", "bnVsbA", "W10x", "é"):
        answer = room.client.get(f"{BASE}/documents", params={"cursor": cursor})
        assert answer.status_code == 400


def test_a_write_with_a_key_is_done_once(room: Room) -> None:
    def send(text: str, key: str = "k") -> Any:
        return room.client.post(
            f"{BASE}/documents",
            data={"collection": "Mill"},
            files=[("files", ("lease.txt", text.encode()))],
            headers={"Idempotency-Key": key},
        )

    first = send(LEASE)
    assert first.status_code == 202
    assert send(LEASE).json()["id"] == first.json()["id"]
    assert send(LEASE + "longer").status_code == 409
    assert send(LEASE, "another").json()["id"] != first.json()["id"]
    assert len(get(room, "/tasks")["items"]) == 2
    for task in get(room, "/tasks")["items"]:
        room.settle(task["id"])


def test_every_write_takes_a_key(room: Room) -> None:
    paths = get(room, "/openapi.json")["paths"]
    without = [
        f"{method} {path}"
        for path, item in paths.items()
        for method, operation in item.items()
        if method != "get"
        and "idempotency-key" not in [each["name"] for each in operation.get("parameters", ())]
    ]
    assert not without


@pytest.mark.parametrize(
    ("method", "path", "asked", "status"),
    [
        ("POST", "/collections", {"name": "Weir"}, 201),
        ("POST", "/views", {"collection": "Mill", "name": "A", "query": ""}, 201),
        ("DELETE", "/documents/{document}", None, 204),
        ("DELETE", "/views/{view}", None, 204),
    ],
)
def test_a_write_that_is_sent_again_is_answered_the_same(
    filled: Room, method: str, path: str, asked: object, status: int
) -> None:
    view = {"collection": "Mill", "name": "B", "query": ""}
    made = filled.client.post(f"{BASE}/views", json=view).json()
    where = BASE + path.format(view=made["id"], document=filled.document("lease"))
    key = {"Idempotency-Key": "k"}
    first, again = (filled.client.request(method, where, json=asked, headers=key) for _ in range(2))
    assert first.status_code == again.status_code == status, (first.text, again.text)
    assert first.text == again.text
    assert first.headers.get("location") == again.headers.get("location")
    asked = {"name": "Other"}
    assert filled.client.post(f"{BASE}/collections", json=asked, headers=key).status_code == 409


def test_a_task_is_watched_to_its_end(room: Room) -> None:
    answer = room.upload({"lease.txt": LEASE}, Accept="application/json")
    task = answer.json()["task"]
    events = room.client.get(f"{BASE}/tasks/{task}/events")
    assert events.headers["content-type"].startswith("text/event-stream")
    told = [line for line in events.text.split("\n\n") if line]
    assert told[-1] == 'event: end\ndata: "done"'
    last = json.loads(told[-2].split("data: ", 1)[1])
    assert last["result"]["added"] == 1
    assert room.client.get(f"{BASE}/tasks/{'0' * 16}/events").status_code == 404
    assert room.client.post(f"{BASE}/tasks/{task}/cancel").status_code == 409


def test_a_review_fills_the_grid_and_findings_are_marked(filled: Room) -> None:
    asked = {"collection": "Mill", "playbook": "nda-review"}
    answer = filled.client.post(f"{BASE}/reviews", json=asked)
    assert answer.status_code == 202
    page = filled.settle(answer.json()["id"])
    assert "Done" in page
    found = get(filled, "/findings", collection="Mill", playbook="nda-review")["items"]
    assert found
    for each in found:
        text = get(filled, f"/documents/{each['document']}/text")["text"]
        for quote in each["quotes"]:
            assert text[quote["span"]["start"] : quote["span"]["end"]] == quote["words"]
    cell = {key: found[0][key] for key in ("document", "provision")}
    said = {"playbook": "nda-review", "state": "second_look", "comment": "Look again.", **cell}
    marked = filled.client.post(f"{BASE}/findings/mark", json=said)
    assert marked.status_code == 200, marked.text
    assert marked.json()["review"] == "second_look"


def test_what_a_model_invented_is_shown_as_such(filled: Room) -> None:
    lease, book = filled.document("lease"), load_playbook("due-diligence")
    with filled.app.state.server.connection_pool.library() as library:
        cell = grids.found(lease, book.provisions[0].id, LEASE)
        grids.fill(library, book, [replace(cell, claims=("The Tenant owes nothing.",))])
    (found,) = get(filled, "/findings", collection="Mill")["items"]
    assert found["claims"] == ["The Tenant owes nothing."]
    assert "The Tenant owes nothing." not in str(found["quotes"])


def test_a_finding_has_a_headline_and_the_answers_behind_it(filled: Room) -> None:
    lease, book = filled.document("lease"), load_playbook("due-diligence")
    with filled.app.state.server.connection_pool.library() as library:
        grids.fill(library, book, [grids.found(lease, book.provisions[0].id, LEASE)])
    (cell,) = get(filled, "/findings", collection="Mill")["items"]
    assert cell["headline"] == "Tenant may end it"
    given, left = cell["answers"]
    assert (given["id"], given["answer"], given["value"]) == ("who", "the tenant", "Tenant")
    assert (given["statement"], given["confidence"]) == ("tenant may end it", 0.97)
    for quote in (*given["quotes"], *given["against_quotes"]):
        assert LEASE[quote["span"]["start"] : quote["span"]["end"]] == quote["words"]
        assert filled.client.get(quote["href"]).text.count("<mark") >= 1
    assert (left["id"], left["answer"], left["statement"], left["confidence"]) == (
        "price",
        "",
        "",
        None,
    )


def test_a_question_names_who_asks(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    room.put({"supply.txt": SUPPLY}, "Granary")

    def headline(*names: str) -> str:
        question = "How much notice must we give to end this lease?"
        asked = {"question": question, "collection": "Mill", "read_for": names}
        task = room.client.post(f"{BASE}/answers", json=asked).json()["id"]
        while (told := get(room, f"/tasks/{task}"))["state"] in ("waiting", "running"):
            time.sleep(0.2)
        made = told["result"]["answer"]
        return str(get(room, f"/answers/{made}")["headline"])

    assert headline(" Bram \n Miller ").endswith("Asked for: Tenant (Bram Miller Limited).")
    stranger, invented = headline("Oats Limited"), headline("Quilt Limited")
    assert "Oats Limited is no party to “Lease of a Mill”" in stranger
    assert stranger == invented.replace("Quilt", "Oats")  # whom another collection knows


def test_a_review_is_for_a_party(filled: Room) -> None:
    saved = {"csrf": filled.token(), "text": HOUSE}  # one provision is reviewed soon
    assert filled.client.post("/playbooks/save", data=saved).status_code == 303
    asked = {"collection": "Mill", "playbook": "house"}
    wrong = filled.client.post(f"{BASE}/reviews", json={**asked, "read_for": ["Dogwood"]})
    assert wrong.status_code == 400
    assert "Ada Turner Limited" in wrong.json()["remedy"]
    started = filled.client.post(f"{BASE}/reviews", json={**asked, "read_for": ["Tenant"]})
    filled.settle(started.json()["id"])
    assert [each["read_for"] for each in get(filled, "/collections")] == [["Tenant"]]
    filled.settle(filled.client.post(f"{BASE}/reviews", json=asked).json()["id"])
    assert [each["read_for"] for each in get(filled, "/collections")] == [["Tenant"]]
    nobody = filled.client.post(f"{BASE}/reviews", json={**asked, "read_for": []})
    filled.settle(nobody.json()["id"])
    assert [each["read_for"] for each in get(filled, "/collections")] == [[]]
    long = filled.client.post(f"{BASE}/reviews", json={**asked, "read_for": ["x" * 201]})
    assert long.status_code == 422


def test_a_playbook_of_the_house_serves_like_those_of_the_package(filled: Room) -> None:
    saved = {"csrf": filled.token(), "text": HOUSE}
    assert filled.client.post("/playbooks/save", data=saved).status_code == 303
    assert "house" in {each["id"] for each in get(filled, "/playbooks")}
    asked = {"collection": "Mill", "playbook": "house"}
    filled.settle(filled.client.post(f"{BASE}/reviews", json=asked).json()["id"])
    found = get(filled, "/findings", **asked)["items"]
    assert {each["provision"] for each in found} == {"ending"}
    (quoted, *_) = (each for each in found if each["quotes"])
    page = filled.client.get(f"/d/{quoted['document']}").text
    assert "Ending" in page
    assert filled.client.get(f"{BASE}/playbooks/none").status_code == 404


def test_the_audit_trail_is_whole(filled: Room) -> None:
    verdict = get(filled, "/audit/verdict")
    assert verdict["faults"] == []
    part = get(filled, "/audit", limit=1)
    assert [each["seq"] for each in part["items"]] == [1]
    assert get(filled, "/audit", cursor=part["next"])["items"][0]["seq"] == 2


def test_the_description_names_every_route_with_its_problems(room: Room) -> None:
    described = get(room, "/openapi.json")
    assert all(path.startswith("/api/v1/") for path in described["paths"])
    assert {"/api/v1/documents", "/api/v1/search", "/api/v1/tasks/{task}/events"} <= set(
        described["paths"]
    )
    for path in described["paths"].values():
        for operation in path.values():
            assert operation["summary"]
            assert "application/problem+json" in operation["responses"]["404"]["content"]


def test_too_many_requests_are_told_to_wait() -> None:
    now = [0.0]
    rate = RateLimiter(60, 3, clock=lambda: now[0])
    for _ in range(3):
        rate.spend("ada")
    with pytest.raises(TooManyRequests) as refused:
        rate.spend("ada")
    assert refused.value.retry_after >= 1
    rate.spend("bram")
    now[0] = 1.1
    rate.spend("ada")


def test_what_an_ended_server_left_goes_on(make_room: Callable[..., Room]) -> None:
    room = make_room("kept.db")
    office = room.app.state.server
    office.workers.stop()  # as at its end: nothing is taken up any more
    answer = room.upload({"lease.txt": LEASE}, Accept="application/json")
    task = answer.json()["task"]
    assert get(room, f"/tasks/{task}")["state"] == "waiting"
    again = make_room("kept.db")
    again.settle(task)
    assert get(again, f"/tasks/{task}")["state"] == "done"
    assert get(again, "/documents")["items"][0]["name"] == "lease.txt"
