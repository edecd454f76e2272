from __future__ import annotations

from datetime import date

import pytest

from fourcorners.outline.card.dates import add_months, find_dates
from fourcorners.text.span import Span


@pytest.mark.parametrize(
    "written",
    [
        *("March 14, 2023", "14 March 2023", "14th day of March, 2023", "March 14th, 2023"),
        *("3/14/2023", "03/14/23", "14/3/2023", "14.3.2023", "2023-03-14", "14-Mar-2023"),
        *("14 DAY OF MARCH, 2023", "fourteenth (14th) day of March, 2023", "14 March day of 2023"),
        *("MARCH 14, 2023", "Mar. 14, 2023", "March\xa014,\n2023", "14th of March 2023"),
    ],
)
def test_date(written: str) -> None:
    text = f"made on {written} by"
    (found,) = find_dates(text, Span(0, len(text)))
    assert found.value == date(2023, 3, 14)
    assert found.span.text_in(text) == written


@pytest.mark.parametrize(
    "written", ["31/31/2020", "February 30, 2020", "Section 1.2.2020x1", "12", "March 2023", "1/2"]
)
def test_no_date(written: str) -> None:
    assert list(find_dates(written, Span(0, len(written)))) == []


def test_later() -> None:
    assert add_months(date(2020, 2, 29), months=12) == date(2021, 2, 28)
    assert add_months(date(2020, 1, 31), months=1) == date(2020, 2, 29)
    assert add_months(date(2020, 11, 15), months=3) == date(2021, 2, 15)
