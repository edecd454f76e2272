"""The review grid, its panel, and what people say of findings, through pages."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from html import unescape
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest

from fourcorners.errors import ConfigError
from fourcorners.operations.reviewing import findings as day
from fourcorners.outline.card.card import Card, Value
from fourcorners.playbooks.load import load_playbook
from fourcorners.review import run
from fourcorners.review.finding import Finding, Severity
from fourcorners.review.parties import set_side
from fourcorners.review.risk.term_dates import dated_rules
from fourcorners.review.store import cell_excerpts
from fourcorners.text.span import Span
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import WORDS, absent, failed, fill, found

BOOK = load_playbook("due-diligence")
FIRST, SECOND, THIRD = (provision.id for provision in BOOK.provisions[:3])
GRID = "/reviews/grid?c=Mill&p=due-diligence"


@pytest.fixture
def mill(room: Room) -> Room:
    """Two contracts with three columns filled, and all others not found."""
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    lease, supply = room.document("lease"), room.document("supply")
    cells: list[Finding] = []
    for document in (lease, supply):
        cells += [absent(document, provision.id) for provision in BOOK.provisions[3:]]
    with room.app.state.server.connection_pool.library() as library:
        text = library.text(lease)
        fill(library, BOOK, [
            *cells,
            found(lease, FIRST, text, Severity.HIGH), found(lease, SECOND, text),
            absent(lease, THIRD), absent(supply, FIRST), failed(supply, SECOND),
            absent(supply, THIRD),
        ])  # fmt: skip
    return room


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def look(page: str, document: str, provision: str) -> str:
    row = page[page.index(f'data-d="{document}"') :]
    cell = re.search(rf'<td class="c ([^"]*)" data-v="{provision}"', row)
    assert cell
    return cell[1]


def cell_words(page: str, document: str, provision: str) -> str:
    row = page[page.index(f'data-d="{document}"') :]
    cell = re.search(rf'data-v="{provision}".*?</td>', row)
    assert cell
    return words(f"<{cell[0]}")


def mark(room: Room, document: str, provision: str, **said: str) -> str:
    answer = room.client.post("/reviews/mark", data={
        "csrf": room.token(), "c": "Mill", "p": "due-diligence", "d": document, "v": provision,
        **said,
    })  # fmt: skip
    assert answer.status_code == 303, words(answer.text)
    return str(answer.headers["location"])


def test_the_grid_shows_every_cell_with_its_state_in_words(mill: Room) -> None:
    page = mill.client.get(GRID).text
    lease, supply = mill.document("lease"), mill.document("supply")
    assert look(page, lease, FIRST) == "found s-high r-proposed"
    assert look(page, supply, SECOND) == "failed s-none r-proposed"
    assert f"{BOOK.provisions[0].name}: Tenant may end it, high severity" in unescape(page)
    assert f"{BOOK.provisions[2].name}: not found" in unescape(page)
    assert page.count('<td class="c ') == 2 * len(BOOK.provisions)
    assert f"<strong>Tenant may end it.</strong> {WORDS}" in unescape(page)
    assert not re.search(r"<span>Found</span>", page)


def cells_with(room: Room, answer: str) -> list[str]:
    """Return the provisions whose cells fit a filter by what they say."""
    page = room.client.get(f"{GRID}&{urlencode({'answer': answer})}").text
    return re.findall(r'<td class="c [^"]*(?<! off)" data-v="([^"]*)"', page)


def test_cells_are_filtered_by_what_their_answers_say(mill: Room) -> None:
    page = mill.client.get(GRID).text
    assert f'<option value="{FIRST}:tenant may end it">Tenant may end it (1)</option>' in page
    assert cells_with(mill, f"{FIRST}:tenant may end it") == [FIRST]
    assert cells_with(mill, f"{FIRST}:tenant may") == []
    assert cells_with(mill, f"{THIRD}:tenant may end it") == []
    lease = mill.document("lease")
    mark(mill, lease, FIRST, says="corrected", value="Only the Landlord may.")
    page = mill.client.get(GRID).text
    assert ">Only the Landlord may.</span>" in page
    assert f'"{FIRST}:tenant may end it"' not in page
    assert cells_with(mill, f"{FIRST}:tenant may end it") == []
    assert cells_with(mill, f"{SECOND}:tenant may end it") == [SECOND]
    mark(mill, lease, SECOND, says="rejected")
    assert cells_with(mill, f"{SECOND}:tenant may end it") == []


def test_words_of_a_contract_cannot_stand_for_what_parts_cells(mill: Room) -> None:
    lease = mill.document("lease")
    with mill.app.state.server.connection_pool.library() as library:
        cell = found(lease, FIRST, library.text(lease))
        answers = [
            replace(each, statement=said)
            for each, said in zip(cell.answers, ('a\x1f\x1e"]', "<b>b</b>"), strict=True)
        ]
        fill(library, BOOK, [replace(cell, answers=tuple(answers))])
    page = mill.client.get(GRID).text
    assert look(page, lease, FIRST) == "found s-none r-proposed"
    assert "&lt;b&gt;b&lt;/b&gt;.</strong>" in page


@pytest.mark.parametrize(
    ("query", "shown", "fit"),
    [
        ("state=failed", ["supply"], 1),
        ("severity=high", ["lease"], 1),
        ("state=found", ["lease"], 2),
        (f"state=found&column={THIRD}", [], 0),
        ("find=SUPPLY", ["supply"], None),
        ("review=confirmed", [], 0),
        ("state=missing", [], 0),
        ("state=nonsense", ["lease", "supply"], None),
    ],
)
def test_filters_keep_the_rows_with_cells_that_fit(
    mill: Room, query: str, shown: list[str], fit: int | None
) -> None:
    page = mill.client.get(f"{GRID}&{query}").text
    kept = [name for name in ("lease", "supply") if f'data-d="{mill.document(name)}"' in page]
    assert kept == shown
    if fit is not None:
        assert f"with {fit} finding" in words(page)


def test_risk_sorts_the_gravest_first_and_a_column_by_itself(mill: Room) -> None:
    lease, supply = (f'data-d="{mill.document(name)}"' for name in ("lease", "supply"))
    by_name = mill.client.get(f"{GRID}&sort=name&down=1").text
    assert by_name.index(supply) < by_name.index(lease)
    page = mill.client.get(f"{GRID}&sort=risk&down=1").text
    assert page.index(lease) < page.index(supply)
    inside = mill.client.get(f"{GRID}&sort=risk&column={SECOND}").text
    assert inside.index(lease) < inside.index(supply)  # neither is grave there


def test_a_column_sorts_by_what_its_cells_say(room: Room) -> None:
    said = {
        "a.txt": ("notice of 1 year", "P1Y"), "b.txt": ("notice of 30 days", "P30D"),
        "c.txt": ("notice of 2 weeks", "P14D"), "d.txt": ("", ""),
    }  # fmt: skip
    room.put({name: f"{LEASE}\nCopy {name}" for name in said})
    with room.app.state.server.connection_pool.library() as library:
        cells = []
        for name, (statement, value) in said.items():
            cell = found(document := room.document(name), FIRST, library.text(document))
            answer = replace(cell.answers[0], statement=statement, value=value)
            cells.append(replace(cell, answers=(answer,)))
        fill(library, BOOK, cells)
    places = {room.document(name): name[0] for name in said}

    def order(query: str) -> str:
        page = room.client.get(f"{GRID}&{query}").text
        return "".join(places[each] for each in re.findall(r'<tr data-d="(\w+)"', page))

    assert order(f"sort={FIRST}") == "cbad"
    assert order(f"sort={FIRST}&down=1") == "abcd"
    mark(room, room.document("b"), FIRST, says="corrected", value="A month’s notice")
    assert order(f"sort={FIRST}") == "cabd"
    head = unescape(room.client.get(GRID).text)
    assert f'href="/reviews/grid?c=Mill&p=due-diligence&sort={FIRST}"' in head


def test_a_cell_quotes_its_likeliest_words(mill: Room) -> None:
    lease = mill.document("lease")
    with mill.app.state.server.connection_pool.library() as library:
        cell = found(lease, FIRST, text := library.text(lease))
        words = "The Term is five years from 1 May 2024."
        span = Span(text.index(words), text.index(words) + len(words))
        weaker = replace(
            cell.evidence[0],
            quote=replace(cell.evidence[0].quote, words=words, span=span),
            score=0.6,
        )
        fill(library, BOOK, [replace(cell, evidence=(weaker, *cell.evidence), answers=())])
        assert cell_excerpts(library, BOOK, [lease], [FIRST]) == {(lease, FIRST): WORDS}
    assert f"<span>{WORDS}</span>" in unescape(mill.client.get(GRID).text)


def test_the_words_that_a_cell_cuts_are_shown_whole(mill: Room) -> None:
    lease, supply = mill.document("lease"), mill.document("supply")
    with mill.app.state.server.connection_pool.library() as library:
        cell = found(lease, FIRST, text := library.text(lease))
        span = Span(text.index("2.1 The"), text.index("of the Tenant."))
        quote = replace(cell.evidence[0].quote, words=span.text_in(text), span=span)
        whole = replace(cell.evidence[0], quote=quote, clause=span)
        fill(library, BOOK, [replace(cell, evidence=(whole,), answers=())])

    def shown(document: str, provision: str) -> Any:
        place = f"c=Mill&p=due-diligence&d={document}&v={provision}"
        return mill.client.get(f"/reviews/cell/words?{place}").json()

    (whole_words,) = shown(lease, FIRST)
    assert len(whole_words) > 110
    assert whole_words.endswith("without the consent ")
    assert shown(lease, SECOND) == ["Tenant may end it", WORDS]
    assert shown(supply, SECOND) == ["It took too long."]
    mark(mill, lease, SECOND, says="corrected", value="Nobody may end it.")
    assert shown(lease, SECOND)[-1] == "Nobody may end it."


def test_a_cell_begins_at_the_sentence_of_its_answer_after_the_heading(mill: Room) -> None:
    lease = mill.document("lease")
    with mill.app.state.server.connection_pool.library() as library:
        cell = found(lease, FIRST, text := library.text(lease))
        start = text.index("2. Ending")
        span = Span(start, cell.evidence[0].clause.end)
        whole = replace(
            cell.evidence[0],
            quote=replace(cell.evidence[0].quote, words=span.text_in(text), span=span),
            clause=span,
        )
        other = replace(whole, path=("9 Other",))
        for evidence, answers, words in (
            ((whole,), (), WORDS),
            ((whole,), cell.answers, WORDS),
            ((other,), (), span.text_in(text).removeprefix("2. ")),
        ):
            fill(library, BOOK, [replace(cell, evidence=evidence, answers=answers)])
            shown = cell_excerpts(library, BOOK, [lease], [FIRST])[lease, FIRST]
            expected = " ".join(words.split())
            assert shown.rstrip(".…") in expected
            assert shown[:20] == expected[:20]


def test_the_reason_for_a_cell_without_words_is_in_it(mill: Room) -> None:
    lease, supply = mill.document("lease"), mill.document("supply")
    with mill.app.state.server.connection_pool.library() as library:
        grave = replace(
            absent(lease, THIRD),
            severity=Severity.MEDIUM,
            reason="No limit of liability was found.",
        )
        fill(library, BOOK, [grave])
    page = mill.client.get(GRID).text
    assert cell_words(page, lease, THIRD) == "No limit of liability was found."
    assert cell_words(page, supply, THIRD) == "Not found"
    assert cell_words(page, supply, SECOND) == "It took too long."
    mark(mill, lease, THIRD, severity="high")  # by a person, for reasons of their own
    assert cell_words(mill.client.get(GRID).text, lease, THIRD) == "Not found"


def test_rows_say_title_parties_and_date(room: Room) -> None:
    head = (
        "SERVICES AGREEMENT\n\nThis agreement is made on {} between {} and Bram Miller Limited.\n"
    )
    room.put({
        "one.txt": head.format("1 May 2024", "Ada Turner Limited") + LEASE,
        "two.txt": head.format("1 May 2024", "Ada Turner Limited") + LEASE + "2.",
        "three.txt": head.format("3 June 2025", "Cora Weaver Limited") + LEASE,
    })  # fmt: skip
    page = unescape(room.client.get(GRID).text)
    rows = re.findall(r'<th scope="row".*?</th>', page, re.DOTALL)
    with room.app.state.server.connection_pool.library() as library:
        cards = {each.name: library.card(each.id) for each in library.documents()}
    assert all(card.agreement_date and card.parties for card in cards.values())
    told = sorted(words(row).replace(" ,", ",") for row in rows)
    assert told == sorted([
        "Services Agreement Ada Turner / Bram Miller, 1 May 2024, one.txt",
        "Services Agreement Ada Turner / Bram Miller, 1 May 2024, two.txt",
        "Services Agreement Cora Weaver / Bram Miller, 3 June 2025",
    ])  # fmt: skip
    assert any(re.search(r'title="Services[^"]*\nthree.txt"', row) for row in rows)


def test_columns_are_on_and_off(mill: Room) -> None:
    page = mill.client.get(f"{GRID}&show={FIRST}&show={THIRD}").text
    assert page.count('<td class="c ') == 4
    assert f'data-v="{SECOND}"' not in page


def test_rows_come_in_windows(mill: Room) -> None:
    answer = mill.client.get("/reviews/rows?c=Mill&p=due-diligence&start=1&count=1")
    assert answer.headers["X-Rows"] == "2"
    assert f'data-d="{mill.document("supply")}" data-n="2"' in answer.text
    assert mill.document("lease") not in answer.text


def test_windows_have_some_of_the_columns_in_their_places(mill: Room) -> None:
    rows = "/reviews/rows?c=Mill&p=due-diligence&start=0&count=2"
    page = mill.client.get(f"{rows}&left=1&across=2").text
    assert page.count('<td class="c ') == 4
    assert page.count('<td class="away" colspan="1" aria-hidden="true"></td>') == 2
    assert f'data-v="{SECOND}" aria-colindex="4"' in page
    assert f'data-v="{THIRD}" aria-colindex="5"' in page
    first = mill.client.get(f"{rows}&left=0&across=1").text
    assert 'class="away"' not in first
    assert f'data-v="{FIRST}" aria-colindex="3"' in first


def test_the_next_open_finding_is_told_by_its_place(mill: Room) -> None:
    following = "/reviews/next?c=Mill&p=due-diligence"
    assert mill.client.get(following).json() == {"row": 0, "column": 0}
    assert mill.client.get(f"{following}&row=0&column=0").json() == {"row": 0, "column": 1}
    assert mill.client.get(f"{following}&row=0&column=1").json() is None
    assert mill.client.get(f"{following}&severity=high&row=0&column=0").json() is None
    assert mill.client.get(f"{following}&show={SECOND}").json() == {"row": 0, "column": 0}
    place = f"/reviews/cell/next?c=Mill&p=due-diligence&d={mill.document('lease')}"
    goes = mill.client.get(f"{place}&v={FIRST}").headers["location"]
    assert goes.endswith(f"&d={mill.document('lease')}&v={SECOND}")
    assert mill.client.get(f"{place}&v={SECOND}").headers["location"] == GRID
    down = mill.client.get(f"{following}&sort=name&down=1").json()
    assert down == {"row": 1, "column": 0}
    mark(mill, mill.document("lease"), FIRST, says="confirmed")
    assert mill.client.get(following).json() == {"row": 0, "column": 1}


def test_cells_that_are_filled_again_or_leave_change_in_the_grid(mill: Room) -> None:
    lease, supply = mill.document("lease"), mill.document("supply")
    assert look(mill.client.get(GRID).text, lease, SECOND) == "found s-none r-proposed"
    with mill.app.state.server.connection_pool.library() as library:
        fill(library, BOOK, [found(lease, SECOND, library.text(lease), Severity.MEDIUM)])
    assert look(mill.client.get(GRID).text, lease, SECOND) == "found s-medium r-proposed"
    with mill.app.state.server.connection_pool.library() as library:
        library.remove(supply)
        kept = library.execute("SELECT DISTINCT document FROM review_summaries")
    assert kept == [(lease,)]
    assert supply not in mill.client.get(GRID).text


def test_the_panel_has_quote_reason_answers_and_what_cuts_the_other_way(mill: Room) -> None:
    lease = mill.document("lease")
    page = mill.client.get(f"/reviews/cell?c=Mill&p=due-diligence&d={lease}&v={FIRST}").text
    assert f"<mark>{WORDS}</mark>" in unescape(page)
    before, _, fold = words(page).partition("How this was found")
    told = (
        "Tenant may end it", "In the contract", WORDS, "2. Ending", "Who may end it? The tenant",
        "Against this: The landlord must consent to more.", "Open questions",
        "For what price? (two clauses differ)", "An end at will.",
    )  # fmt: skip
    places = [before.index(each) for each in told]
    assert places == sorted(places)
    assert not re.search(r"\d%|characters", before)
    for each in ("90% likely", "counts as found from a likelihood of 50%", "97% likely"):
        assert each in fold
    partial = mill.client.get(
        f"/reviews/cell?c=Mill&p=due-diligence&d={lease}&v={FIRST}",
        headers={"HX-Request": "true"},
    ).text
    assert "<html" not in partial
    assert 'id="finding"' in partial


def test_what_people_say_is_kept_and_shown_at_once(mill: Room) -> None:
    lease = mill.document("lease")
    mill.client.get(GRID)  # the grid is in memory from here on
    where = mark(mill, lease, FIRST, says="confirmed", comment="As we knew.")
    assert "Ada confirmed" in words(mill.client.get(where).text)
    assert "r-confirmed" in look(mill.client.get(GRID).text, lease, FIRST)
    mark(mill, lease, SECOND, says="rejected")
    assert "r-rejected" in look(mill.client.get(GRID).text, lease, SECOND)
    mark(mill, lease, SECOND, says="proposed")
    assert "r-proposed" in look(mill.client.get(GRID).text, lease, SECOND)
    mark(mill, lease, FIRST, says="corrected", value="The Landlord may not assign this lease")
    assert "The Landlord may not assign this lease" in mill.client.get(GRID).text
    assert "r-corrected" in look(mill.client.get(f"{GRID}&review=corrected").text, lease, FIRST)
    with mill.app.state.server.connection_pool.library() as library:
        told = [each.detail for each in library.audit_trail() if each.event == "remark"]
    assert len(told) == 4
    assert all('"Ada"' in each for each in told)


def test_a_finding_is_given_to_someone_until_it_is_judged(mill: Room) -> None:
    lease = mill.document("lease")
    mark(mill, lease, FIRST, to="Bram  Miller", comment="is this a cap?")
    page = mill.client.get(f"{GRID}&assigned=bram miller").text
    assert "@Bram Miller" in page
    assert f'data-d="{mill.document("supply")}"' not in page
    mark(mill, lease, FIRST, says="confirmed")
    assert "@Bram Miller" not in mill.client.get(GRID).text


def test_what_cannot_be_said_is_refused_with_the_reason(mill: Room) -> None:
    supply = mill.document("supply")
    answer = mill.client.post("/reviews/mark", data={
        "csrf": mill.token(), "c": "Mill", "p": "due-diligence", "d": supply, "v": SECOND,
        "says": "confirmed",
    })  # fmt: skip
    assert answer.status_code == 400
    assert "there is nothing to confirm" in answer.text
    no_token = mill.client.post("/reviews/mark", data={
        "c": "Mill", "p": "due-diligence", "d": supply, "v": SECOND, "says": "second_look",
    })  # fmt: skip
    assert no_token.status_code == 403


def test_selected_rows_are_confirmed_at_once_and_nothing_judged_is_touched(mill: Room) -> None:
    lease, supply = mill.document("lease"), mill.document("supply")
    mark(mill, lease, SECOND, says="rejected")
    sent = {"csrf": mill.token(), "back": "c=Mill&p=due-diligence", "findings": "1"}
    answer = mill.client.post("/reviews/mark-many", data={**sent, "row": [lease, supply]})
    assert answer.status_code == 303
    page = mill.client.get(GRID).text
    assert "r-confirmed" in look(page, lease, FIRST)
    assert "r-rejected" in look(page, lease, SECOND)
    assert "r-proposed" in look(page, lease, THIRD)
    assert "r-proposed" in look(page, supply, SECOND)
    assert mill.client.post("/reviews/mark-many", data=sent).status_code == 400


def test_a_review_is_begun_fills_the_grid_and_is_listed(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    assert "Nothing has been reviewed yet" in room.client.get("/reviews").text
    sent = {"csrf": room.token(), "c": "Mill", "p": "due-diligence"}
    answer = room.client.post("/reviews", data=sent)
    assert answer.status_code == 303
    task = re.search(r"/tasks/(\w+)", room.client.get(answer.headers["location"]).text)
    if task:
        room.settle(task[1])
    page = room.client.get(answer.headers["location"]).text
    assert 'class="c missing"' not in page
    assert "Mill" in words(room.client.get("/reviews").text)
    assert room.client.post("/reviews", data={**sent, "p": "../x"}).status_code == 404


def test_a_review_that_failed_gives_its_reason_and_continues(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})
    sent = {"csrf": room.token(), "c": "Mill", "p": "due-diligence"}

    def fail(*_: object, **__: object) -> None:
        raise ConfigError("the disk is full.", remedy="Free some space.")

    def review(done: Callable[..., object]) -> None:
        monkeypatch.setattr(run, "fill_review", done)
        room.client.post("/reviews", data=sent)
        room.settle(room.client.get("/api/v1/tasks").json()["items"][0]["id"])

    review(fail)
    for address in (GRID, "/reviews/progress?c=Mill&p=due-diligence", "/to-do", "/to-do?c=Mill"):
        page = room.client.get(address).text
        assert "review stopped: the disk is full." in words(page), address
        assert "Free some space." in words(page)
        assert "Continue the review" in page
    review(lambda *_, **__: SimpleNamespace(documents=[]))
    assert "review stopped" not in words(room.client.get(GRID).text)
    assert "review stopped" not in words(room.client.get("/to-do").text)


def test_a_review_is_begun_for_a_party(mill: Room) -> None:
    grid = words(mill.client.get(GRID).text)
    assert "No client selected: clauses are not marked as ours or theirs." in grid
    assert "reviewed for another party" not in grid
    assert "name the party you act for" in mill.client.get("/c/Mill").text
    page = mill.client.get("/reviews?c=Mill").text
    assert '<option value="Ada Turner Limited">1 contract</option>' in page
    sent = {"csrf": mill.token(), "c": "Mill", "p": "due-diligence"}
    wrong = mill.client.post("/reviews", data={**sent, "for": ["Dogwood Ltd", ""]})
    assert wrong.status_code == 400
    assert "has a party called" in words(wrong.text)
    assert "Ada Turner Limited" in words(wrong.text)
    with mill.app.state.server.connection_pool.library() as library:
        set_side(library, "Mill", ["Tenant"])
    grid = words(mill.client.get(GRID).text)
    assert "Acting for Tenant , not a party to 1 contract ." in grid
    assert "1 contract was reviewed for another party: review again." in grid
    mill.client.post("/reviews", data={**sent, "for": ["Ada Turner Limited", ""]})
    (task,) = re.findall(r"/tasks/(\w+)", mill.client.get("/").text)
    mill.settle(task)
    grid = words(mill.client.get(GRID).text)
    assert "Acting for Ada Turner Limited , not a party to 1 contract . Change" in grid
    assert "reviewed for another party" not in grid
    assert 'value="Ada Turner Limited"' in mill.client.get("/reviews/side?c=Mill").text
    assert "acting for <bdi>Ada Turner Limited</bdi>" in mill.client.get("/").text
    mill.client.post("/reviews", data=sent)  # a form that does not ask changes nothing
    assert "Acting for Ada Turner Limited" in words(mill.client.get(GRID).text)
    mill.client.post("/reviews", data={**sent, "for": ["", ""]})
    assert "No client selected" in words(mill.client.get(GRID).text)


@pytest.mark.parametrize("form", ["xlsx", "html", "json", "docx", "flags.docx"])
def test_a_review_is_had_as_a_file(mill: Room, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = mill.folder / "temporary"
    left = temporary / ".fourcorners.1234abcd.partial"  # by a server that was killed
    left.mkdir(parents=True)
    (left / "lock").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    answer = mill.client.get(f"/reviews/export?c=Mill&p=due-diligence&as={form}")
    assert answer.status_code == 200, words(answer.text)
    assert "attachment" in answer.headers["content-disposition"]
    assert str(mill.folder).encode() not in answer.content
    assert not list(temporary.iterdir())
    assert mill.client.get("/reviews/export?c=Mill&p=due-diligence&as=exe").status_code == 404


def test_walls_stand_between_collections(mill: Room) -> None:
    assert mill.client.get("/reviews/grid?c=Elsewhere&p=due-diligence").status_code == 404
    assert mill.client.get("/reviews/grid?c=Mill&p=/etc/passwd").status_code == 404
    away = mill.client.get(f"/reviews/cell?c=Mill&p=due-diligence&d=0123456789abcdef&v={FIRST}")
    assert away.status_code == 404


def test_the_page_needs_no_inline_script_or_style(mill: Room) -> None:
    for address in ("/reviews", GRID):
        page = mill.client.get(address).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert " style=" not in page
        assert not re.search(r"\son\w+=", page)


def many(room: Room, **more: Any) -> Any:
    """Send the form that marks many findings at once, and return the answer."""
    data = {"back": "c=Mill&p=due-diligence", "which": "found", "says": "confirmed", **more}
    return room.client.post("/reviews/mark-many", data={**data, "csrf": room.token(GRID)})


def counted(room: Room, **more: Any) -> Any:
    """Ask how many findings would be marked at once, and return the answer."""
    data = {"back": "c=Mill&p=due-diligence", "which": "found", **more}
    return room.client.post("/reviews/mark-many/count", data={**data, "csrf": room.token(GRID)})


def test_all_that_the_filters_show_are_marked_and_nothing_else(mill: Room) -> None:
    assert counted(mill, all="2").json()["findings"] == 2
    assert counted(mill, all="2", which="both").json() == {
        "rows": 2, "findings": 2 * len(BOOK.provisions) - 1, "most": 2_000,
    }  # fmt: skip
    grave = "c=Mill&p=due-diligence&severity=high"
    assert counted(mill, all="1", back=grave).json()["findings"] == 1
    assert many(mill, all="1", findings="1", back=grave).status_code == 303
    page = mill.client.get(GRID).text
    lease = mill.document("lease")
    assert "r-confirmed" in look(page, lease, FIRST)
    assert "r-proposed" in look(page, lease, SECOND)  # found, and not of high severity


def test_of_all_those_that_were_taken_out_again_stay(mill: Room) -> None:
    lease = mill.document("lease")
    assert counted(mill, all="2", row=lease).json()["findings"] == 0
    rest = len(BOOK.provisions) - 1  # one failed
    assert many(mill, all="2", row=lease, which="both", findings=str(rest)).status_code == 303
    page = mill.client.get(GRID).text
    assert "r-proposed" in look(page, lease, FIRST)
    assert "r-confirmed" in look(page, mill.document("supply"), FIRST)


def test_nothing_is_marked_where_it_is_not_what_was_counted(mill: Room) -> None:
    assert many(mill, all="3").status_code == 409
    assert counted(mill, all="3").status_code == 409
    assert many(mill, all="2", findings="7").status_code == 409
    assert "r-confirmed" not in mill.client.get(GRID).text


def test_a_term_that_ends_is_as_grave_in_the_grid_as_in_a_report_of_the_day(
    mill: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    (provision,) = [each for each in BOOK.provisions if dated_rules(each)][:1]
    over = next(rule for rule in dated_rules(provision) if not rule.ends_within)
    lease, end = mill.document("lease"), date(2026, 3, 1)
    with mill.app.state.server.connection_pool.library() as library:
        cell = found(lease, provision.id, library.text(lease), Severity.NONE)
        fill(library, BOOK, [replace(cell, answers=())])
    card = Card(values=(Value("end", end.isoformat(), Span(0, 1), 1.0, asserted=True),))
    monkeypatch.setattr("fourcorners.library.store.Library.card", lambda *_: card)
    for today, severity in ((end - timedelta(days=400), "none"), (end + timedelta(days=1),
                                                                over.severity)):  # fmt: skip
        monkeypatch.setattr(day, "current_date", lambda today=today: today)
        page = mill.client.get(GRID).text
        assert f"s-{severity} " in look(page, lease, provision.id) + " "
        told = mill.client.get("/api/v1/findings?collection=Mill&limit=200").json()["items"]
        (each,) = [
            one for one in told if (one["document"], one["provision"]) == (lease, provision.id)
        ]
        assert each["severity"] == severity
        fits = mill.client.get(f"{GRID}&severity={over.severity}&column={provision.id}").text
        assert ("lease.txt" in fits.split('id="grid"')[1]) is (severity == over.severity)
    href = f"/reviews/cell?c=Mill&p=due-diligence&d={lease}&v={provision.id}"
    assert "The term ended on 2026-03-01." in words(mill.client.get(href).text)
