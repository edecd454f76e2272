"""Figures in digits and in words, and which are known."""

from __future__ import annotations

import pytest

from fourcorners.research.agents import statement_check
from fourcorners.research.agents.figures import (
    find_figures,
    has_unknown_labels,
    unknown_figures,
)
from fourcorners.research.agents.statement_check import check_quotes
from fourcorners.research.answer import Verification
from tests.models.reader.fake import FakeReader


@pytest.mark.parametrize(
    ("named", "known"),
    [
        ("90 days", "ninety (90) days"),
        ("ninety days", "90 days"),
        ("a 90-day period", "ninety days"),
        ("7 days", "7 (seven) days"),
        ("$500", "500 (five hundred) dollars"),
        ("180 days", "one hundred and eighty days"),
        ("two years", "twenty-four (24) months"),
        ("10 per cent", "10%"),
        ("£7,450", "GBP 7,450.00"),
        ("USD 460,000", "USD460,000"),
        ("USD460,000", "US$ 460,000"),
        ("460,000 USD", "$460,000"),
        ("U.S. $460,000", "four hundred sixty thousand (460,000) United States Dollars"),
        ("CHF 640'000", "640,000 Swiss francs"),
        ("€1.000.000", "EUR 1 million"),
        ("5 million Canadian dollars", "C$5,000,000"),
        ("CAD 5,000", "$5,000 CAD"),
        ("SEK 900", "900 kr"),
        ("¥5,000", "JPY5,000"),
        ("INR 2 lakh", "Rs. 2,00,000"),
        ("£5m", "five million pounds sterling (£5,000,000)"),
        ("NOK25", "twenty-five Norwegian kroner"),
        ("about $1.2 million", "$1,234,567"),
        ("33.3%", "33.33 percent"),
        ("1 March 2024", "2024-03-01"),
        ("a third", "one third of the Fund"),
        ("half of the Fee", "50% of the Fee"),
        ("EUR 40 a month", "a monthly fee of EUR 40"),
        ("EUR 40", "EUR 40 a month"),
        ("two fortnights", "28 days"),
        ("two days", "forty-eight (48) hours"),
        ("clause 12.4 applies to two parties", "nothing"),
    ],
)
def test_the_same_figure_is_known(named: str, known: str) -> None:
    assert unknown_figures(named, find_figures(known)) == []


@pytest.mark.parametrize(
    ("named", "known", "words"),
    [
        ("90 days", "ninety (90) months", ["90 days"]),
        ("10 days", "10 business days", ["10 days"]),
        ("30 days", "31 days", ["30 days"]),
        ("$5,000", "€5,000", ["$5,000"]),
        ("$100", "$104", ["$100"]),
        ("USD640,000", "USD460,000", ["USD640,000"]),
        ("640,000 USD", "USD460,000", ["640,000 USD"]),
        ("640,000USD", "US$460,000", ["640,000USD"]),
        ("Rs.640,000", "Rs.460,000", ["Rs.640,000"]),
        ("CHF 640'000", "CHF 640'000'000", ["CHF 640'000"]),
        ("$5,000", "5,000 Jamaican dollars", ["$5,000"]),
        ("PLN5,000", "CZK5,000", ["PLN5,000"]),
        ("5,000 euros", "5,000 Canadian dollars", ["5,000 euros"]),
        ("$5,000,000", "five million (£5,000,000)", ["$5,000,000"]),
        ("$5MM", "$5", ["$5MM"]),
        ("BZ$900", "$900", ["BZ$900"]),
        ("XQZ640", "XQZ460", ["640"]),
        ("30 days", "clause 30 and 90 days", ["30 days"]),
        ("2 March 2024", "1 March 2024", ["2 March 2024"]),
        ("EUR 40 a year", "EUR 40 a month", ["EUR 40 per year"]),
        ("half of the Fund", "one third of the Fund", ["half"]),
        ("$1,000,000", "half a million dollars", ["$1,000,000"]),
        ("50%", "50 basis points", ["50%"]),
    ],
)
def test_another_figure_is_not(named: str, known: str, words: list[str]) -> None:
    assert unknown_figures(named, find_figures(known)) == words


def test_a_quarter_day_is_no_period() -> None:
    assert find_figures("on a quarter day") == []
    assert [each.words for each in find_figures("a quarter of a day")] == ["a quarter of a day"]


def test_labels_are_figures_only_where_they_are_asked_for() -> None:
    assert find_figures("under clause 12.4") == []
    assert [str(each.value) for each in find_figures("clause 12.4", with_labels=True)] == ["12.4"]


@pytest.mark.parametrize(
    "label",
    [
        "Clause 1/3",
        "Schedule 2/4",
        "Annex 1/2",
        "Form 1/3",
        "Lot 3/4",
        "Regulation 2/3",
        "No. 1/4",
        "Addendum 1/3",
        "Figure 3/4",
        "Phase 2/3",
        "Stage 1/2",
    ],
)
def test_a_number_with_a_stroke_is_no_part(label: str) -> None:
    words = f"{label} of the Rules applies to the Barn."
    assert find_figures(words) == []
    assert find_figures(f"The Heir holds {label.split()[-1]} of the Barn.")


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The hotline is open around the clock.", "The hotline is open 24/7."),
        ("The hotline is open 24/7.", "The hotline is open twenty-four hours a day."),
        ("Guards watch it 24 hours a day, seven days a week.", "Guards watch the site 24/7/365."),
        ("The tariff ends on 5 April 2031.", "The tariff ends on 5/4/2031."),
        ("The tariff ends on 4 May 2031.", "The tariff ends on 5/4/2031."),
        ("Tolls rise on 1/3/2024.", "Tolls rise on 1 March 2024."),
    ],
)
def test_hours_and_dates_with_strokes_may_be_the_same(statement: str, quote: str) -> None:
    assert unknown_figures(statement, find_figures(quote, with_labels=True)) == []


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The hotline is open 16/5.", "The hotline is open 24/7."),
        ("Guards watch it 12 hours a day.", "Guards watch the site 24/7."),
        ("The tariff ends on 4 June 2031.", "The tariff ends on 5/4/2031."),
        ("Tolls rise on 1/4/2024.", "Tolls rise on 1 March 2024."),
    ],
)
def test_other_hours_and_dates_with_strokes_are_not(statement: str, quote: str) -> None:
    assert unknown_figures(statement, find_figures(quote, with_labels=True))


def test_a_rounded_figure_is_known_and_not_exact() -> None:
    known = find_figures("A deposit of £14,900.")
    assert unknown_figures("about £15,000", known) == []
    assert unknown_figures("about £15,000", known, exactly=True) == ["£15,000"]


COMPOUNDED = (
    ("Compounded monthly, interest is {}.", "Interest of 8% per annum, compounded monthly."),
    (
        "The Deposit bears interest of {}.",
        "With daily rests, the Deposit bears interest of 8% p.a.",
    ),
    ("The rent is {}.", "Payable in quarterly instalments, the rent is 8% of sales per annum."),
    ("Interest, calculated weekly, is {}.", "Interest is 8 per cent. (credited monthly) a year."),
    ("Interest accrues daily at {}.", "Interest accrues from day to day at 8% per annum."),
    ("Each quarter interest of {} is credited.", "Interest of 8% p.a. is credited each quarter."),
)


@pytest.mark.parametrize(("statement", "quote"), COMPOUNDED)
def test_how_often_interest_is_compounded_is_not_its_period(statement: str, quote: str) -> None:
    known = find_figures(quote)
    for words in ("8%", "8% a year", "8% per annum", "8% (per annum)"):
        assert unknown_figures(statement.format(words), known) == []
    for words in ("8% a month", "8% per quarter", "8% (a week)", "9% a year"):
        assert unknown_figures(statement.format(words), known)


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The Tenant shall pay £200 on signing and £100 on delivery.",
         "The Tenant shall pay £100 on signing and £200 on delivery."),
        ("The Tenant shall pay on 1 May 2025 and leave on 1 March 2025.",
         "The Tenant shall pay on 1 March 2025 and leave on 1 May 2025."),
        ("The Buyer may return goods in 60 days and spare parts in 30 days.",
         "The Buyer may return goods in 30 days and spare parts in 60 days."),
        ("The Tenant may leave under clause 9.", "The Tenant may leave under clause 7."),
        ("The Tenant pays a deposit of £15,000.", "The Tenant pays a deposit of £14,900."),
        ("The Landlord pays £9,000 for death.",
         "The Landlord pays £5,000 for loss and £9,000 for death."),
    ],
)  # fmt: skip
def test_a_figure_that_may_be_another_is_not_verified(statement: str, quote: str) -> None:
    assert check_quotes(quote, [quote])[0] is Verification.VERIFIED
    assert check_quotes(statement, [quote])[0] is not Verification.VERIFIED


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The toll rises in 2031.", "The toll rises on 1 May 2031."),
        ("The toll rises in mid-May 2031.", "The toll rises on 15 May 2031."),
        ("The Choir sings until 2033.", "The Choir sings until 31 December 2033."),
        ("The Choir sings in 2031, 2032 and 2033.", "The Choir sings in 2033, 2032, and 2031."),
        ("The quota holds for fiscal years 2032 and 2033.",
         "The quota holds for each of the fiscal years 2031 to 2034."),
        ("The quota for 2032 is fixed.", "Quotas are fixed for 2031 through 2033."),
        ("The 2031 calendar year counts.", "Calendar year 2031 counts."),
        ("Trips in 2031 year to date count.", "Trips in 2031 count."),
        ("The bonus is for FY31 and FY32.", "The bonus is for fiscal 2031 and 2032."),
        ("The pitch is let for 2031/32.", "The pitch is let for the 2031-2032 season."),
        ("It has 2000 seats.", "It is built for 2000 seats."),
        ("It is built for 2000 seats.", "It has 2,000 seats."),
    ],
)  # fmt: skip
def test_a_year_that_is_named_is_known_by_its_dates_and_lists(statement: str, quote: str) -> None:
    assert unknown_figures(statement, find_figures(quote, with_labels=True)) == []


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The toll rises in 2032.", "The toll rises on 1 May 2031."),
        ("The toll rises in June 2031.", "The toll rises on 1 May 2031."),
        ("The toll rises in June 2031.", "The toll rises in May 2031."),
        ("The quota for 2035 is fixed.", "Quotas are fixed for 2031 through 2033."),
        ("The quota for 2032 is fixed.", "Quotas are fixed for 2031 and 2033."),
        ("The toll rises on 1 May 2031.", "The toll rises in 2031."),
        ("The pitch is let for 2031/32.", "The pitch is let for 2032/33."),
        ("The fee is £2,031.", "The fee is due in 2031."),
        ("The hire is 2000 euros.", "The hire begins in 2000."),
    ],
)
def test_another_year_is_not(statement: str, quote: str) -> None:
    assert unknown_figures(statement, find_figures(quote, with_labels=True))


def test_a_year_with_a_date_is_known_but_not_exactly() -> None:
    known = find_figures("The toll rises on 1 May 2031.")
    assert unknown_figures("The toll rises in 2031.", known, exactly=True) == ["2031"]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("Latest Sports Lines 45% Worldwide", ["45%"]),
        ("Articles 10 per cent, Schedules 5 %", ["10 per cent", "5 %"]),
        ("Storage of the lines 12 months", ["12 months"]),
        ("under Lines 45 to 50 of the form", []),
        ("Section 45 of the Act", []),
    ],
)
def test_a_word_for_a_part_before_a_share_or_a_time_is_no_label(
    words: str, values: list[str]
) -> None:
    assert [each.words for each in find_figures(words)] == values


@pytest.mark.parametrize("words", ["a party pays", "ITEMS OF A PARTY", "the pages x and y"])
def test_a_letter_of_a_word_is_no_label(words: str) -> None:
    assert find_figures(words, with_labels=True) == []
    assert not has_unknown_labels(words, [""])


PERIODS = (
    ("The Tenant shall pay each invoice within ten (10) days of receipt.",
     "The Tenant must pay each invoice by the tenth day after receipt."),
    ("The Rent falls due on the tenth day after the invoice.",
     "The Rent falls due ten days after the invoice."),
    ("The Buyer may reject the Goods within seven (7) days of delivery.",
     "The Buyer has a week from delivery to reject the Goods."),
    ("The Buyer may reject the Goods within fourteen (14) days of delivery.",
     "The Buyer may reject the Goods within two weeks of delivery."),
    ("The Lease may be ended by six months' notice.",
     "The Lease may be ended by half a year's notice."),
    ("The Lease may be ended by six months' notice.",
     "The Lease may be ended by notice of half a year."),
    ("Payment falls due within a month of the invoice.",
     "Payment falls due within one month of the invoice."),
    ("The Licensee shall report sales every three months.",
     "The Licensee must report sales quarterly."),
    ("The Licensee shall report sales quarterly.",
     "The Licensee must report sales every three months."),
    ("The Licensee shall report sales annually.",
     "The Licensee must report sales every twelve months."),
    ("The Tenant pays the Rent twice a year.", "The Tenant pays the Rent every six months."),
    ("The Agent reports weekly.", "The Agent reports every seven days."),
    ("The Lease ends on the fifth anniversary of its date.",
     "The Lease ends five years after its date."),
    ("The Warranty lasts for a year and a half.", "The Warranty lasts for eighteen months."),
)  # fmt: skip


@pytest.mark.parametrize(("words", "said"), PERIODS)
def test_a_time_in_other_words_is_not_refused(words: str, said: str) -> None:
    assert check_quotes(said, [words])[0] is not Verification.UNVERIFIED


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("The Agent reports weekly.", "The Agent reports every thirty days."),
        ("The Tenant pays the Rent twice a year.", "The Tenant pays the Rent every four months."),
        ("Payment falls due on the tenth day after the invoice.",
         "Payment falls due twelve days after the invoice."),
        ("Payment falls due on the tenth business day after the invoice.",
         "Payment falls due ten days after the invoice."),
    ],
)  # fmt: skip
def test_another_time_is_refused(words: str, said: str) -> None:
    assert check_quotes(said, [words])[0] is Verification.UNVERIFIED


def test_a_time_that_the_quote_does_not_have_is_not_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = FakeReader(others=(0.99, 0.0, 0.0, 0.01))
    monkeypatch.setattr(statement_check, "default_reader", lambda: reader)
    words = "The Buyer may reject the Goods within seven (7) days of delivery."
    standings = [
        check_quotes(f"The Buyer has {time} from delivery in which it may refuse them.", [words])[0]
        for time in ("a week", "a month")
    ]
    assert standings == [Verification.VERIFIED, Verification.UNCHECKED]
