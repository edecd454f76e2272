"""Clause numbers put right by their series, and numbers left alone that only look wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.documents.ocr.engines import RecognisedWord
from fourcorners.documents.ocr.series_repair import repair_series


def starts(*lines: str) -> list[str]:
    """Return how each line starts after the numbers were put right."""
    seen = [
        tuple(RecognisedWord(text, 0, 0, 10, 10, 0.9) for text in line.split(maxsplit=1))
        for line in lines
    ]
    return [line[0].text for line in repair_series(seen)]


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("(a) Rent (b) Rates (ce) Taxes (d) Costs", "(a) (b) (c) (d)"),
        ("(a) Rent (b) Rates (c) Taxes (a) Costs (e) Fees", "(a) (b) (c) (d) (e)"),
        ("(d) Rent (e) Rates (£) Taxes (g) Costs", "(d) (e) (f) (g)"),
        ("(i) Rent (ii) Rates (224) Taxes (iv) Costs", "(i) (ii) (iii) (iv)"),
        ("(2) Rent (ii) Rates (iii) Taxes", "(i) (ii) (iii)"),
        ("(i) Rent (il) Rates (iti) Taxes", "(i) (ii) (iii)"),
        ("(a) Rent {b) Rates fe) Taxes (d) Costs", "(a) (b) (c) (d)"),
        ("8. Rent 9. Rates 16. Taxes il. Costs 12. Fees", "8. 9. 10. 11. 12."),
        ("2.1 Rent 2.2 Rates 2.32 Taxes 2.4 Costs", "2.1 2.2 2.3 2.4"),
        ("3.1 Rent 3.4 Rates 3.3 Taxes 3.4 Costs", "3.1 3.2 3.3 3.4"),
        ("12.1. Rent 12.2. Rates 123. Taxes 12.4. Costs", "12.1. 12.2. 12.3. 12.4."),
        ("1.2.1. Rent 1.2.2. Rates 1,2.3. Taxes 1.2.4. Costs", "1.2.1. 1.2.2. 1.2.3. 1.2.4."),
        ("2.A. Rent 2.8. Rates 2.C. Taxes 2.D. Costs", "2.A. 2.B. 2.C. 2.D."),
        ("1. Rent 2. Rates 2. Taxes 2.2 Costs 2.3 Fees 3. Law", "1. 2. 2.1 2.2 2.3 3."),
        ("‘1. Rent 2. Rates", "1. 2."),
    ],
)
def test_a_misread_number_becomes_the_one_that_its_series_lacks(read: str, meant: str) -> None:
    words = read.split()
    lines = [f"{label} {text} are due" for label, text in zip(words[::2], words[1::2], strict=True)]
    assert starts(*lines) == meant.split()


@pytest.mark.parametrize(
    "lines",
    [
        ["(f) Replacements are", "2. Actions are", "(a) Voting is", "(i) Meetings are", "(ii) We"],
        ["(a) Rent is", "(i) Monthly it", "(ii) Yearly it", "(b) Rates are", "(i) We", "(ii) You"],
        ["(a) Rent is", "or the like", "(b) Rates are", "in the year", "(d) Costs are"],
        ["3.1 Grant is", "4.1 Payment is", "8.14 No", "8.16 Yes"],
        ["Sections (c) and", "(a) We agree", "(b) You agree"],
        ["1. Rent is", "2. Rates are", "10 days after", "3. Taxes are"],
        ["5", "6"],
    ],
)
def test_what_is_a_number_of_its_own_stays(lines: list[str]) -> None:
    assert starts(*lines) == [line.split()[0] for line in lines]


@given(st.lists(st.sampled_from(["(a)", "(b)", "(d)", "(e)", "1.", "3.", "2.1", "or", "(£)", "I"])))
def test_no_line_is_lost_and_only_starts_change(labels: list[str]) -> None:
    seen = [
        (RecognisedWord(label, at, 0, at + 1, 1, 0.5), RecognisedWord("Rent", 9, 0, 10, 1, 0.5))
        for at, label in enumerate(labels)
    ]
    done = repair_series(seen)
    assert [line[1:] for line in done] == [line[1:] for line in seen]
    assert [line[0].x0 for line in done] == [line[0].x0 for line in seen]
    assert repair_series([]) == []
