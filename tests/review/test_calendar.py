"""What is coming up in a library of invented contracts: facts apart from what is to be read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.card.term import Standing
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.review.calendar import Timeline, due_dates, list_timelines
from tests.review.conftest import document
from tests.review.dated import AMENDMENT, ENDS, RENEWS, VAGUE, contract

CEDAR = contract(ENDS, dated="June 1, 2025", seller="Cedar Mills")
ROOM = {
    "ends.txt": contract(ENDS),
    "renews.txt": contract(RENEWS, seller="Dogwood Mills"),
    "vague.txt": contract(VAGUE, seller="Elm Mills"),
    "cedar.txt": CEDAR,
    "cedar-amendment.txt": AMENDMENT,
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    path: Path = tmp_path_factory.mktemp("timeline") / "room.db"
    with Library.open(path, create=True) as library:
        for name, text in ROOM.items():
            read = document(text, name)
            outline = build_outline(read)
            card = read_card(read, outline)
            library.add(read, outline, card, cut_passages(read, outline), None, collection="Room")
        yield library


def listed(library: Library, as_of: date, days: int) -> dict[str, Timeline]:
    found = list_timelines(library, library.documents("Room"), as_of, timedelta(days=days))
    return {each.name: each for each in found}


def test_what_falls_due(room: Library) -> None:
    found = list_timelines(room, room.documents("Room"), date(2026, 7, 1), timedelta(days=365))
    due = [(f"{x.event.day}", x.event.kind.value, x.timeline.name) for x in due_dates(found)]
    assert due == [
        ("2026-08-02", "last day for notice", "renews.txt"),
        ("2026-10-31", "renewal", "renews.txt"),
        ("2027-05-31", "end", "ends.txt"),
    ]
    for each in due_dates(found):
        text = ROOM[each.timeline.name]
        assert each.words.text == each.words.span.text_in(text)
        assert each.words.where == f"2.1 of {each.timeline.name}"
        assert each.timeline.title == "DISTRIBUTION AGREEMENT"


def test_a_renewal_years_later_is_still_known(room: Library) -> None:
    renews = listed(room, date(2028, 7, 1), 60)["renews.txt"]
    assert renews.status.standing is Standing.RENEWING
    assert [f"{event.day}" for event, _ in renews.events] == ["2028-08-02"]


def test_an_amended_term_ends_as_amended_with_the_words_that_change_it(room: Library) -> None:
    assert listed(room, date(2027, 5, 1), 90)["cedar.txt"].events == ()
    cedar = listed(room, date(2029, 5, 1), 90)["cedar.txt"]
    ((event, (words, *_)),) = cedar.events
    assert (event.day, cedar.uncertain) == (date(2029, 5, 31), ())
    assert "are replaced by “until May 31, 2029”" in words.text
    assert words.where.startswith("1 of ")
    shown = {each.where: each.text for each in cedar.words}
    assert "until May 31, 2027" in shown["2.1 of cedar.txt"]
    assert listed(room, date(2029, 6, 2), 90)["cedar.txt"].status.standing is Standing.ENDED


def test_words_without_a_day_are_to_be_read(room: Library) -> None:
    vague = listed(room, date(2026, 7, 1), 30)["vague.txt"]
    assert (vague.events, vague.is_to_be_read) == ((), True)
    assert any("renewed by itself" in words.text for words in vague.words)
    assert vague.status.standing is not Standing.ENDED


def test_a_known_end_beyond_the_days_is_not_to_be_read(room: Library) -> None:
    assert not listed(room, date(2026, 7, 1), 30)["ends.txt"].is_to_be_read


@pytest.mark.parametrize("gap", ["\n\n", "\n", " "])
@pytest.mark.parametrize(
    "number", ["3. Price. ", "3. PRICE\n\n", "Section 3. Price. ", "2.2 Price. "]
)
def test_words_end_before_the_next_clause(tmp_path: Path, gap: str, number: str) -> None:
    ends = "then current term."
    before, _, after = contract(RENEWS).partition("\n\n2.2 Termination. ")
    assert before.endswith(ends)
    if not number.startswith("2.2"):  # a contract without clauses of a second level
        before = before.replace("2.1 Term. ", "").replace("1.1 ", "").replace("\n\n1.2 ", " ")
        after = after.replace("\n3. MISC", "\n4. MISC").replace("3.1 ", "")
    read = document(f"{before}{gap}{number}{after}", "oats.txt")
    outline = build_outline(read)
    with Library.open(tmp_path / "room.db", create=True) as library:
        passages = cut_passages(read, outline)
        library.add(read, outline, read_card(read, outline), passages, None, collection="Room")
        (found,) = list_timelines(
            library, library.documents("Room"), date(2026, 7, 1), timedelta(days=365)
        )
    shown = [*found.words, *(words for _, all_words in found.events for words in all_words)]
    assert any(each.text.endswith(ends) for each in shown)
    assert all(each.text.endswith((ends, '(the "Initial Term").')) for each in shown)
