"""What is asserted: limits that leave few errors, scored on folds they were not chosen on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.models.verdict_reader.limits import VerdictScore, choose_limits, score_verdicts
from fourcorners_bench.verdicts import (
    read_contrary,
    read_run,
    score_contrary,
    total_score,
    verdict_measures,
)

CAP = ("cap", "limited")


def line(probability: float, *, right: bool = True, **more: Any) -> dict[str, Any]:
    return {
        "id": "cap-1",
        "provision": "cap",
        "question": "limited",
        "value": "yes",
        "right": "yes" if right else "no",
        "probability": probability,
        "silent": False,
        "silences": ["", "silent"],
        "settled": True,
        "fold": 0,
        **more,
    }


def lines(sure: int, unsure: int, wrong: int = 0, **more: Any) -> list[dict[str, Any]]:
    """Return right answers at .99, and others at .6 of which every second is wrong."""
    return [
        *(line(0.99, **more) for _ in range(sure - wrong)),
        *(line(0.99, right=False, **more) for _ in range(wrong)),
        *(line(0.6, right=bool(at % 2), **more) for at in range(unsure)),
    ]


def test_a_limit_leaves_out_what_is_often_wrong() -> None:
    limit = choose_limits(lines(200, 60))[CAP]
    assert 0.6 < limit <= 0.99


def test_one_error_is_counted_beforehand() -> None:
    assert choose_limits(lines(10, 0)) == {}  # without an error, and yet too few to tell
    assert choose_limits(lines(200, 0))
    assert choose_limits(lines(200, 0, wrong=40)) == {}


def test_nothing_is_learned_of_silence_nor_of_what_readers_did_not_settle() -> None:
    assert choose_limits([]) == {}
    assert choose_limits(lines(200, 0, silent=True)) == {}
    assert choose_limits(lines(200, 0, settled=False)) == {}
    assert choose_limits(lines(200, 0, id="contrary-1")) == {}


def test_a_question_whose_own_answers_are_wrong_has_no_limit() -> None:
    bad = [line(0.99, right=at % 4 > 0, question="unlimited") for at in range(40)]
    limits = choose_limits([*lines(1_000, 60), *bad])
    assert ("cap", "limited") in limits
    assert ("cap", "unlimited") not in limits


def test_each_fold_is_judged_by_the_limits_of_the_others() -> None:
    good = [each for fold in range(3) for each in lines(200, 0, fold=fold)]
    (score,) = score_verdicts(good)
    assert score == VerdictScore("cap", "limited", 600, 600, 600, 600)
    assert (score.precision, score.coverage) == (1.0, 1.0)
    # What is only in one fold gets its limits from folds that have nothing of it.
    (alone,) = score_verdicts(lines(200, 0))
    assert (alone.asserted, alone.precision, alone.coverage) == (0, None, 0.0)
    spoiled = [*good, *(line(0.99, right=False, fold=0) for _ in range(30))]
    (scored,) = score_verdicts(spoiled)
    assert (scored.clauses, scored.right) == (630, 200)  # of folds 1 and 2 nothing is asserted
    assert scored.asserted == 230


def test_what_a_clause_does_not_say_is_not_to_be_asserted() -> None:
    quiet = [
        {**line(0.9, value="silent", silent=True), "right": right}
        for right in ("silent", "yes", None)
    ]
    (score,) = score_verdicts(quiet)
    assert (score.clauses, score.stated, score.asserted) == (3, 1, 0)


def test_contrary_clauses_fail_by_what_is_asserted_wrongly() -> None:
    contrary = [
        line(0.999, id="contrary-0", settled=False),
        line(0.999, id="contrary-0", settled=False, fold=1),
        line(0.999, id="contrary-1", value="no", settled=False),
        line(0.3, id="contrary-2", settled=False),
        line(0.999, id="contrary-3", silent=True, settled=False),
    ]
    wrong = {f"contrary-{at}": {"limited": ["yes"]} for at in range(4)}
    assert score_contrary([*lines(200, 60), *contrary], wrong) == (2, 5)
    assert score_contrary(contrary, wrong) == (0, 5)  # without limits nothing is asserted
    with pytest.raises(ConfigError, match="lacks: contrary-3"):
        score_contrary(contrary, {f"contrary-{at}": {} for at in range(3)})


def test_scores_add_up_and_are_recorded() -> None:
    scores = [VerdictScore("cap", "limited", 9, 8, 5, 4), VerdictScore("cap", "who", 3, 0, 0, 0)]
    is_one = VerdictScore("cap", "is", 7, 7, 7, 7)  # no answer, and not counted
    assert total_score([is_one, *scores]) == VerdictScore("All", "answers", 12, 8, 5, 4)
    assert total_score([]).precision is None
    assert verdict_measures(scores)["cap.limited"] == {
        "clauses": 9,
        "stated": 8,
        "asserted": 5,
        "right": 4,
        "precision": 0.8,
        "coverage": 0.5,
    }


def test_a_run_and_contrary_clauses_are_read(tmp_path: Path) -> None:
    run, contrary = tmp_path / "run.jsonl", tmp_path / "contrary.jsonl"
    run.write_text(json.dumps(line(0.5)) + "\n", "utf-8")
    assert read_run(run) == [line(0.5)]
    contrary.write_text('{"wrong": {}}\n{"wrong": {"deemed_assignment": ["yes"]}}\n', "utf-8")
    assert read_contrary(contrary) == {
        "contrary-0": {},
        "contrary-1": {"deemed-assignment": ["yes"]},
    }


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"id": "a"}', "line 1: not a verdict"),
        (json.dumps(line(0.5) | {"probability": "high"}), "probability is 'high'"),
        ("7", "line 1: not a verdict"),
    ],
)
def test_a_line_of_another_form_is_named(tmp_path: Path, content: str, what: str) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=what):
        read_run(run)
    run.write_text('{"right": {}}', "utf-8")
    with pytest.raises(ConfigError, match="not a contrary clause"):
        read_contrary(run)
