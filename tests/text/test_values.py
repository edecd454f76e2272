"""Values as contracts write them: text, value and place, for every kind in one table each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.span import Span
from fourcorners.text.values.amounts import Written, distinct, find_amounts
from fourcorners.text.values.dates import add_months, find_dates, find_days, find_partial_dates
from fourcorners.text.values.numbers import cardinal_text, parse_number
from fourcorners.text.values.periods import (
    Period,
    WrittenPeriod,
    find_durations,
    find_periods,
    parse_period,
)
from fourcorners.text.values.quantities import PART, find_quantities, find_rates

Find = Callable[[str, Span], Iterable[Written]]
DAY = "2023-03-14"
# The kind, a text with the place of its value in braces, and the value; no value without braces.
TABLE: list[tuple[Find, str, str]] = [
    *(
        (find_dates, f"made on {{{written}}} by", DAY)
        for written in (
            *("March 14, 2023", "14 March 2023", "14th day of March, 2023", "March 14th, 2023"),
            *("3/14/2023", "03/14/23", "14/3/2023", "14.3.2023", "2023-03-14", "14-Mar-2023"),
            *("14 DAY OF MARCH, 2023", "fourteenth (14th) day of March, 2023"),
            *("14 March day of 2023", "MARCH 14, 2023", "Mar. 14, 2023", "March\xa014,\n2023"),
            *("14th of March 2023", "14 t h day of March 2023"),
        )
    ),
    (find_dates, "from {30.03.2020}", "2020-03-30"),
    (find_dates, "from {3.4.2020}", "2020-03-04"),  # the month first where nothing says which
    (find_dates, "from {3.4.2020} under Danish law", "2020-04-03"),
    (find_dates, "from {3.4.2020} for CHF 40", "2020-04-03"),
    (find_dates, "from {3.4.2020} for USD 40", "2020-03-04"),
    (find_dates, "the {first day of May two thousand and six}", "2006-05-01"),
    (find_dates, "the {2nd of May two thousand twenty-one}", "2021-05-02"),
    (find_dates, "11.1.10 Insurance. See 1.2.18, and from {31.12.2010}", "2010-12-31"),
    (find_dates, "31/31/2020", ""),
    (find_dates, "February 30, 2020", ""),
    (find_dates, "Section 1.2.2020x1", ""),
    (find_dates, "March 2023", ""),
    (find_dates, "1/2", ""),
    (find_durations, "on {thirty (30) days}’ prior written notice", "30 days"),
    (find_durations, "not less than {six months}’ written notice", "6 months"),
    (find_durations, "an initial {twelve-month} term", "12 months"),
    (find_durations, "within {ten Business Days}", "10 business days"),
    (find_durations, "within {5 consecutive Business Days}", "5 business days"),
    (find_durations, "{30 (thirty) days}’ notice", "30 days"),
    (find_durations, "{fourteen days}’ notice", "14 days"),
    (find_durations, "within {thirty\ndays}i", "30 days"),  # as scanned
    (find_durations, "{two and a half years}", "2.5 years"),
    (find_durations, "{one hundred twenty days}", "120 days"),
    (find_durations, "{twelve (12)month} period", "12 months"),
    (find_durations, "twelve (12) months' fees", ""),  # an amount
    (find_durations, "a loan of $30 days after", ""),
    (find_durations, "2.7 Year-End Reports", ""),
    (find_durations, "3.2 Weekly Reports", ""),
    (find_amounts, "shall not exceed {$1,000,000} in any year", "$1,000,000"),
    (find_amounts, "{five million pounds} (£5,000,000) for each claim", "£5,000,000"),
    (find_amounts, "{five million dollars} (US$5,000,000)", "$5,000,000"),
    (find_amounts, "{US$ 2.5 million}", "$2,500,000"),
    (find_amounts, "{EUR 250.000}", "€250,000"),
    (find_amounts, "{EUR 1.5 million}", "€1,500,000"),
    (find_amounts, "{EUR 1.234,56}", "€1,234.56"),
    (find_amounts, "{EUR \n1,400,000} a year", "€1,400,000"),
    (find_amounts, "{USD460,000}", "$460,000"),
    (find_amounts, "{£5m}", "£5,000,000"),
    (find_amounts, "{$0.412} each", "$0.412"),
    (find_amounts, "Fee = {$.305} per policy", "$0.305"),
    (find_amounts, "{C$5,000} a month", "CAD 5,000"),
    (find_amounts, "{$5,000 CAD} a month", "CAD 5,000"),
    (find_amounts, "{¥5,000}", "¥ 5,000"),  # of Japan or China
    (find_amounts, "{RMB three thousand (3,000)}", "CNY 3,000"),
    (find_amounts, "{INR 2 lakh}", "INR 200,000"),
    (find_amounts, "{INR 2,00,000}", "INR 200,000"),
    (find_amounts, "{CHF 100’000} a year", "CHF 100,000"),
    (find_amounts, "{€1\u202f250\u202f000}", "€1,250,000"),
    (find_amounts, "a fee of {US$2 \n million}", "$2,000,000"),
    (find_amounts, "a fee of {2 \n million dollars}", "$2,000,000"),
    (find_amounts, "a fee of {$2}\n\nmetres of cable", "$2"),
    (find_amounts, "a fee of {US$2} \n m", "$2"),
    (find_amounts, "shall not exceed {125% of the Charges} paid", "125% of the Charges"),
    (find_amounts, "{fifteen per cent (15%) of the Price}", "15% of the Price"),
    (find_amounts, "{one and one-half percent (1.5%)} per month", "1.5%"),
    (find_amounts, "{ninety-seven point five percent (97.5%)}", "97.5%"),
    (find_amounts, "{0.025%} a day", "0.025%"),
    (find_amounts, "{0,5 %} in volume", "0.5%"),
    (find_amounts, "limited to {twelve (12) months' fees}", "12 months’ fees"),
    (
        find_amounts,
        "the {fees paid or payable to it in the twelve (12) months} before the claim",
        "fees paid in 12 months",
    ),
    (find_amounts, "Q1 ({$2,500})", "$2,500"),
    (find_amounts, "Section 4.1 and 30 days", ""),
    (find_amounts, "not less than 18 pounds per square inch", ""),
    (find_amounts, "ALL 3 PARTIES", ""),
    (find_amounts, "payable in US dollars. 5. Term", ""),
    (find_amounts, "Year 1 $ [***]", ""),
    (find_amounts, "{half of one per cent}", "0.5%"),
    (find_amounts, "{three quarters of one percent (0.75%)} a month", "0.75%"),
    (find_amounts, "at {66 2/3% of the Votes}", "66.6667% of the Votes"),
    (find_amounts, "at {2½ per cent}", "2.5%"),
    (find_amounts, "at {1/4 of 1%}", "0.25%"),
    (find_amounts, "{fifty (50) basis points} above", "0.5%"),
    (find_amounts, "a duty of {5 ‰}", "0.5%"),
    (find_amounts, "{half a million dollars} in cash", "$500,000"),
    (find_amounts, "{a quarter of a million pounds}", "£250,000"),
    (find_amounts, "{R$ 2 millions}", "BRL 2,000,000"),
    (find_amounts, "for {5 Mio. EUR} net", "€5,000,000"),
    (find_amounts, "for {EUR 5 Mio}. The rest", "€5,000,000"),
    (find_amounts, "for {Tk 5 lac}", "BDT 500,000"),
    (find_amounts, "for {INR one crore fifty lakh}", "INR 15,000,000"),
    (find_amounts, "for {six millions seven hundred thousand pounds}", "£6,700,000"),
    (find_amounts, "for {3億円}", "JPY 300,000,000"),
    (find_amounts, "for {$2B}", "$2,000,000,000"),
    (find_amounts, "under clause 5b", ""),
    (find_amounts, "for {EUR 12,50} and 13", "€12.5"),
    (find_amounts, "for {1,5 million euros}", "€1,500,000"),
    (find_amounts, "one third of the Shares, twice the Fees", ""),  # of what is not a number
    (find_durations, "for {half a year}", "6 months"),
    (find_durations, "for {three quarters of a year}", "9 months"),
    (find_durations, "for {three quarters} from then", "3 quarters"),
    (find_durations, "the first {three quarters} of the calendar year", "3 quarters"),
    (find_durations, "three quarters of the Shares", ""),
    (find_durations, "for {two fortnights}", "2 fortnights"),
    (find_durations, "for {2 1/2 years}", "2.5 years"),
]


@pytest.mark.parametrize(("find", "text", "value"), TABLE)
def test_values(find: Find, text: str, value: str) -> None:
    before, _, rest = text.partition("{")
    words, _, after = rest.partition("}")
    plain = before + words + after
    found = distinct(find(plain, Span(0, len(plain))))
    assert [each.text for each in found] == ([value] if value else [])
    assert [each.span for each in found] == ([Span(len(before), len(before + words))] * len(found))


@pytest.mark.parametrize(
    ("words", "iso"),
    [
        ("two (2) years", "P2Y"),
        ("a thirty-day period", "P30D"),
        ("eighteen (18) months", "P18M"),
        ("twelve months", "P1Y"),
        ("one hundred and eighty (180) days", "P180D"),
        ("one hundred twenty days", "P120D"),
        ("2 calendar quarters", "P6M"),
        ("six weeks", "P42D"),
        ("1.5 years", "P18M"),
        ("1.5 months", "P1M15D"),
        ("two Contract Years", "P2Y"),
        ("the fifth anniversary", "P5Y"),
        ("half a year", "P6M"),
        ("from year to year", "P1Y"),
        ("another year", "P1Y"),
        ("the sixtieth day before the end", "P60D"),
    ],
)
def test_periods(words: str, iso: str) -> None:
    (found,) = find_periods(words, Span(0, len(words)))
    assert found.value.iso == iso
    assert parse_period(iso) == found.value


@pytest.mark.parametrize("words", ["ten business days", "$30 day", "0 days", "500 years", "May"])
def test_what_is_no_period(words: str) -> None:
    assert [*find_periods(words, Span(0, len(words)))] == []


def test_a_period_in_two_units_is_two() -> None:
    words = "two years and six months"
    found: list[WrittenPeriod] = [*find_periods(words, Span(0, len(words)))]
    assert [each.value.iso for each in found] == ["P2Y", "P6M"]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("30", 30),
        ("1,000,000", 1_000_000),
        ("250.000", 250_000),
        ("thirty", 30),
        ("twenty-four", 24),
        ("one hundred and twenty", 120),
        ("five million", 5_000_000),
        ("two hundred fifty thousand", 250_000),
        ("one million two hundred thousand", 1_200_000),
        ("two and three quarters", Decimal("2.75")),
        ("3/4", Decimal("0.75")),
        ("twice", 2),
        ("several", None),
        ("and", None),
    ],
)
def test_numbers(words: str, value: Decimal | int | None) -> None:
    assert parse_number(words) == value


def test_numbers_next_to_each_other_are_apart() -> None:
    text = "between ten and twenty, one million and two million; Form 10-K; 10 mm; 3.2.1"
    found = find_quantities(text, Span(0, len(text)))
    assert [each.number for each in found] == [
        *(10, 20, 1_000_000, 2_000_000, 10, 10),
        Decimal("3.2"),
    ]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("one third of its assets", "0.3333"),
        ("one-third (1/3) of the Directors", "0.3333"),
        ("a two-thirds majority", "0.6667"),
        ("1/12th of the shares", "0.0833"),
        ("half of the Fee", "0.5"),
        ("three times the Fees", "3"),
    ],
)
def test_parts(text: str, number: str) -> None:
    (found,) = find_quantities(text, Span(0, len(text)))
    assert (f"{round(found.number, 4).normalize():f}", found.unit) == (number, PART)


@pytest.mark.parametrize(
    "text", ["one third party", "the second half of 2024", "30/360", "by 12/31 of each year", "1/2"]
)
def test_what_is_no_part(text: str) -> None:
    assert all(each.unit != PART for each in find_quantities(text, Span(0, len(text))))


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("€40 a month", ["month"]),
        ("€40 per annum, payable monthly", ["year"]),
        ("€40 (forty euros) for each calendar quarter", ["quarter"]),
        ("2% p.a.", ["year"]),
        ("9 days in any year", ["year"]),
        ("5% of the price for every week of delay", ["week"]),
        ("an annual fee of €40, payable in monthly instalments of €4", ["year", "month"]),
        ("The annual fee, which is payable in advance, is €40", ["year"]),
        ("€40 a year after delivery", [""]),
        ("the annual report within 30 days", [""]),
        ("€40 within a month", [""]),
        ("12 monthly instalments of €40", ["", "month"]),
        ("€40 (a month)", ["month"]),
        ("€40 p.c.m.", ["month"]),
        ("8 per cent. per annum", ["year"]),
        ("Per annum, the interest is 8%", ["year"]),
        ("8%, compounded monthly", [""]),
        ("8% (calculated daily) a year", ["year"]),
        ("Compounded monthly, the interest is 8%", [""]),
        ("With quarterly rests, the interest is 8%", [""]),
        ("Credited on the last day of each quarter, interest is 3%", [""]),
        ("Payable in monthly instalments, the fee is €48", [""]),
        ("The annual fee payable monthly is €48", ["year"]),
    ],
)
def test_rates(text: str, units: list[str]) -> None:
    assert [unit for _, unit, _ in find_rates(text, Span(0, len(text)))] == units


def test_numbers_in_words() -> None:
    assert [cardinal_text(each) for each in (7, 13, 30, 45, 100, 180, 365)] == [
        *("seven", "thirteen", "thirty", "forty-five", "one hundred", "one hundred eighty"),
        "three hundred sixty-five",
    ]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("on 3/4/2020", date(2020, 4, 3)),
        ("on 3/4/2020 for EUR 5 under the laws of the State of Ohio", date(2020, 4, 3)),
        ("on 3/4/2020 and 30/4/2020", None),
        ("on 3/3/2020", None),
        ("on 3 April 2020", None),
    ],
)
def test_the_other_reading_of_figures(text: str, other: date | None) -> None:
    assert next(find_dates(text, Span(0, len(text)))).other == other


def test_dates_in_part() -> None:
    text = "as of March __, 1999, this [ ] day of May 2003 and ________, 2019"
    found = find_partial_dates(text, Span(0, len(text)))
    assert [value for value, _ in found] == ["1999-03", "2003-05", "2019"]
    text = "expiring May 31st"
    assert [*find_days(text, Span(0, len(text)))] == [(5, 31, Span(9, 17))]


def test_shifted_days() -> None:
    assert add_months(date(2020, 2, 29), months=12) == date(2021, 2, 28)
    assert add_months(date(2020, 1, 31), months=1) == date(2020, 2, 29)
    assert add_months(date(2020, 11, 15), months=3) == date(2021, 2, 15)
    assert Period(months=12).shift(date(2024, 2, 29)) == date(2025, 2, 28)
    assert Period(days=90).shift(date(2026, 10, 31), back=True) == date(2026, 8, 2)
    assert Period(months=1).shift(date(2026, 3, 31), back=True) == date(2026, 2, 28)


@given(st.integers(0, 10**9), st.sampled_from(["day", "week", "month", "year"]))
def test_a_written_period_reads_back(count: int, unit: str) -> None:
    text = f"for {count:,} {unit}s from then"
    (found,) = find_durations(text, Span(0, len(text)))
    assert found.count == count
    assert found.span.text_in(text) == f"{count:,} {unit}s"


@given(st.text(alphabet="0123456789 ,.%$£months’(yearsdof hundred)-\n", max_size=300))
def test_any_text_gives_places_inside_it(text: str) -> None:
    whole = Span(0, len(text))
    found: list[Written] = [*find_durations(text, whole), *find_amounts(text, whole)]
    for each in found:
        assert 0 <= each.span.start < each.span.end <= len(text)
        assert each.text
