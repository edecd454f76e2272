"""Statements with the quotes given for them: verdicts, and their counts by label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners_bench.run_files import run_benchmark, run_line, write_lines
from fourcorners_bench.statements import (
    StatementAnswer,
    StatementVerdict,
    judge_statements,
    load_statements,
    read_statement_run,
    statement_measures,
)

QUOTE = "The Tenant shall not assign this Lease\n and the Rent is\tUSD460,000 a year."
LINES: list[dict[str, Any]] = [
    {"id": 7, "quote": QUOTE, "statement": " ".join(QUOTE.split()), "label": "true"},
    {"id": "b", "quote": QUOTE, "statement": "The Rent is USD640,000 a year.", "label": "false"},
    {
        "id": 9,
        "quote": QUOTE,
        "statement": "The Lease is not for the Tenant to assign.",
        "by": "us",
    },
]


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "statements.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), "utf-8")
    return path


def test_statements_are_judged_as_they_would_be_shown(tmp_path: Path) -> None:
    found = load_statements(written(tmp_path, *LINES))
    run = judge_statements(found)
    assert [run_line(each) for each in run] == [
        '{"id": 7, "verdict": "verified"}',
        '{"id": "b", "verdict": "refused"}',
        '{"id": 9, "verdict": "unchecked"}',
    ]
    path = tmp_path / "run.jsonl"
    write_lines(path, run)
    assert run_benchmark(path) == "statements"
    assert read_statement_run(path) == run
    measures: Any = statement_measures(found, run)
    assert list(measures) == ["false", "true", "all"]
    assert measures["false"]["refused"] == measures["true"]["verified"] == 1.0
    assert measures["all"]["unchecked_count"] == 1
    assert measures["all"]["verified_interval"][0] < 1 / 3 < measures["all"]["verified_interval"][1]


@pytest.mark.parametrize("flag", [{"label": True}, {"label": "True"}, {"true": True}])
def test_a_label_is_a_word_or_a_flag(tmp_path: Path, flag: dict[str, Any]) -> None:
    (found,) = load_statements(written(tmp_path, {**LINES[2], **flag}))
    assert found.gold == "true"


def test_a_label_changes_no_verdict(tmp_path: Path) -> None:
    verdicts = [
        judge_statements(load_statements(written(tmp_path, *({**each, **more} for each in LINES))))
        for more in ({"label": "true"}, {"label": "false"}, {"true": False})
    ]
    assert verdicts[0] == verdicts[1] == verdicts[2]


def test_what_is_missing_or_given_twice_is_an_error(tmp_path: Path) -> None:
    found = load_statements(written(tmp_path, *LINES))
    with pytest.raises(ConfigError, match="no verdict on 2 statements, first 'b'"):
        statement_measures(found, [StatementAnswer(7, StatementVerdict.VERIFIED)])
    with pytest.raises(ConfigError, match="the id 7 is given to 2"):
        load_statements(written(tmp_path, LINES[0], LINES[0]))
    with pytest.raises(ConfigError, match="line 1: not a statement with its quote"):
        load_statements(written(tmp_path, {"id": 1, "quote": "x"}))
