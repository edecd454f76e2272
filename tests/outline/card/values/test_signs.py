"""What tells candidates apart: kinds of statements, and what a period is counted from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from fourcorners.outline.card.values import signs
from fourcorners.outline.card.values.candidates import date_candidates, end_candidates
from fourcorners.outline.card.values.signs import SignReader
from fourcorners.outline.tree import Outline
from fourcorners.text.span import Span
from fourcorners.text.values.periods import find_periods

KINDS = yaml.safe_load(Path(signs.__file__).with_suffix(".yaml").read_text("utf-8"))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_matches_its_example_and_not_what_stands_close(kind: str) -> None:
    pattern = re.compile("".join(KINDS[kind]["pattern"].splitlines()))
    assert pattern.search(KINDS[kind]["matches"])
    assert not pattern.search(KINDS[kind]["rejects"])


def strong_signs(text: str) -> set[str]:
    """Return the kinds of the statement of the first end that is counted from the agreement."""
    dates, periods = date_candidates(text), [*find_periods(text, Span(0, len(text)))]
    reader = SignReader(text, Outline((), 0.0), dates, periods)
    ends = end_candidates(text, dates, periods, {"2020-01-01": "agreement"})
    return set(reader.strong(next(each for each in ends if each.base == "agreement")))


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("The term is two years from the Effective Date.", "start effective"),
        ("The term is two years from the date hereof.", "start here"),
        ("The term is two years from 1 May 2020.", "start stated"),
        ("The term is two years after the first commercial sale.", "start event"),
        ("It begins on the Effective Date and the term is two years.", "begins effective"),
        ("The term of this Agreement is two years.", "none"),
    ],
)
def test_what_a_period_is_counted_from(words: str, start: str) -> None:
    assert f"!{start} & agreement" in strong_signs(words)


def test_other_dates_and_periods_are_known_as_such() -> None:
    found = strong_signs("The term is two years, then one year, until 1 May 2023.")
    assert {"!period after", "!end stated after"} <= found
