"""Families of contrasted clauses: each question is put to each clause, and the answers counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.models.reader.reader import Reading
from fourcorners.text.span import Span
from fourcorners_bench.families import (
    AskLine,
    family_measures,
    is_same,
    load_families,
    read_families,
    read_family_run,
)
from fourcorners_bench.run_files import run_benchmark, run_line, write_lines
from tests.models.reader.fake import FakeReader, named

FAMILY = {
    "topic": "delay",
    "clauses": ["The Buyer may cancel on two days' notice.", "The Buyer may not cancel."],
    "asks": [{"q": "Can the buyer cancel?", "a": ["yes", "no"]}],
    "wh": [{"q": "On what notice?", "spans": ["two days' notice", None]}],
    "whose": [{"q": "Who may cancel?", "parties": ["The Buyer", "both"]}],
}


class NotReader(FakeReader):
    """Answers by "not", and is surer of a clause without it."""

    def read(self, clause: str, questions: Sequence[str]) -> list[Reading]:
        denied = " not " in clause
        chances = (0.1, 0.8, 0.05, 0.05) if denied else (0.9, 0.05, 0.03, 0.02)
        start = clause.find("two days")
        words = named(None if denied else Span(start, len(clause) - 1))
        return [Reading(chances, words, named(Span(0, 9))) for _ in questions]


def written(folder: Path, *families: dict[str, Any]) -> Path:
    path = folder / "families.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in families), "utf-8")
    return path


def test_each_question_is_put_to_each_clause(tmp_path: Path) -> None:
    families = load_families(written(tmp_path, FAMILY))

    run = read_families(families, NotReader())

    assert [json.loads(run_line(each)) for each in run] == [
        {
            "family": 0,
            "ask": 0,
            "clause": 0,
            "answer": "yes",
            "asserted": True,
            "scores": [0.9, 0.05, 0.03, 0.02],
        },
        {"family": 0, "wh": 0, "clause": 0, "span": "two days' notice"},
        {"family": 0, "whose": 0, "clause": 0, "party": "The Buyer"},
        {
            "family": 0,
            "ask": 0,
            "clause": 1,
            "answer": "no",
            "asserted": False,
            "scores": [0.1, 0.8, 0.05, 0.05],
        },
        {"family": 0, "wh": 0, "clause": 1, "span": None},
        {"family": 0, "whose": 0, "clause": 1, "party": "The Buyer"},
    ]
    path = tmp_path / "run.jsonl"
    write_lines(path, run)
    assert run_benchmark(path) == "families"
    assert read_family_run(path) == run
    measures = family_measures(families, run)
    assert measures["right"]["share"] == measures["right of what is asserted"]["share"] == 1.0
    assert measures["yes and no asserted rightly"]["share"] == 0.5
    assert measures["words"]["share"] == 1.0
    assert measures["party"]["share"] == 0.5


def test_a_run_that_lacks_an_answer_is_refused(tmp_path: Path) -> None:
    families = load_families(written(tmp_path, FAMILY))
    run = [each for each in read_families(families, NotReader()) if not isinstance(each, AskLine)]
    with pytest.raises(ConfigError, match="lacks 2 answers, first ask"):
        family_measures(families, run)


def test_a_question_without_an_answer_for_each_clause_is_refused(tmp_path: Path) -> None:
    short = FAMILY | {"asks": [{"q": "Can the buyer cancel?", "a": ["yes"]}]}
    with pytest.raises(ConfigError, match="line 1: a question has not one answer"):
        load_families(written(tmp_path, short))


@pytest.mark.parametrize(
    ("right", "found", "same"),
    [
        ("the Buyer", "Buyer", True),
        ("thirty (30) days' notice", "thirty (30) days'", True),
        ("thirty (30) days' notice", "notice", False),
        (None, None, True),
        (None, "Buyer", False),
    ],
)
def test_words_are_the_same_if_most_are_shared(
    right: str | None, found: str | None, same: bool
) -> None:
    assert is_same(right, found) is same
