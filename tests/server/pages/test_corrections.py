"""Answers, added clauses and severities that people give on the page of a finding, and by REST."""

from __future__ import annotations

import re
from html import unescape

import pytest

from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import Finding
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import WORDS, absent, fill, found

BOOK = load_playbook("due-diligence")
CELL, OTHER = "assignment", "insurance"
GRID = "/reviews/grid?c=Mill&p=due-diligence"


@pytest.fixture
def mill(room: Room) -> Room:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    lease, supply = room.document("lease"), room.document("supply")
    with room.app.state.server.connection_pool.library() as library:
        cells: list[Finding] = [
            absent(document, each.id)
            for document in (lease, supply)
            for each in BOOK.provisions
            if (document, each.id) != (lease, CELL)
        ]
        fill(library, BOOK, [*cells, found(lease, CELL, library.text(lease))])
    return room


def look(room: Room, document: str, provision: str) -> str:
    page = room.client.get(GRID).text
    row = page[page.index(f'data-d="{document}"') :]
    cell = re.search(rf'<td class="c ([^"]*)" data-v="{provision}"', row)
    assert cell
    return cell[1]


def mark(room: Room, document: str, provision: str, **said: str) -> int:
    place = {"c": "Mill", "p": "due-diligence", "d": document, "v": provision}
    data = {"csrf": room.token(), **place, **said}
    return room.client.post("/reviews/mark", data=data).status_code


def panel(room: Room, document: str, provision: str) -> str:
    place = f"c=Mill&p=due-diligence&d={document}&v={provision}"
    return unescape(room.client.get(f"/reviews/cell?{place}").text)


def by_rest(room: Room, document: str, provision: str, **said: object) -> dict[str, object]:
    body = {"document": document, "provision": provision, **said}
    answer = room.client.post("/api/v1/findings/mark", json=body)
    assert answer.status_code == 200, answer.text
    whole: dict[str, object] = answer.json()
    return whole


def test_an_answer_raises_and_removes_a_flag_in_the_grid(mill: Room) -> None:
    lease = mill.document("lease")
    assert look(mill, lease, CELL) == "found s-none r-proposed"
    assert mark(mill, lease, CELL, question="effect", answer="forbidden") == 303
    assert look(mill, lease, CELL) == "found s-high r-corrected"
    page = panel(mill, lease, CELL)
    assert "(reviewer’s answer)" in page
    assert '<option value="forbidden" selected>' in page
    assert "Buy the company and not its assets" in page
    assert mark(mill, lease, CELL, question="effect", answer="free") == 303
    assert look(mill, lease, CELL) == "found s-none r-corrected"
    assert mark(mill, lease, CELL, question="effect", answer="maybe") == 400
    assert mark(mill, lease, CELL, says="proposed") == 303
    assert look(mill, lease, CELL) == "found s-none r-proposed"


def test_a_rejected_finding_counts_as_not_found_in_the_grid(mill: Room) -> None:
    lease = mill.document("lease")
    mark(mill, lease, CELL, says="rejected")
    assert look(mill, lease, CELL) == "not_found s-none r-rejected"
    assert "Originally proposed" in panel(mill, lease, CELL)
    assert WORDS not in mill.client.get(GRID).text
    listed = mill.client.get("/api/v1/findings?collection=Mill&limit=200").json()["items"]
    (cell,) = (each for each in listed if (each["document"], each["provision"]) == (lease, CELL))
    assert (cell["state"], cell["quotes"], cell["review"]) == ("not_found", [], "rejected")


def test_a_clause_that_is_added_is_found_and_flagged(mill: Room) -> None:
    lease = mill.document("lease")
    before = by_rest(mill, lease, OTHER, comment="Look at the ending.")
    assert before["state"] == "not_found"
    added = by_rest(mill, lease, OTHER, value=WORDS, severity="medium")
    assert (added["state"], added["severity"], added["review"]) == ("found", "medium", "corrected")
    assert look(mill, lease, OTHER) == "found s-medium r-corrected"


def test_a_severity_is_set_with_its_reason(mill: Room) -> None:
    lease = mill.document("lease")
    assert mark(mill, lease, CELL, severity="high", comment="The deal hangs on it.") == 303
    assert look(mill, lease, CELL) == "found s-high r-corrected"
    page = panel(mill, lease, CELL)
    assert "The deal hangs on it." in page
    assert "Set by" in page
    cleared = by_rest(mill, lease, CELL, severity="none")
    assert (cleared["severity"], cleared["reason"]) != ("high", "The deal hangs on it.")
    assert look(mill, lease, CELL) == "found s-none r-corrected"


def test_answers_by_rest_are_checked(mill: Room) -> None:
    lease = mill.document("lease")
    said = by_rest(mill, lease, CELL, answers={"effect": "forbidden"})
    assert (said["severity"], said["severity_by"]) == ("high", "")
    body = {"document": lease, "provision": CELL, "answers": {"effect": "perhaps"}}
    wrong = mill.client.post("/api/v1/findings/mark", json=body)
    assert wrong.status_code == 400
    assert "forbidden" in wrong.json()["remedy"]
