"""Votes of a judge and of people, and how far they agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners_bench.answers.judging import JudgedSystem, load_criteria
from fourcorners_bench.answers.votes import (
    Vote,
    agreement,
    agreements,
    judged_votes,
    people_votes,
    read_votes,
)

SYSTEMS = ("Alder", "Birch")


def judged(*scores: float, by: str = "Alder") -> JudgedSystem:
    return JudgedSystem(by, "judge", {"gaps": {f"q{at}": each for at, each in enumerate(scores)}})


def test_scores_that_differ_by_less_than_a_hundredth_are_a_vote_for_neither() -> None:
    shares = judged_votes(judged(0.9, 0.5, 0.505, 0.2), judged(0.8, 0.5, 0.5, 0.7))
    assert shares == {"gaps": (0.25, 0.25, 0.5)}


def test_a_question_that_only_one_system_answered_is_no_vote() -> None:
    assert judged_votes(judged(0.9, 0.8), judged(0.1)) == {"gaps": (1.0, 0.0, 0.0)}
    assert judged_votes(judged(), judged()) == {}


def test_people_who_are_not_sure_are_left_out() -> None:
    votes = [Vote("q", "gaps", vote, True) for vote in ("Alder", "Alder", "neither", "unsure")]
    (shares,) = people_votes(votes, SYSTEMS).values()
    assert shares == pytest.approx((2 / 3, 0, 1 / 3))


def test_agreement_is_the_mean_over_criteria_and_is_told_without_the_papers_outlier() -> None:
    judge = {"gaps": (1.0, 0.0, 0.0), "understanding": (1.0, 0.0, 0.0)}
    people = {"gaps": (1.0, 0.0, 0.0), "understanding": (0.0, 1.0, 0.0)}
    whole = agreement(judge, people)
    assert whole is not None
    assert (whole.cosine, whole.mae) == pytest.approx((0.5, 1 / 3))
    assert whole.rmse == pytest.approx((2 / 3) ** 0.5 / 2)
    rest = agreement(judge, people, without="understanding")
    assert rest is not None
    assert (rest.cosine, rest.mae, rest.rmse) == (1.0, 0.0, 0.0)
    assert agreement(judge, {}) is None


def test_votes_with_and_without_names_are_compared_apart() -> None:
    judge = {"gaps": (1.0, 0.0, 0.0)}
    votes = [Vote("q", "gaps", "Alder", True), Vote("q", "gaps", "Birch", False)]
    found = agreements(judge, votes, SYSTEMS)
    assert found["people who saw the names"].cosine == 1.0
    assert found["people who did not"].cosine == 0.0
    assert found["people"].mae == pytest.approx(1 / 3)
    assert "people who did not" not in agreements(judge, votes[:1], SYSTEMS)


@pytest.mark.parametrize("wrong", [{"criterion": "charm"}, {"vote": "Cedar"}, {"labelled": "?"}])
def test_a_line_that_is_no_vote_is_named(wrong: dict[str, str], tmp_path: Path) -> None:
    import json

    line = {"question": "q", "criterion": "gaps", "vote": "Alder", "labelled": True}
    path = tmp_path / "votes.jsonl"
    path.write_text(json.dumps(line) + "\n" + json.dumps({**line, **wrong}) + "\n")
    with pytest.raises(ConfigError, match="line 2"):
        read_votes(path, SYSTEMS)


def test_no_criterion_tells_a_judge_to_spare_a_report() -> None:
    for each in load_criteria().items:
        assert not any("not lower" in step or "is high" in step for step in each.steps), each.id
