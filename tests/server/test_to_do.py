"""What waits for a person: one list in the page, REST and MCP, and the same numbers everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import escape, unescape
from typing import Any

from fourcorners.operations.principal import Role
from fourcorners.playbooks.load import load_playbook
from fourcorners.reports.chapters.front import _steps, status
from fourcorners.reports.chapters.material import ReportMaterial
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.overview.counts import FindingCounts, count_findings
from fourcorners.review.people.review_actions import (
    NewAnnotation,
    annotate_finding,
    assignment,
)
from fourcorners.review.stored_review import load_review
from fourcorners.server.auth.accounts import Accounts
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, failed, fill, found

BOOK = load_playbook("due-diligence")
FIRST, SECOND, THIRD, FOURTH, FIFTH = (each.id for each in BOOK.provisions[:5])
WHY = "Could be high, depending on a question that is not answered: “For what price?”"


def _fill(room: Room, collection: str = "Mill") -> str:
    """Add a lease with a high finding, two to be read, one failed, and nothing else."""
    room.put({"lease.txt": LEASE}, collection)
    lease = room.document("lease")
    text = LEASE
    with room.app.state.server.connection_pool.library() as library:
        text = library.text(lease)
        open_one = replace(
            found(lease, SECOND, text, Severity.TO_READ),
            possible_severity=Severity.HIGH,
            reason=WHY,
        )
        apart = replace(absent(lease, THIRD), state=CellState.TO_READ, severity=Severity.TO_READ)
        cells: list[Finding] = [
            found(lease, FIRST, text, Severity.HIGH), open_one, apart, failed(lease, FOURTH),
            *(absent(lease, each.id) for each in BOOK.provisions[4:]),
        ]  # fmt: skip
        fill(library, BOOK, cells)
    return lease


def _mark(room: Room, document: str, provision: str, **said: str) -> None:
    body = {"document": document, "provision": provision, **said}
    headers = {"X-CSRF-Token": room.token()}
    answer = room.client.post("/api/v1/findings/mark", json=body, headers=headers)
    assert answer.status_code == 200, answer.text


def _items(room: Room, query: str = "") -> list[dict[str, Any]]:
    answer = room.client.get(f"/api/v1/to-do{query}")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_what_waits_comes_in_order_and_says_why(room: Room) -> None:
    lease = _fill(room)
    items = _items(room)
    assert [(each["provision"], each["reason"]) for each in items] == [
        (FIRST, "high"), (SECOND, "possible_high"), (THIRD, "to_read"), (FOURTH, "failed"),
    ]  # fmt: skip
    assert items[1]["explanation"] == WHY
    assert items[3]["explanation"] == "It took too long. Try again."
    _mark(room, lease, FIRST, state="confirmed")
    _mark(room, lease, FIFTH, state="second_look", comment="Ask the landlord.")
    items = _items(room)
    assert items[0]["provision"] == FIFTH
    assert items[0]["explanation"] == "Ada asked for a second look: Ask the landlord."
    assert FIRST not in {each["provision"] for each in items}
    assert [each["provision"] for each in _items(room, "?reason=failed")] == [FOURTH]


def test_what_is_assigned_to_me_comes_first(room: Room) -> None:
    lease = _fill(room)
    with room.app.state.server.connection_pool.library() as library:
        for by, provision, to in (("Bram", THIRD, "ada"), ("Ada", FIRST, "Bram")):
            given = NewAnnotation(by, comment=assignment(to))
            annotate_finding(library, BOOK, lease, provision, given)
    assert [each["provision"] for each in _items(room)] == [THIRD, SECOND, FOURTH, FIRST]
    assert [each["provision"] for each in _items(room, "?assigned=Bram")] == [FIRST]
    assert [each["provision"] for each in _items(room, "?assigned=-")] == [SECOND, FOURTH]
    page = room.client.get("/to-do?for=Bram").text
    assert "1 finding to look at" in page


def test_what_waits_for_another_reason_is_among_the_assigned(room: Room) -> None:
    lease = _fill(room)
    with room.app.state.server.connection_pool.library() as library:
        given = NewAnnotation("Bram", comment=assignment("ada"))
        annotate_finding(library, BOOK, lease, FOURTH, given)
    (item,) = _items(room, "?reason=assigned")
    assert (item["provision"], item["reason"], item["assigned"]) == (FOURTH, "failed", "ada")
    page = room.client.get("/to-do?why=assigned").text
    assert "Assigned (1)" in page
    assert "Failed (1)" in page
    assert "1 finding to look at" in page
    assert "ada (1)" in page
    assert [each["provision"] for each in _items(room, "?reason=failed")] == [FOURTH]


def test_all_that_is_assigned_is_listed_however_low(room: Room) -> None:
    lease = _fill(room)
    low = BOOK.provisions[5].id
    with room.app.state.server.connection_pool.library() as library:
        given = NewAnnotation("Bram", comment=assignment("ada", "The last one."))
        annotate_finding(library, BOOK, lease, low, given)
    (item,) = _items(room, "?assigned=ada")
    assert (item["provision"], item["reason"], item["severity"]) == (low, "assigned", "none")
    assert item["explanation"] == "Bram asked ada: The last one."
    counts = room.client.get("/api/v1/reviews/counts?collection=Mill").json()
    assert counts["to_do"] == len(_items(room)) == 5
    with room.app.state.server.connection_pool.library() as library:
        review = load_review(library, BOOK, collection="Mill")
    assert count_findings(review.findings) == FindingCounts(**counts)
    _mark(room, lease, low, state="confirmed")
    assert _items(room, "?assigned=ada") == []
    with room.app.state.server.connection_pool.library() as library:
        annotate_finding(library, BOOK, lease, low, given)  # once more, after the check
    (item,) = _items(room, "?assigned=ada")
    assert (item["provision"], item["reason"]) == (low, "assigned")


def test_what_an_open_question_could_make_high_waits_and_is_counted_everywhere(room: Room) -> None:
    lease = _fill(room)
    with room.app.state.server.connection_pool.library() as library:
        graver = replace(
            found(lease, FIFTH, library.text(lease), Severity.MEDIUM),
            possible_severity=Severity.HIGH,
            open_questions=("price", "who"),
            reason=f"An end at will. {WHY}",
        )
        fill(library, BOOK, [graver])
    (item,) = [each for each in _items(room, "?reason=possible_high") if each["provision"] == FIFTH]
    assert (item["severity"], item["open_questions"]) == ("medium", 2)
    assert "Could be high: 2 open questions" in room.client.get("/to-do").text
    sent = room.client.get("/api/v1/reviews/counts?collection=Mill").json()
    assert (sent["medium"], sent["medium_possible_high"], sent["to_read_possible_high"]) == (
        1,
        1,
        1,
    )
    assert sent["to_do"] == len(_items(room)) == 5
    grid = room.client.get("/reviews/grid?c=Mill&p=due-diligence").text
    assert "medium severity, could be high" in grid
    assert "1 could be high</a>, depending on an open question" in grid
    finding = room.client.get(f"/reviews/cell?c=Mill&p=due-diligence&d={lease}&v={FIFTH}").text
    assert "Found, medium, could be high: 2 open questions" in finding
    with room.app.state.server.connection_pool.library() as library:
        review = load_review(library, BOOK, collection="Mill")
    assert count_findings(review.findings) == FindingCounts(**sent)
    steps = " ".join(run.text for step in _steps(ReportMaterial(Grid(review))) for run in step)
    medium = "1 finding of medium severity that could be high"
    assert f"2 findings to be read (1 could be high) and {medium}" in steps
    _mark(room, lease, FIFTH, severity="low")
    sent = room.client.get("/api/v1/reviews/counts?collection=Mill").json()
    assert (sent["medium"], sent["medium_possible_high"]) == (0, 0)


def test_a_finding_leads_to_the_next_even_once_it_is_checked(room: Room) -> None:
    lease = _fill(room)
    links = re.findall(r'href="(/reviews/cell[^"]+)"', room.client.get("/to-do").text)
    opened = room.client.get(links[0].replace("&amp;", "&")).text
    following = re.search(r'id="next" href="([^"]+)"', opened)
    assert following
    _mark(room, lease, FIRST, state="confirmed")
    there = room.client.get(following[1].replace("&amp;", "&")).headers["location"]
    assert f"v={SECOND}" in there
    at_end = room.client.get("/to-do/next?after=&why=second_look")
    assert at_end.headers["location"] == "/to-do?why=second_look"


def test_contracts_that_wait_for_one_cause_are_one_line(room: Room) -> None:
    names = [f"lease {number}" for number in range(10)]
    room.put({f"{name}.txt": f"{name.upper()}\n\n{LEASE}" for name in names})
    leases = [room.document(name) for name in names]
    with room.app.state.server.connection_pool.library() as library:
        cells: list[Finding] = []
        for number, lease in enumerate(leases):
            text = library.text(lease)
            asked = replace(
                found(lease, SECOND, text, Severity.TO_READ),
                possible_severity=Severity.HIGH,
                open_questions=("price",),
                reason=WHY,
            )
            high = replace(found(lease, FIRST, text, Severity.HIGH), reason=f"Reason {number}.")
            cells += [high, asked, *(absent(lease, each.id) for each in BOOK.provisions[2:])]
        fill(library, BOOK, cells)
        annotate_finding(
            library, BOOK, leases[3], SECOND, NewAnnotation("Bram", comment=assignment("Eve"))
        )
    page = room.client.get("/to-do").text
    assert "20 findings to look at" in page
    listed = page[page.index('id="waiting"') :]
    assert listed.count("<details>") == 2
    for count in (10, 9):
        assert listed.count(f"<span>{count} contracts</span>") == 1
    assert listed.count(escape(WHY)) == 2  # of all nine, and of what is assigned to Eve
    assert [f"Reason {number}." in listed for number in range(10)] == [True] * 4 + [False] * 6
    links = [unescape(each) for each in re.findall(r'href="(/to-do[^"]+)"', listed)]
    opened = room.client.get(links[0]).text
    assert "10 findings to look at" in opened
    assert "<details>" not in opened[opened.index('id="waiting"') : opened.index("What is listed")]
    assert "Reason 9." in opened
    assert "9 findings to look at" in room.client.get(links[1]).text
    assert len(_items(room, f"?provision={FIRST}&playbook={BOOK.id}")) == 10
    assert _items(room, f"?provision={FIRST}&playbook=other") == []
    cell = unescape(re.findall(r'href="(/reviews/cell[^"]+)"', listed)[0])
    following = re.search(r'id="next" href="([^"]+)"', room.client.get(cell).text)
    assert following
    there = room.client.get(unescape(following[1])).headers["location"]
    assert f"d={leases[1]}" in there
    assert f"v={FIRST}" in there


def test_a_list_goes_on_after_its_cursor(room: Room) -> None:
    _fill(room)
    first = room.client.get("/api/v1/to-do?limit=3").json()
    rest = room.client.get("/api/v1/to-do", params={"cursor": first["next"]}).json()
    assert [len(first["items"]), len(rest["items"]), rest["next"]] == [3, 1, None]
    assert room.client.get("/api/v1/to-do?cursor=x").status_code == 400


def test_grid_reports_and_programs_count_alike(room: Room) -> None:
    lease = _fill(room)
    _mark(room, lease, SECOND, state="confirmed")
    sent = room.client.get("/api/v1/reviews/counts?collection=Mill").json()
    assert (sent["high"], sent["to_read"], sent["failed"], sent["to_do"]) == (1, 2, 1, 3)
    assert (sent["to_read_found"], sent["to_read_apart"], sent["to_read_checked"]) == (1, 1, 1)
    with room.app.state.server.connection_pool.library() as library:
        review = load_review(library, BOOK, collection="Mill")
    material = ReportMaterial(Grid(review))
    assert count_findings(review.findings) == FindingCounts(**sent)
    assert "1 of" in status(material)
    steps = " ".join(run.text for step in _steps(material) for run in step)
    assert "2 findings to be read" in steps
    listed = room.client.get("/api/v1/findings?collection=Mill&limit=200").json()["items"]
    assert sum(each["severity"] == "to_read" for each in listed) == sent["to_read"]
    page = room.client.get("/reviews/grid?c=Mill&p=due-diligence").text
    counted = page[page.index("What is counted") :]
    assert "To be read 2" in counted
    assert "1 finding with an open question, 1 where a clause was set apart" in " ".join(
        counted.split()
    )


def test_only_shown_columns_are_counted_above_the_grid(room: Room) -> None:
    _fill(room)
    page = room.client.get(f"/reviews/grid?c=Mill&p=due-diligence&show={FIRST}").text
    assert "Of the columns shown" in page
    assert "To be read 0" in page


def test_the_list_holds_nothing_of_a_collection_behind_the_wall(
    make_room: Callable[..., Room],
) -> None:
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        accounts.add("bram", "a long enough password 1", by="test")
        accounts.grant("bram", Role.REVIEWER, "Elm", by="test")
    _fill(room, "Mill")
    room.put({"supply.txt": SUPPLY}, "Elm")
    sent = {"name": "bram", "password": "a long enough password 1"}
    assert room.client.post("/sign-in", data=sent).status_code == 303
    assert _items(room) == []
    page = room.client.get("/to-do").text
    assert "0 findings to look at" in page
    assert "Mill" not in page
    hidden = room.client.get("/api/v1/to-do?collection=Mill")
    missing = room.client.get("/api/v1/to-do?collection=Nill")
    assert hidden.status_code == missing.status_code == 404
    assert hidden.text.replace("Mill", "Nill") == missing.text
