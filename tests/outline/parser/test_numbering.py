from __future__ import annotations

import re

import pytest

from fourcorners.outline.parser.numbering import (
    START_PATTERN,
    NumberReading,
    letter_value,
    parse_number,
    roman_value,
)


def read(text: str) -> tuple[str, set[tuple[str, tuple[float, ...]]]] | None:
    match = re.match(START_PATTERN, text)
    number = parse_number(match) if match else None
    if number is None:
        return None
    return number.written, {(reading.family, reading.path) for reading in number.readings}


@pytest.mark.parametrize(
    ("text", "written", "readings"),
    [
        ("ARTICLE VII Fees", "Article VII", {("article", (7,))}),
        ("ARTICLE TWO", "Article TWO", {("article", (2,))}),
        ("Article 5. Fees", "Article 5", {("article", (5,))}),
        ("Section 1.01 Terms", "1.01", {("1.1", (1, 1))}),
        ("Section 4. Fees", "4", {("section", (4,))}),
        ("§ 4 Fees", "4", {("section", (4,))}),
        ("1. Fees", "1", {("1.", (1,))}),
        ("3.0 Fees", "3.0", {("1.", (3,)), ("section", (3,))}),
        ("3.00 Fees", "3.00", {("1.", (3,)), ("section", (3,))}),
        ("2.1Fees", "2.1", {("1.1", (2, 1))}),
        ("2.1.4 Fees", "2.1.4", {("1.1.1", (2, 1, 4))}),
        ("2.1(b) Fees", "2.1(b)", {("1.1()", (2, 1, 2))}),
        ("1.A Fees", "1.A", {("1.A", (1, 1))}),
        ("(h) fees", "(h)", {("(a)", (8,))}),
        ("(i) fees", "(i)", {("(a)", (9,)), ("(i)", (1,))}),
        ("(iv) fees", "(iv)", {("(i)", (4,))}),
        ("(A) fees", "(A)", {("(A)", (1,))}),
        ("(3) fees", "(3)", {("(1)", (3,))}),
        ("a) fees", "a", {("a)", (1,))}),
        ("B. Fees", "B", {("A.", (2,))}),
        ("V. Fees", "V", {("A.", (22,)), ("I.", (5,))}),
        ("FIRST: Fees", "First", {("first", (1,))}),
        ("5 Fees", "5", {("1.", (5,))}),
    ],
)
def test_number(text: str, written: str, readings: set[tuple[str, tuple[float, ...]]]) -> None:
    assert read(text) == (written, readings)


@pytest.mark.parametrize(
    "text", ["i.e. the fees", "U.S. dollars", "30 days", "1,000", "(the fees)"]
)
def test_no_number(text: str) -> None:
    assert read(text) is None


def test_roman_and_letters() -> None:
    assert [roman_value(numeral) for numeral in ("i", "IV", "xlix", "iix", "c")] == [
        1,
        4,
        49,
        None,
        None,
    ]
    assert [letter_value(written) for written in ("a", "Z", "aa", "ab", "1")] == [
        1,
        26,
        27,
        None,
        None,
    ]
    assert NumberReading("1.", (1,)) == NumberReading("1.", (1,))
