"""From which probability the reader's answers are said."""

from __future__ import annotations

import pytest

from fourcorners.models.reader.reader import NEVER
from training.reader.data import NOT_YES
from training.reader.lessons import CLAUSES, FAMILIES, RULINGS, STATEMENTS
from training.reader.limits import FEWEST, Line, choose, shares

YES, NO, NONE = 0, 1, 3


def lines(origin: str, chance: float, right: int, count: int, answer: int = YES) -> list[Line]:
    rest = (1 - chance) / 3
    chances = tuple(chance if at == answer else rest for at in range(4))
    return [Line(origin, at, chances, right) for at in range(count)]


def every(origin: str) -> list[Line]:
    """Return lines of which those from 0.9 are right."""
    return lines(origin, 0.9, YES, FEWEST) + lines(origin, 0.6, NONE, FEWEST)


def test_a_limit_is_the_largest_of_all_origins() -> None:
    sure = every(FAMILIES) + every(CLAUSES)
    assert choose(sure + every(RULINGS))["yes"] == pytest.approx(0.9)
    rulings = lines(RULINGS, 0.97, YES, FEWEST) + lines(RULINGS, 0.95, NONE, FEWEST)
    assert choose(sure + rulings)["yes"] == pytest.approx(0.97)


def test_what_is_seldom_right_or_was_seldom_measured_has_no_limit_that_is_reached() -> None:
    assert choose(every(FAMILIES))["no"] == NEVER
    wrong = lines(RULINGS, 0.99, NONE, FEWEST)
    assert choose(every(FAMILIES) + wrong)["yes"] == NEVER
    few = lines(RULINGS, 0.99, YES, FEWEST - 1)
    assert choose(every(FAMILIES) + few)["yes"] == NEVER


def test_wrong_answers_of_the_same_probability_count() -> None:
    mixed = lines(FAMILIES, 0.9, YES, FEWEST) + lines(FAMILIES, 0.9, NONE, FEWEST)
    assert choose(mixed)["yes"] == NEVER


def test_one_false_statement_of_a_hundred_is_verified() -> None:
    false = [Line(STATEMENTS, at, (at / 200, 0, 0, 1), NOT_YES) for at in range(200)]
    true = lines(STATEMENTS, 0.999, YES, 100)
    limits = choose(false + true + every(FAMILIES))
    scores = shares(false + true, limits)
    assert scores["statements: false ones verified"] <= 0.01
    assert scores["statements: true ones verified"] == 1
    assert scores["statements: true ones refused"] == 0
