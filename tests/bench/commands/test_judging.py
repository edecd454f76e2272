"""From two runs of answers to the scores of a judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.llm import FakeModel, Port, Request
from fourcorners_bench.run_files import write_lines
from tests.bench.answers.test_judging import run


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    write_lines(Path("a.jsonl"), run("Alpha", "q", "r", says="The words of Alice.").values())
    write_lines(Path("b.jsonl"), run("Beta", "q", "r", says="The words of Bob.").values())


def invoke(*words: str) -> Any:
    return CliRunner().invoke(app, ["bench", "answers", *words])


def test_two_runs_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def score(request: Request) -> str:
        better = "The words of Alice" in request.messages[-1].text
        return json.dumps({"score": 9 if better else 3})

    def opened(_: Any, **more: Any) -> Port:
        return Port.for_model(FakeModel(score), name="fake:judge", **more)

    monkeypatch.setattr("fourcorners.llm.open_port", opened)
    judged = invoke("judge", "a.jsonl", "b.jsonl", "--json", "scores.json")
    assert judged.exit_code == 0, judged.output
    assert "G-Eval by fake:judge" in judged.output
    found = json.loads(Path("scores.json").read_text())["measures"]["judged"]
    assert [(each["by"], each["means"]["gaps"]) for each in found] == [
        ("Alpha", 0.9),
        ("Beta", 0.3),
    ]
