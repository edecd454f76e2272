"""When: the words, and the days that they come to."""

from __future__ import annotations

import pytest

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.review.obligations.obligation import Obligation, TimeKind
from fourcorners.review.obligations.table import find_obligations
from fourcorners_bench.outline.references import text_document
from tests.review.obligations.contracts import CONTRACT


def _one(sentence: str) -> tuple[str, Obligation]:
    text = CONTRACT.replace("4.2 Law.", f"4.2 More. {sentence}\n\n4.3 Law.")
    document = text_document("supply.txt", text)
    outline = build_outline(document)
    made = find_obligations(text, outline, read_card(document, outline))
    start = text.index(sentence)
    (one,) = (each for each in made if start <= each.action.start < start + len(sentence))
    return text, one


@pytest.mark.parametrize(
    ("sentence", "days"),
    [
        ("Buyer shall pay on or before June 1, 2025.", ["2025-06-01"]),
        ("Buyer shall pay $5 on June 1, 2025, July 1, 2025 and August 1, 2025.",
         ["2025-06-01", "2025-07-01", "2025-08-01"]),
        ("Within ten (10) days after the Effective Date, Buyer shall pay.", ["2025-03-11"]),
        ("Buyer shall pay within one month of the date of this Agreement.", ["2025-04-01"]),
        ("Buyer shall give notice no later than 90 days prior to the expiration of this Agreement.",
         ["2027-03-02"]),
        ("Buyer shall pay within ten days after receipt of the invoice.", []),
        ("Buyer shall pay within ten business days after the Effective Date.", []),
        ("If it is late on June 1, 2025, Buyer shall pay.", []),
        ("Buyer shall amend the schedule filed with the agency on June 1, 2025.", []),
        ("Buyer shall sell films that are released before June 1, 2025.", []),
        ("Buyer shall pay rent commencing on June 1, 2025.", []),
        ("Buyer shall not sell them before June 1, 2025.", []),
        ("Buyer shall report within ten days of the effective date of termination.", []),
    ],
)  # fmt: skip
def test_days(sentence: str, days: list[str]) -> None:
    _, one = _one(sentence)
    assert [each.day.isoformat() for each in one.times if each.day] == days


def test_a_day_that_counts_from_the_end_of_the_term_may_move() -> None:
    _, one = _one("Buyer shall return it within sixty days after the end of the term.")
    (due,) = one.times
    assert (str(due.day), due.unless) == ("2027-07-30", "the term ends earlier")


@pytest.mark.parametrize(
    ("sentence", "kind", "words"),
    [
        ("Buyer shall pay within ten days after receipt of the invoice.", TimeKind.PERIOD,
         "within ten days after receipt of the invoice"),
        ("Buyer shall report within five (5) business days of delivery.", TimeKind.PERIOD,
         "within five (5) business days of delivery"),
        ("Buyer shall report on the first day of each month.", TimeKind.RECURRING,
         "on the first day of each month"),
        ("Buyer shall promptly report.", TimeKind.PROMPT, "promptly"),
        ("Upon termination of the order, Buyer shall pay.", TimeKind.EVENT,
         "Upon termination of the order"),
        ("During the Term, Buyer shall insure.", TimeKind.DURATION, "During the Term"),
    ],
)  # fmt: skip
def test_words_that_say_when(sentence: str, kind: TimeKind, words: str) -> None:
    text, one = _one(sentence)
    assert (kind, words) in [(each.kind, each.span.text_in(text)) for each in one.times]


@pytest.mark.parametrize(
    "words",
    [
        "on or before May 20 of each year",
        "by 31 March in each calendar year",
        "on May 20th each year",
        "by the fifteenth (15th) day of January each year",
        "not later than the last day of February in every year",
        "on January 1, April 1, July 1 and October 1 of each year",
        "on the first day of each month",
        "each January 15",
        "every 1 July",
    ],
)
def test_a_day_of_each_year_is_whole(words: str) -> None:
    for sentence in (
        f"Buyer shall report {words}.",
        f"{words[0].upper()}{words[1:]}, Buyer shall report.",
    ):
        text, one = _one(sentence)
        assert [each.span.text_in(text).casefold() for each in one.times] == [words.casefold()]
        assert one.times[0].kind is TimeKind.RECURRING


def test_words_before_a_day_of_each_year_are_no_part_of_it() -> None:
    text, one = _one("Buyer shall report the sales of January each year.")
    assert [each.span.text_in(text) for each in one.times] == ["each year"]
