from __future__ import annotations

from dataclasses import replace

from fourcorners.research.answerability.reader_rule import (
    FEATURES,
    combine_judgement,
    default_rule,
    reader_features,
)
from fourcorners.research.answerability.sufficiency import Judgement
from fourcorners.search.sentences.answer_scores import default_weights as lines

JUDGED = Judgement(chance=0.4, threshold=0.5)
STRONG = {0: 4.0, 3: 2.5, 5: -1.0}
WEAK = {0: -5.0, 3: -6.0}


def test_signs_are_what_search_and_reader_say() -> None:
    found = reader_features(replace(JUDGED, chance=0.5), STRONG, 0.5)
    assert found == {"search": 0.0, "reader": 4.0, "second": 2.5, "both": 0.0}
    assert reader_features(JUDGED, STRONG, 0.5)["search"] < 0
    assert reader_features(JUDGED, {1: 0.5}, 0.5)["second"] == lines().unread


def test_what_reads_well_answers_and_what_does_not_is_absent() -> None:
    strong = combine_judgement(Judgement(0.8, 0.5), STRONG, 0.9)
    weak = combine_judgement(Judgement(0.05, 0.5), WEAK, 0.01)
    assert strong.answers
    assert strong.may_answer
    assert not weak.may_answer
    assert strong.chance > weak.chance


def test_no_sign_speaks_against_an_answer() -> None:
    rule = default_rule()
    assert set(rule.weights) <= set(FEATURES)
    assert all(weight > 0 for weight in rule.weights.values())
    assert 0 < rule.may_answer <= rule.answers < 1


def test_what_may_answer_lies_below_what_counts() -> None:
    assert Judgement(0.5, 0.5).may_answer
    assert Judgement(0.4, 0.5, display_threshold=0.3).may_answer
    assert not Judgement(0.4, 0.5).may_answer
