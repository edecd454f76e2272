from __future__ import annotations

from dataclasses import replace

from fourcorners.research.answered import SIGNS, fitted, judge, signs
from fourcorners.research.sufficiency import Judgement
from fourcorners.search.answering import fitted as lines

JUDGED = Judgement(chance=0.4, threshold=0.5)
STRONG = {0: 4.0, 3: 2.5, 5: -1.0}
WEAK = {0: -5.0, 3: -6.0}


def test_signs_are_what_search_and_reader_say() -> None:
    found = signs(replace(JUDGED, chance=0.5), STRONG, 0.5)
    assert found == {"search": 0.0, "reader": 4.0, "second": 2.5, "both": 0.0}
    assert signs(JUDGED, STRONG, 0.5)["search"] < 0
    assert signs(JUDGED, {1: 0.5}, 0.5)["second"] == lines().unread


def test_what_reads_well_answers_and_what_does_not_is_absent() -> None:
    strong = judge(Judgement(0.8, 0.5), STRONG, 0.9)
    weak = judge(Judgement(0.05, 0.5), WEAK, 0.01)
    assert strong.answers
    assert strong.may_answer
    assert not weak.may_answer
    assert strong.chance > weak.chance


def test_no_sign_speaks_against_an_answer() -> None:
    rule = fitted()
    assert set(rule.weights) <= set(SIGNS)
    assert all(weight > 0 for weight in rule.weights.values())
    assert 0 < rule.may_answer <= rule.answers < 1


def test_what_may_answer_lies_below_what_counts() -> None:
    assert Judgement(0.5, 0.5).may_answer
    assert Judgement(0.4, 0.5, least=0.3).may_answer
    assert not Judgement(0.4, 0.5).may_answer
