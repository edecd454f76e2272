"""Dates, obligations and comparisons over REST: the values that the terminal prints."""

from __future__ import annotations

from datetime import date
from typing import Any

from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.contracts.dates import DatesRequest, list_dates
from fourcorners.operations.principal import Principal, Role
from tests.server.conftest import LEASE, SUPPLY, Room

BASE = "/api/v1"
CHANGED = LEASE.replace("six months' notice", "nine months' notice")


def test_dates_are_those_of_the_operation(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    asked: dict[str, str | int] = {"collection": "Mill", "as_of": "2029-03-01", "within": 365}
    answer = room.client.get(f"{BASE}/dates", params=asked)
    assert answer.status_code == 200, answer.text
    with Library.open(room.folder / "library.db") as library:
        access = Access(library, Principal("ann", Role.ADMIN), watched=False)
        same = list_dates(
            access, DatesRequest(collection="Mill", as_of=date(2029, 3, 1), within=365)
        )
    assert answer.json() == same.model_dump(mode="json")
    assert [each["name"] for each in answer.json()["contracts"]] == ["lease.txt"]


def test_obligations_come_with_their_words(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    answer = room.client.get(f"{BASE}/obligations", params={"collection": "Mill"})
    (found,) = [each for each in answer.json()["obligations"] if "assign" in each["statement"]]
    assert found["kind"] == "prohibition"
    quote = found["quote"]
    assert LEASE[quote["start"] : quote["end"]] == quote["text"]


def test_a_party_of_obligations_is_named_as_a_client_is_or_refused(room: Room) -> None:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})

    def ask(party: str) -> Any:
        return room.client.get(
            f"{BASE}/obligations", params={"collection": "Mill", "party": party}
        ).json()

    whole = ask("Ada Turner Limited")
    assert whole["total"] > 0
    assert {each["party"] for each in whole["obligations"]} == {"Ada Turner Limited"}
    assert ask("Ada Turner") == ask("landlord") == whole
    assert ask("Bram Miller")["total"] == 0  # a party that nothing binds
    refused = ask("Nobody Limited")
    assert refused["detail"].startswith("No contract has a party called 'Nobody Limited'.")
    assert "Ada Turner Limited" in refused["remedy"]


def test_versions_are_compared_and_sent_as_files(room: Room) -> None:
    room.put({"first.txt": LEASE, "second.txt": CHANGED})
    asked = {"before": room.document("first"), "after": room.document("second")}
    answer = room.client.get(f"{BASE}/comparison", params=asked)
    assert answer.status_code == 200, answer.text
    (change,) = [each for each in answer.json()["changes"] if each["words"]]
    assert [(each["old"], each["new"]) for each in change["words"]] == [("6 months", "9 months")]
    third = CHANGED.replace("five years", "seven years")
    room.put({"third.txt": third})
    more = {**asked, "between": asked["after"], "after": room.document("third")}
    changes = room.client.get(f"{BASE}/comparison", params=more).json()["changes"]
    brought = {each["words"][0]["new"]: each["versions"] for each in changes}
    assert brought == {"9 months": [2], "7 years": [3]}
    for form, start in (("docx", b"PK"), ("html", b"<!"), ("pdf", b"%PDF")):
        sent = room.client.get(f"{BASE}/comparison/report", params={**more, "format": form})
        assert sent.status_code == 200
        assert sent.content.startswith(start)


def test_what_is_asked_wrongly_is_refused(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    for path, asked in (
        ("/dates", {"within": -1}),
        ("/dates", {"nonsense": 1}),
        ("/comparison", {"before": room.document("lease")}),
    ):
        assert room.client.get(f"{BASE}{path}", params=asked).status_code in (400, 422), path
    nowhere = {"before": room.document("lease"), "after": "0" * 16}
    assert room.client.get(f"{BASE}/comparison", params=nowhere).status_code == 404
