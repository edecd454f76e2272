from __future__ import annotations

from fourcorners.models.registry import default_reader
from fourcorners.research.answerability.search import answer_signs, default_weights, judge


def test_what_is_read_decides_whether_a_contract_answers() -> None:
    assert judge([4.0, 2.0], None).answers
    assert not judge([-6.0, -8.0], None).answers
    assert not judge([], None).answers


def test_what_a_review_makes_of_a_known_kind_is_heard_and_does_not_decide_alone() -> None:
    assert judge([1.0], 6.0).chance > judge([1.0], -6.0).chance
    assert judge([8.0], -2.0).answers
    assert not judge([-8.0], 2.0).answers


def test_signs_are_those_that_the_weights_name() -> None:
    weights = default_weights()
    assert answer_signs([1.0], None).keys() == weights.unknown.weights.keys()
    assert answer_signs([1.0], 0.0).keys() == weights.known.weights.keys()
    assert weights.reader == default_reader().name
