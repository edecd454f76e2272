"""What HTTP offers programs: HEAD, tags, compression, limits that are told, errors by field."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fourcorners.server.rate_limit import RateLimiter
from tests.server.conftest import LEASE, SUPPLY, Room

BASE = "/api/v1"


@pytest.fixture
def filled(room: Room) -> Room:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    return room


def test_an_answer_that_has_not_changed_is_not_sent_again(filled: Room) -> None:
    client, path = filled.client, f"{BASE}/documents"
    first = client.get(path)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    same = client.get(path, headers={"If-None-Match": f'"x", {tag}'})
    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["etag"] == tag
    filled.put({"copy.txt": LEASE + "more"})
    other = client.get(path, headers={"If-None-Match": tag})
    assert other.status_code == 200
    assert len(other.json()["items"]) == 3
    assert "etag" not in client.get("/").headers


def test_head_is_get_without_a_body(filled: Room) -> None:
    document = filled.document("lease")
    for path in ("/", f"{BASE}/documents", f"{BASE}/documents/{document}/original"):
        whole, head = filled.client.get(path), filled.client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]
        assert head.headers["content-length"] == whole.headers["content-length"]
    assert filled.client.head(f"{BASE}/documents/ffff").status_code == 404


def test_json_is_compressed_and_pages_are_not(filled: Room) -> None:
    headers = {"Accept-Encoding": "gzip"}
    text = f"{BASE}/playbooks"
    assert filled.client.get(text, headers=headers).headers["content-encoding"] == "gzip"
    plain = filled.client.get(text, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.headers["etag"] == filled.client.get(text, headers=headers).headers["etag"]
    assert "content-encoding" not in filled.client.get("/", headers=headers).headers


def test_how_many_requests_are_left_is_told(filled: Room) -> None:
    headers = filled.client.get(f"{BASE}/collections").headers
    assert headers["ratelimit-policy"] == '"requests";q=300;w=30'
    left = int(headers["ratelimit"].split("r=")[1].split(";")[0])
    again = filled.client.get(f"{BASE}/collections").headers["ratelimit"]
    assert int(again.split("r=")[1].split(";")[0]) <= left


def test_files_errors_and_refusals_say_what_is_left_too(
    make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the last request, too; a caller that is refused learns the limit."""
    requests = "fourcorners.server.api.requests"
    monkeypatch.setattr(f"{requests}.REQUESTS_PER_MINUTE", 8)
    monkeypatch.setattr(f"{requests}.RateLimiter", partial(RateLimiter, clock=lambda: 0.0))
    room = make_room()
    room.put({"lease.txt": LEASE})
    original = f"{BASE}/documents/{room.document('lease')}/original"
    left = []
    for path in (original, f"{BASE}/documents/ffff", f"{BASE}/documents?limit=x", original):
        answer = room.client.get(path)
        assert answer.headers["ratelimit-policy"] == '"requests";q=4;w=30', path
        left.append(answer.headers["ratelimit"].split(";")[1])
    assert left == ["r=3", "r=2", "r=1", "r=0"]
    refused = room.client.get(original)
    assert refused.status_code == 429
    assert refused.headers["ratelimit"] == '"requests";r=0;t=30'
    assert refused.headers["retry-after"] == "8"
    assert "ratelimit" not in room.client.get("/").headers


def test_what_is_wrong_is_told_by_field(filled: Room) -> None:
    def refused(method: str, path: str, **sent: Any) -> dict[str, Any]:
        answer = filled.client.request(method, f"{BASE}{path}", **sent)
        assert answer.headers["content-type"] == "application/problem+json"
        problem: dict[str, Any] = answer.json()
        assert problem["status"] == answer.status_code
        return problem

    bad = refused("POST", "/reviews", json={"read_for": [3], "more": 1})
    assert (bad["status"], bad["code"]) == (422, "invalid_request")
    assert {(each["in"], each["field"], each["code"]) for each in bad["errors"]} == {
        ("body", "collection", "missing"),
        ("body", "read_for.0", "string_type"),
        ("body", "more", "extra_forbidden"),
    }
    asked = {"question": "Who pays?", "turns": "2", "rules": "yes"}
    bad = refused("POST", "/answers", json=asked)
    wrong = {(each["field"], each["code"]) for each in bad["errors"]}
    assert wrong == {("turns", "int_type"), ("rules", "bool_type")}
    bad = refused("GET", "/documents", params={"limit": 0})
    assert [(each["in"], each["field"]) for each in bad["errors"]] == [("query", "limit")]
    assert refused("GET", "/search", params={"q": '"six'})["code"] == "query_error"
    assert refused("GET", "/documents/ffff")["code"] == "not_found"
    assert refused("PUT", "/documents")["code"] == "method_not_allowed"
    for path, methods in (
        ("/documents", "GET, HEAD, POST"),
        ("/collections/Mill", "DELETE, GET, HEAD, PATCH"),
        ("/reviews/counts", "GET, HEAD"),
    ):
        assert filled.client.put(f"{BASE}{path}").headers["allow"] == methods


def test_a_search_goes_on_and_stays_in_its_contracts(filled: Room) -> None:
    client = filled.client
    lease, supply = filled.document("lease"), filled.document("supply")
    asked: dict[str, Any] = {"q": "the", "limit": 1}
    whole = client.get(f"{BASE}/search", params={"q": "the", "limit": 100}).json()["items"]
    parts: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        part = client.get(f"{BASE}/search", params={**asked, "cursor": cursor}).json()
        parts += part["items"]
        cursor = part["next"]
    assert parts == whole
    assert {each["document"] for each in whole} == {lease, supply}
    within = client.get(f"{BASE}/search", params={**asked, "document": supply, "limit": 50}).json()
    assert {each["document"] for each in within["items"]} == {supply}
    first = client.get(f"{BASE}/search", params=asked).json()["next"]
    wrong = client.get(f"{BASE}/search", params={"q": "tenant", "limit": 1, "cursor": first})
    assert wrong.status_code == 400  # of another query
    none = client.get(f"{BASE}/search", params={**asked, "document": "f" * 16})
    assert none.status_code == 404
