"""What may be a date, an end, a renewal or a notice, in words of invented contracts."""

from __future__ import annotations

import pytest

from fourcorners.outline.card.values.candidates import (
    date_candidates,
    end_candidates,
    notice_candidates,
    renewal_candidates,
)
from fourcorners.text.span import Span
from fourcorners.text.values.periods import WrittenPeriod, find_periods


def periods(text: str) -> list[WrittenPeriod]:
    return [*find_periods(text, Span(0, len(text)))]


def ends(text: str, **starts: str) -> set[tuple[str, str]]:
    known = {value: kind for kind, value in starts.items()}
    found = end_candidates(text, date_candidates(text), periods(text), known)
    return {(each.value, each.base) for each in found}


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("made on 3 March 2021 between", ["2021-03-03"]),
        ("as of March ___, 2021 between", ["2021-03"]),
        ("this [●] day of May 2003", ["2003-05"]),
        ("dated as of , 2019 by", ["2019"]),
        ("on ________, 2019 and 1 May 2020", ["2019", "2020-05-01"]),
    ],
)
def test_dates_and_their_blanks(words: str, values: list[str]) -> None:
    assert [each.value for each in date_candidates(words)] == values


def test_an_end_is_counted_from_what_may_be_the_start() -> None:
    text = "The term is three years from the Effective Date."
    assert ends(text, agreement="2020-01-15", effective="2020-02-01") == {
        ("2023-01-15", "agreement"),
        ("2023-02-01", "effective"),
    }
    assert ends(text, agreement="2020-01") == {("2023-01", "agreement")}


def test_an_end_is_counted_from_the_date_beside_it() -> None:
    text = "The term begins on 1 June 2025 and runs for two years."
    assert ("2027-06-01", "stated") in ends(text)


def test_the_day_that_words_name_stands_above_a_count() -> None:
    text = "The term is one year from June 1, 2025, expiring May 31st."
    assert ("2026-05-31", "stated") in ends(text)
    assert ("2026-06-01", "stated") not in ends(text)


@pytest.mark.parametrize(
    ("words", "is_endless"),
    [
        ("It continues until terminated by either party.", True),
        ("The licence is perpetual.", True),
        ("It continues until the earlier of 1 May 2027 or its termination.", False),
        ("It continues until 1 May 2027.", False),
    ],
)
def test_terms_without_end(words: str, is_endless: bool) -> None:
    assert (("perpetual", "") in ends(words)) is is_endless


def test_renewals_and_notice_are_looked_for_in_their_statements() -> None:
    text = (
        "It renews for one year at a time unless 90 days' notice is given.\n\n"
        "Invoices are due in ten days.\n\nNotices are deemed received in 2 days."
    )
    assert [each.value for each in renewal_candidates(text, periods(text))] == ["P1Y", "P90D"]
    assert [each.value for each in notice_candidates(text, periods(text))] == ["P1Y", "P90D", "P2D"]


def test_a_renewal_without_end() -> None:
    found = renewal_candidates("Then it renews for an indefinite period.", [])
    assert [each.value for each in found] == ["perpetual"]
