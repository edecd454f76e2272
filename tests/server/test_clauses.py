"""The clauses of a provision side by side: paired part by part, with what differs marked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fourcorners.comparison.passages import align_parts
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import CellState, Evidence, Finding, SearchRecord
from fourcorners.server.auth import accounts as accounting
from fourcorners.server.auth.accounts import Accounts
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.server.conftest import SUPPLY, Room
from tests.server.grids import absent, fill

BOOK = load_playbook("due-diligence")
FIRST, SECOND = (each.id for each in BOOK.provisions[:2])
LOAN = """LOAN OF A MILL

1. Transfer

1.1 The Borrower may transfer this loan only with the written consent of the Lender.

1.2 The Lender may assign its claims to a bank at any time without notice to anyone.

2. Law

2.1 The law of Utopia governs this loan.
"""
OTHER = LOAN.replace("written consent", "prior written consent").replace("LOAN OF A", "SECOND LOAN")


def _found(library: Library, document: str) -> Finding:
    text = library.text(document)
    clause = Span(text.index("1. Transfer"), text.index("2. Law"))
    words = text[text.index("1.1") : text.index("1.2")].strip()
    quote = Quote(words, Span(text.index("1.1"), text.index("1.1") + len(words)), Match.EXACT)
    evidence = Evidence(quote, clause, ("1. Transfer",), None, 0.9)
    searched = SearchRecord("", 9, 0.5, evidence)
    return Finding(document, FIRST, CellState.FOUND, (evidence,), searched)


def _loans(room: Room, collection: str = "Mill") -> tuple[str, str]:
    room.put({"loan.txt": LOAN, "second.txt": OTHER, "supply.txt": SUPPLY}, collection)
    with room.app.state.server.connection_pool.library() as library:
        ids = [each.id for each in library.documents(collection)]
        cells = [absent(d, p.id) for d in ids for p in BOOK.provisions]
        fill(library, BOOK, cells)
        loans = [library.resolve(each).id for each in ("loan.txt", "second.txt")]
        fill(library, BOOK, [_found(library, each) for each in loans])
    return loans[0], loans[1]


def _ask(room: Room, **more: Any) -> Any:
    body = {"collection": "Mill", "provision": FIRST, **more}
    headers = {"X-CSRF-Token": room.token()}
    return room.client.post("/api/v1/reviews/clauses", json=body, headers=headers)


def test_parts_are_paired_wherever_they_are() -> None:
    base = ["The tenant pays the rent monthly.", "The landlord repairs the roof of the mill."]
    other = ["The roof is repaired by the landlord.", "Bees are kept.", "Rent is paid monthly."]
    assert align_parts(base, other) == [1, None, 0]
    assert align_parts([], other) == [None, None, None]


def test_each_part_is_compared_and_every_word_is_there(room: Room) -> None:
    loan, second = _loans(room)
    table = _ask(room, against=loan).json()
    assert (table["missing"], len(table["base"]), table["against"]) == (1, 2, loan)
    assert table["base"][0].startswith("1. Transfer 1.1 The Borrower")
    theirs = next(each for each in table["clauses"] if each["document"] == second)
    assert [each["base"] for each in theirs["parts"]] == [0, 1]
    changed = [e for part in theirs["parts"] for e in part["edits"] if e["kind"] != "equal"]
    assert [(each["kind"], each["text"].strip()) for each in changed] == [("insert", "prior")]
    for part in theirs["parts"]:
        words = "".join(each["text"] for each in part["edits"] if each["kind"] != "delete")
        span = part["span"]
        assert words == " ".join(OTHER[span["start"] : span["end"]].split())
    page = room.client.get(f"/reviews/clauses?c=Mill&p={BOOK.id}&v={FIRST}&against={loan}").text
    assert "<ins>prior" in page
    assert "2 contracts with this clause, 1 contract without" in page


def test_where_nothing_is_found_there_is_nothing_to_compare(room: Room) -> None:
    loan, _ = _loans(room)
    assert _ask(room, provision=SECOND).json()["clauses"] == []
    assert _ask(room, provision=SECOND, against=loan).status_code == 404
    assert _ask(room, provision="no-such").status_code == 404
    page = room.client.get(f"/reviews/clauses?c=Mill&p={BOOK.id}&v={SECOND}").text
    assert "No contract of this review has the clause" in page


def test_another_collections_clauses_are_not_there(
    make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    from argon2 import PasswordHasher

    monkeypatch.setattr(accounting, "_hasher", lambda: PasswordHasher(1, 8, 1))
    room = make_room(team=True)
    loan, _ = _loans(room)
    with room.app.state.server.connection_pool.library() as library:
        Accounts(library).add("bram", "a long enough password 1", by="test")
    sent = {"name": "bram", "password": "a long enough password 1"}
    assert room.client.post("/sign-in", data=sent).status_code == 303
    assert _ask(room).status_code == _ask(room, collection="Nill").status_code == 404
    page = room.client.get(f"/reviews/clauses?c=Mill&p={BOOK.id}&v={FIRST}&against={loan}")
    assert page.status_code == 404
