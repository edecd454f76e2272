"""The clause banks' page: what is noted of clauses, filters, imports, and expired clauses."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from fourcorners.playbooks.bank.facts import ClauseFacts
from fourcorners.playbooks.bank.store import BankClause, bank_clauses, store_clauses
from tests.documents.test_tables import workbook
from tests.server.conftest import Room
from tests.server.pages.test_activity import post, words

YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)
CAP = BankClause(
    "Cap", "The liability of a party is limited to ten thousand crowns in any year.", 4,
    facts=ClauseFacts("Ada", "Bram", date(2026, 1, 2), "England", date(2099, 12, 31)),
)  # fmt: skip
OLD = BankClause(
    "Cap", "The liability of a party is limited to one crown in all.", 5,
    facts=ClauseFacts("Cleo", "Bram", law="New York", expires=YESTERDAY),
)  # fmt: skip
PLAIN = BankClause("Cap", "A party is liable for all that it has done, without any limit.")
DRAFT = BankClause("Law", "The law of the place of the mill applies.", facts=ClauseFacts("Ada"))


@pytest.fixture
def bank(room: Room) -> Room:
    with room.app.state.server.connection_pool.library() as library:
        store_clauses(library, "house", [CAP, OLD, PLAIN, DRAFT])
    return room


def held(room: Room, name: str = "house") -> dict[str, BankClause]:
    with room.app.state.server.connection_pool.library() as library:
        return {each.text: each for each in bank_clauses(library, name)}


def test_a_clause_shows_what_is_noted_of_it(bank: Room) -> None:
    page = words(bank.client.get("/precedents/bank?b=house").text)
    assert (
        "Approved by Bram, 2 January 2026 · until 31 December 2099 · England · Owner: Ada" in page
    )
    assert f"Expired on {YESTERDAY.day} {YESTERDAY:%B %Y} · New York" in page
    assert "Not approved · Owner: Ada" in page


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("standing=expired", [OLD]),
        ("standing=unapproved", [DRAFT]),
        ("standing=approved", [CAP]),
        ("standing=unknown", [PLAIN]),
        ("owner=ada", [CAP, DRAFT]),
        ("law=england", [CAP]),
        ("law=england&standing=expired", []),
        ("kind=Law&owner=ada", [DRAFT]),
    ],
)
def test_clauses_are_filtered(bank: Room, asked: str, expected: list[BankClause]) -> None:
    page = words(bank.client.get(f"/precedents/bank?b=house&{asked}").text)
    assert {each.text for each in (CAP, OLD, PLAIN, DRAFT) if each.text in page} == {
        each.text for each in expected
    }


def test_a_filter_stays_on_the_next_page(room: Room) -> None:
    clauses = [
        BankClause("Cap", f"The liability is limited to {n} crowns.", facts=ClauseFacts("Ada"))
        for n in range(50)
    ]
    with room.app.state.server.connection_pool.library() as library:
        store_clauses(library, "house", clauses)
    page = room.client.get("/precedents/bank?b=house&standing=unapproved&owner=Ada").text
    assert "standing=unapproved&amp;owner=Ada" in page


def test_facts_are_edited_and_what_contradicts_is_refused(bank: Room) -> None:
    sent = {"bank": "house", "clause": PLAIN.id, "owner": "Dora", "approved": "2026-03-01"}
    assert post(bank, "/precedents/facts", **sent, law="Ohio", expires="2027-03-01")[0] == 200
    expected = ClauseFacts("Dora", "", date(2026, 3, 1), "Ohio", date(2027, 3, 1))
    assert held(bank)[PLAIN.text].facts == expected
    for wrong in (
        {"expires": "2025-01-01"},
        {"expires": "soon"},
        {"clause": "0" * 12},
        {"owner": "x" * 300},
    ):
        assert post(bank, "/precedents/facts", **{**sent, **wrong})[0] in (400, 422), wrong
    assert held(bank)[PLAIN.text].facts == expected


def test_precedents_tell_what_is_noted(bank: Room) -> None:
    status, page = post(bank, "/precedents", q="liability is limited", **{"from": "b:house"})
    assert status == 200
    assert "Expired on" in words(page)
    assert "Approved by Bram" in words(page)


def test_clauses_are_imported_from_columns(room: Room, tmp_path: Path) -> None:
    rows = [
        ("Kind of clause", "Clause", "Owner", "Expires"),
        ("Cap", CAP.text, "Ada", "2099-12-31"),
        ("Cap", OLD.text, "", ""),
    ]
    path = workbook(tmp_path / "bank.xlsx", rows)

    def sent(path: Path) -> tuple[int, str]:
        answer = room.client.post(
            "/precedents/import",
            data={"csrf": room.token(), "bank": "house"},
            files={"file": (path.name, path.read_bytes())},
        )
        if answer.status_code == 303:
            answer = room.client.get(answer.headers["location"])
            assert CAP.text in answer.text, "the bank itself"
        return answer.status_code, words(answer.text)

    assert "2 clauses added" in sent(path)[1]
    assert held(room)[CAP.text].facts == ClauseFacts("Ada", expires=date(2099, 12, 31))
    assert "0 clauses added; 2 already there" in sent(path)[1]
    wrong = [("Topic", "Text", "Expires"), ("Cap", "x", "soon")]
    for other in ([("Who", "When"), ("a", "b")], wrong):
        status, page = sent(workbook(tmp_path / "other.xlsx", other))
        assert status == 400
        assert "/other.xlsx" not in page
        assert "Headings: Kind of clause" in page, "the form is still there"
    assert "is not a date" in page
    late = [("Topic", "Text", "Approved on"), ("Cap", "x", "2199-01-01")]
    assert "approval is in the future" in sent(workbook(tmp_path / "late.xlsx", late))[1]


def test_facts_by_rest(bank: Room) -> None:
    headers = {"X-CSRF-Token": bank.token()}
    listed = bank.client.get("/api/v1/banks/house/clauses?standing=expired").json()
    assert [each["id"] for each in listed] == [OLD.id]
    body = {"owner": "Dora", "approved_by": "Ada", "approved": "2026-03-01"}
    address = f"/api/v1/banks/house/clauses/{PLAIN.id}/facts"
    changed = bank.client.put(address, json=body, headers=headers).json()
    assert changed["standing"] == "approved"
    assert changed["facts"] == {**body, "law": "", "expires": None}
    assert bank.client.get("/api/v1/banks/nothing/clauses").status_code == 404


def send(room: Room, name: str, data: bytes) -> tuple[int, str]:
    files = {"file": (name, data)}
    form = {"csrf": room.token(), "bank": "house"}
    answer = room.client.post("/precedents/import", files=files, data=form)
    return answer.status_code, words(answer.text)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"provision": "Cap"}', "no JSON"])
def test_what_is_wrong_with_a_file_names_no_folder_of_the_server(bank: Room, line: str) -> None:
    status, page = send(bank, "Clauses.jsonl", line.encode())
    assert 400 <= status < 500
    assert " Clauses.jsonl, line 1: " in f" {page}"


def test_a_file_of_more_than_a_form_is_taken(room: Room) -> None:
    padding = " " * (3 << 20)
    line = f'{{"provision": "Cap", "text": "A party owes no more than one crown."{padding}}}'
    status, page = send(room, "clauses.jsonl", line.encode())
    assert status == 303, page
