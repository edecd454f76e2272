"""The page of a finding: its clauses once, one form for all that may be changed, and its faults."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from fourcorners.playbooks.load import load_playbook
from fourcorners.review.annotations import assignee
from fourcorners.review.finding import SearchRecord
from fourcorners.review.people import review_actions
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.server.conftest import LEASE, Room
from tests.server.grids import WORDS, absent, fill, found

BOOK = load_playbook("due-diligence")
CELL, OTHER = "assignment", "insurance"
PARTIAL = {"HX-Request": "true"}


@pytest.fixture
def lease(room: Room) -> str:
    room.put({"lease.txt": LEASE})
    document = room.document("lease")
    with room.app.state.server.connection_pool.library() as library:
        fill(library, BOOK, [found(document, CELL, library.text(document))])
        fill(library, BOOK, [absent(document, OTHER)])
    return document


def show(room: Room, document: str, provision: str = CELL) -> str:
    place = f"c=Mill&p=due-diligence&d={document}&v={provision}"
    return unescape(room.client.get(f"/reviews/cell?{place}").text)


def save(room: Room, document: str, **said: Any) -> Any:
    place = {"c": "Mill", "p": "due-diligence", "d": document, "v": CELL}
    data = {"csrf": room.token(), **place, **said}
    return room.client.post("/reviews/mark", data=data, headers=PARTIAL)


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_each_clause_is_shown_once_without_its_number_and_names_what_rests_on_it(
    room: Room, lease: str
) -> None:
    with room.app.state.server.connection_pool.library() as library:
        text = library.text(lease)
        cell = found(lease, CELL, text)
        start = text.index("2.2 The Landlord")
        second = Span(start, text.index(".", start + 5) + 1)
        quote = Quote(second.text_in(text), second, Match.EXACT)
        one = replace(
            cell.evidence[0], clause=Span(text.index("2.1 The"), cell.evidence[0].clause.end)
        )
        one = replace(one, path=("2 Ending", "2.1"))
        again = replace(one, score=0.5)
        two = replace(one, quote=quote, clause=second, path=("2 Ending", "2.2"), score=0.4)
        answers = (*cell.answers, replace(cell.answers[0], id="what", quotes=(quote,)))
        fill(library, BOOK, [replace(cell, evidence=(one, again, two), answers=answers)])
    page = show(room, lease)
    shown = page[page.index("In the contract") : page.index("Correct the wording")]
    assert shown.count(WORDS) == 1
    assert shown.count("may not assign this lease") == 1
    assert "<blockquote><mark>The Tenant may end" in shown
    assert "<blockquote><mark>The Landlord may not assign" in shown
    assert shown.count('class="in-context"') == 2
    assert re.search(r'See <a href="#clause-1">clause 2.1</a>', shown)
    assert re.search(r'See <a href="#clause-2">clause 2.2</a>', shown)
    assert "Basis for: tenant may end it" in words(shown)


def test_words_that_only_an_answer_quotes_are_shown_as_a_clause(room: Room, lease: str) -> None:
    with room.app.state.server.connection_pool.library() as library:
        text = library.text(lease)
        cell = found(lease, CELL, text)
        start = text.index("1.1 The Term")
        span = Span(start, text.index(".", start + 5) + 1)
        quote = Quote(span.text_in(text), span, Match.EXACT)
        fill(library, BOOK, [replace(cell, answers=(replace(cell.answers[0], quotes=(quote,)),))])
    page = show(room, lease)
    assert page.count("The Term is five years from 1 May 2024.</mark>") == 1
    assert 'href="#clause-2"' in page


def test_one_form_saves_all_that_was_changed_in_it(room: Room, lease: str) -> None:
    form = show(room, lease)
    form = form[form.index('<form id="edit"') : form.index("<h3>History</h3>")]
    assert form.count("<button") == 1
    for name in ("value", "severity", "comment", "to"):
        assert f'name="{name}"' in form
    unchanged = {
        "value": f"{WORDS}\r\n", "value_was": WORDS, "severity": "none", "severity_was": "none",
        "question": ["effect", "breach"], "answer": ["", "void"], "was": ["", "void"],
        "comment": "", "to": "",
    }  # fmt: skip
    refused = save(room, lease, **unchanged)
    assert refused.status_code == 400
    assert (
        words(refused.text)
        == "There is nothing to save. Change something first, or write a comment."
    )
    assert '<p class="problem" role="alert" data-field="comment">' in refused.text
    changed = {
        "severity": "high",
        "comment": "A trap.",
        "to": "Bram",
        "answer": ["consent", "void"],
    }
    assert save(room, lease, **{**unchanged, **changed}).status_code == 200
    with room.app.state.server.connection_pool.library() as library:
        cell = review_actions.load_finding(library, BOOK, lease, CELL)
    (said,) = cell.remarks
    assert (said.state, said.value) == ("corrected", "")
    assert [(each.id, each.value) for each in said.answers] == [("effect", "consent")]
    assert (cell.severity.value, cell.severity_by) == ("high", said.by)
    assert (said.comment, assignee(cell.remarks)) == ("@Bram: A trap.", "Bram")


@pytest.mark.parametrize(
    ("said", "field", "sentence"),
    [
        ({"question": "effect", "answer": "maybe"}, "effect", "is not one of its answers"),
        ({"to": "Bram: Miller", "comment": "x"}, "to", "no colon"),
        ({"comment": "x" * 10_001}, "", "10000 or fewer characters"),
    ],
)
def test_a_refusal_is_one_sentence_that_names_its_field(
    room: Room, lease: str, said: dict[str, str], field: str, sentence: str
) -> None:
    refused = save(room, lease, **said)
    assert refused.status_code == 400
    assert "<html" not in refused.text
    assert sentence in words(refused.text)
    assert (f'data-field="{field}"' in refused.text) is bool(field)


def test_the_closest_passage_never_looks_like_evidence(room: Room, lease: str) -> None:
    with room.app.state.server.connection_pool.library() as library:
        best = found(lease, CELL, library.text(lease)).evidence[0]
        fill(
            library, BOOK, [replace(absent(lease, OTHER), searched=SearchRecord("", 9, 0.5, best))]
        )
    page = show(room, lease, OTHER)
    assert "Not found in the 9 passages searched." in words(page)
    assert "Closest passage, not a match" in page
    figure = page[page.index('<figure class="in-context near"') : page.index("</figure>")]
    assert WORDS in figure
    assert "<mark" not in figure
    assert "Not evidence" in figure
    address = re.search(r'<a href="(/d/[^"#]+)', figure)
    assert address
    assert "near=1" in address[1]
    for path in (address[1], address[1].replace("?", "/view?")):
        contract = room.client.get(path).text
        assert 'class="set near"' in contract
        assert "Closest passage, not a match" in contract
    assert 'class="set near"' not in room.client.get(address[1].replace("near=1", "")).text
