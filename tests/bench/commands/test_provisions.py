"""`bench provisions`, and `bench score` on its run, as a person runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fourcorners_bench.extraction.loader import FOURTEEN_PROVISIONS
from tests.cli import tiny

if TYPE_CHECKING:
    from tests.conftest import Program


@pytest.fixture
def annotated(program: Program) -> Program:
    """A program beside a folder of annotated contracts."""
    tiny.write(program.folder / "cuad", many=3)
    return program


@pytest.mark.parametrize("profile", ["default", "plain"])
def test_a_run_is_written_and_scored(annotated: Program, profile: str) -> None:
    run = ("bench", "provisions", "--data", "cuad", "--library", "kept.db", "--profile", profile)
    said = annotated(*run, "--run-out", "run.jsonl", "--json", "record.json").out
    assert f"Scenario 1, {profile}: recall over 3 contracts" in said
    lines = (annotated.folder / "run.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 3 * len(FOURTEEN_PROVISIONS)
    record = json.loads((annotated.folder / "record.json").read_text("utf-8"))
    shape = "chunks" if profile == "plain" else "windows"
    figures = record["measures"][shape]
    assert figures["all"] == {"recall": 1.0, "interval": [1.0, 1.0], "instances": 9}
    assert record["settings"]["seen"] == (profile != "plain")
    annotated("bench", "score", "run.jsonl", "--data", "cuad", "--json", "score.json")
    again = json.loads((annotated.folder / "score.json").read_text("utf-8"))
    assert again["measures"]["run"] == figures


def test_the_gain_over_another_profile_is_shown(annotated: Program) -> None:
    run = ("bench", "provisions", "--data", "cuad", "--library", "kept.db")
    said = annotated(*run, "--profile", "optimised", "--against", "plain").out
    assert "Scenario 1, optimised: the gain" in said
    assert "+0.0" in said


def test_too_few_contracts_to_learn_from_are_told(annotated: Program) -> None:
    run = ("bench", "provisions", "--data", "cuad", "--library", "kept.db")
    said = annotated(*run, "--chunking", code=2, columns=200).err
    assert "all clauses of 'Anti-Assignment' are in the contracts of one fold" in said
    said = annotated(*run, "--profile", "both", code=2, columns=200).err
    assert "too few clauses of 'Anti-Assignment' to learn from: 0 from 0 sources" in said


def test_what_cannot_be_scored_is_told(annotated: Program) -> None:
    (annotated.folder / "run.jsonl").write_text(
        '{"name": "deed 0.txt", "provision": "Insurance", "passages": [[0, 9]]}\n', "utf-8"
    )
    said = annotated("bench", "score", "run.jsonl", "--data", "cuad", code=2).err
    assert "its contracts are those of no scenario" in said
