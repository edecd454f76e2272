"""The term by words and arithmetic: start, end, renewals and notice of invented contracts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, RenewalManner
from fourcorners.outline.card.read import read_card
from fourcorners.outline.card.term import Event, EventKind, find_events, find_status, read_term

Make = Callable[..., Document]
LONG_AGO, FAR = date(1990, 1, 1), date(2060, 1, 1)
TOP = (
    "BEEHIVE RENTAL AGREEMENT\n\nThis Beehive Rental Agreement is made on 9 "
    'March 2022 between Tansy Apiaries Limited ("Tansy") and Orchard Nine '
    'Limited ("Orchard").\n\n1. Rent. Orchard pays GBP 90 a hive until 30 June '
    "2024.\n\n"
)
FOOT = "\n\n8. Law. This Agreement is governed by the laws of England and Wales.\n"


@pytest.fixture
def read(document: Make) -> Callable[..., tuple[Card, str]]:
    def read_text(term: str, top: str = TOP, foot: str = FOOT) -> tuple[Card, str]:
        made = document(f"{top}{term}{foot}")
        return read_card(made, build_outline(made)), made.text

    return read_text


def events(card: Card) -> list[Event]:
    return find_events(read_term(card), LONG_AGO, FAR)


@pytest.mark.parametrize(
    ("term", "start", "end"),
    [
        (
            (
                "2. Time. This Agreement lasts for eighteen months from 1 April 2022, unless "
                "either side has brought it to an end before then under clause 6."
            ),
            None,
            "2023-10-01",
        ),
        (
            (
                "2. Time. The first period is forty months beginning on and including 1 "
                "April 2022, save where clause 6 applies."
            ),
            "2022-04-01",
            "2025-07-31",
        ),
        (
            (
                '2. Words. "Opening Day" means 2 May 2022.\n\n3. Time. This Agreement '
                "continues for three years from the Opening Day and then ends."
            ),
            None,
            "2025-05-02",
        ),
        (
            "2. Time. This Agreement starts on its date and lapses on 14 August 2026.",
            "2022-03-09",
            "2026-08-14",
        ),
        (
            "2. Time. This Agreement runs from 3 April 2022 to 2 April 2029.",
            "2022-04-03",
            "2029-04-02",
        ),
        (
            (
                "2. Time. This Agreement takes effect on the fifth day of April two thousand "
                "and twenty-two and endures until the sixth day of May two thousand and "
                "twenty-five."
            ),
            "2022-04-05",
            "2025-05-06",
        ),
        (
            (
                "2. Hives. Tansy sets the hives up on 12 April 2022. That is the Delivery "
                "Day.\n\n3. Time. This Agreement ends at the close of the fourth anniversary "
                "of the Delivery Day."
            ),
            None,
            "2026-04-12",
        ),
        (
            (
                "2. Time. This Agreement remains in force until the day before the second "
                "anniversary of 1 July 2022."
            ),
            None,
            "2024-06-30",
        ),
        (
            "2. Time. This Agreement continues for six months from 31 August 2022.",
            None,
            "2023-02-28",
        ),
        ("2. Term: from 3 April 2022 to 2 April 2029.", "2022-04-03", "2029-04-02"),
        ("2. Duration. Two years from the date hereof.", None, "2024-03-09"),
        ("2. Duration. Until the end of 5 May 2027.", None, "2027-05-05"),
    ],
)
def test_ends_that_are_certain(
    read: Callable[..., tuple[Card, str]], term: str, start: str | None, end: str
) -> None:
    card, text = read(term)
    found = card.value("end")
    assert found is not None
    assert (found.text, found.asserted) == (end, True)
    assert card.expiry_date is not None
    assert card.expiry_date.value.isoformat() == end
    if start is not None:
        assert card.effective_date is not None
        assert card.effective_date.value.isoformat() == start
    for part in (found.span, *found.parts):
        assert part.text_in(text) == text[part.start : part.end] != ""
    if found.arithmetic:
        assert len(found.parts) > 1


@pytest.mark.parametrize(
    "term",
    [
        "2. Time. This Agreement lasts for two years from the first harvest.",
        "2. Time. This Agreement ends on the earlier of 3 May 2025 and the sale of the orchard.",
        "2. Hives. Orchard shall give the hives back within three months of 1 May 2023.",
        "2. Guarantee. The guarantee of the hives lasts until 3 May 2025.",
        "2. Time. This Agreement ends on 3 May 2025.\n\n3. End. This Agreement ends on 4 May 2026.",
        "2. Time. This Agreement continues until a side ends it by three months' notice.",
    ],
)
def test_ends_that_are_not_certain(read: Callable[..., tuple[Card, str]], term: str) -> None:
    card, _ = read(term)
    assert card.expiry_date is None


def test_renewals_and_last_days_for_notice_follow_from_the_first_period(
    read: Callable[..., tuple[Card, str]],
) -> None:
    card, text = read(
        "2. Time. The first period is twenty months from 1 April 2022, unless ended "
        "earlier under clause 6. At its end this Agreement goes on by two years at a "
        "time, except where a side has told the other in writing, at least forty "
        "days before a period ends, that it will not."
    )
    assert card.renewal is not None
    assert card.renewal.manner is RenewalManner.AUTOMATIC
    found = events(card)[:4]
    assert [(each.kind, each.day.isoformat(), each.asserted) for each in found] == [
        (EventKind.NOTICE, "2023-10-22", True),
        (EventKind.RENEWAL, "2023-12-01", True),
        (EventKind.NOTICE, "2025-10-22", True),
        (EventKind.RENEWAL, "2025-12-01", True),
    ]
    assert [each.arithmetic for each in found] == [
        "2023-12-01 - 40 days",
        "2022-04-01 + 20 months",
        "2025-12-01 - 40 days",
        "2023-12-01 + 2 years",
    ]
    words = {part.text_in(text) for part in found[2].parts}
    assert {"twenty months", "1 April 2022", "two years", "forty days"} <= words


def test_a_renewal_that_both_must_sign_is_not_automatic(
    read: Callable[..., tuple[Card, str]],
) -> None:
    card, _ = read(
        "2. Time. This Agreement ends on 14 August 2026. It shall be prolonged for "
        "one year if both sides sign a paper that says so."
    )
    assert card.renewal is not None
    assert card.renewal.manner is RenewalManner.AGREEMENT
    assert [each.kind for each in events(card)] == [EventKind.END]


def test_it_takes_effect_with_the_last_signature(read: Callable[..., tuple[Card, str]]) -> None:
    card, _ = read(
        (
            "2. Time. This Agreement takes effect on the day of the last signature below "
            '(the "First Day") and ends eighteen months after the First Day.'
        ),
        top=(
            "BEEHIVE RENTAL AGREEMENT\n\nThis Beehive Rental Agreement is between Tansy "
            "Apiaries Inc. and Orchard Nine, LLC.\n\n"
        ),
        foot=(
            "\n\nTANSY APIARIES INC.\nBy: /s/ Ada Hume\nName: Ada Hume\nDate: May 4, "
            "2022\n\nORCHARD NINE, LLC\nBy: /s/ Bo Ek\nName: Bo Ek\nDate: April 28, "
            "2022\n"
        ),
    )
    assert card.effective_date is not None
    assert card.effective_date.value == date(2022, 5, 4)
    assert card.expiry_date is not None
    assert card.expiry_date.value == date(2023, 11, 4)


@pytest.mark.parametrize(
    ("more", "agreed", "end"),
    [
        ("The last hive comes on 25/04/2022.", "2022-03-09", "2025-05-06"),  # by another date
        ("The last hive comes on 04/25/2022.", "2022-09-03", "2025-06-05"),
        ("This Agreement is governed by Danish law.", "2022-03-09", "2025-05-06"),
        ("The laws of the State of Ohio govern it.", "2022-09-03", "2025-06-05"),
        ("The rent is EUR 50 a year.", "2022-03-09", "2025-05-06"),
        ("The rent is USD 50 a year.", "2022-09-03", "2025-06-05"),
        ("The laws of Ontario govern it. The rent is $50 a year.", "2022-03-09", "2025-05-06"),
        ("The laws of the State of Ohio govern it. The rent is EUR 50.", None, None),
        ("The rent is a jar of honey.", None, None),
    ],
)
def test_the_day_or_the_month_first(
    read: Callable[..., tuple[Card, str]], more: str, agreed: str | None, end: str | None
) -> None:
    card, _ = read(
        "1. Time. This Agreement ends on 06/05/2025.",
        top=(
            "BEEHIVE RENTAL AGREEMENT\n\nThis Beehive Rental Agreement is made on "
            "09/03/2022 between Tansy Apiaries Limited and Orchard Nine Limited.\n\n"
        ),
        foot=f"\n\n2. More. {more}\n",
    )
    shown = [
        each.value.isoformat() if each else None for each in (card.agreement_date, card.expiry_date)
    ]
    assert shown == [agreed, end]
    if end is None:
        assert card.readings("agreement") == "2022-09-03 or 2022-03-09"
        assert card.readings("end") == "2025-06-05 or 2025-05-06"
        assert {(each.day.isoformat(), each.asserted) for each in events(card)} == {
            ("2025-06-05", False),
            ("2025-05-06", False),
        }


def test_the_anniversary_of_a_leap_day_has_two_readings(
    read: Callable[..., tuple[Card, str]],
) -> None:
    card, _ = read("2. Time. This Agreement ends on the third anniversary of 29 February 2024.")
    assert card.expiry_date is None
    assert card.readings("end") == "2027-02-28 or 2027-03-01"
    said = find_status(read_term(card), date(2025, 1, 1))
    assert not said.asserted
    assert "2027-02-28" in said.sentence
    assert "2027-03-01" in said.sentence


@pytest.mark.parametrize(
    ("term", "last", "asserted"),
    [
        (
            (
                "It is then renewed for one year at a time, unless a party has objected by 30 "
                "September of the year."
            ),
            "2026-09-30",
            True,
        ),
        (
            (
                "Thereafter it is prolonged by one year at a time, unless either party gives "
                "notice by 30.09. of the year."
            ),
            "2026-09-30",
            True,
        ),
        (
            "It is extended by a further year each time unless Orchard objects before June 1.",
            "2026-05-31",
            True,
        ),
        (
            "It is renewed for one year at a time unless ended on or before 28 February.",
            "2026-02-28",
            True,
        ),
        (
            "It is renewed for one year at a time unless a party gives notice by 30 June 2026.",
            None,
            True,
        ),
        (
            (
                "It is renewed for one year at a time unless either party gives notice not less "
                "than three months before 30 September."
            ),
            None,
            True,
        ),
        (
            "It is renewed for one year at a time unless ended three months before 30 September.",
            None,
            True,
        ),
        (
            "It is renewed for one year at a time unless ended at least 90 days before 1 July.",
            None,
            True,
        ),
        (
            "It is renewed for one year at a time unless ended a fortnight before 1 July.",
            None,
            True,
        ),
        (
            "It is renewed for one year at a time unless a party gives 60 days’ notice by 1 July.",
            None,
            True,
        ),
        (
            "It is renewed for one year at a time unless objected to no earlier than 1 July.",
            None,
            True,
        ),
        (
            "It is renewed for one year at a time unless objected to and not before 1 July.",
            None,
            True,
        ),
        ("It is renewed for one year at a time unless objected to by 0 September.", None, True),
    ],
)
def test_the_last_day_for_notice_is_a_day_of_each_year(
    read: Callable[..., tuple[Card, str]], term: str, last: str | None, asserted: bool
) -> None:
    card, _ = read(f"2. Time. This Agreement runs from 1 January 2024 to 31 December 2024. {term}")
    days = [each for each in events(card) if each.kind is EventKind.NOTICE and each.asserted]
    assert bool(days) == (last is not None)
    assert last is None or last in [each.day.isoformat() for each in days]
    assert all(each.asserted is asserted for each in days)
    assert (
        last is None
        or "unless notice is given by" in find_status(read_term(card), date(2026, 1, 1)).sentence
    )


@pytest.mark.parametrize(
    "term",
    [
        "Three years from the date hereof and afterwards until ended by either on notice.",
        "This Agreement continues for two years and thereafter until either side ends it.",
    ],
)
def test_a_term_that_goes_on_until_somebody_ends_it_has_no_certain_end(
    read: Callable[..., tuple[Card, str]], term: str
) -> None:
    card, _ = read(f"2. Duration. {term}")
    assert card.expiry_date is None
