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
    shares = json.loads(Path("scores.json").read_text())["measures"]["votes"]
    assert shares["judge"]["gaps"] == [1.0, 0.0, 0.0]
    assert shares["people"] == {}
    vote = {"question": "q", "criterion": "gaps", "vote": "Alpha", "labelled": True}
    Path("votes.jsonl").write_text(json.dumps(vote) + "\n")
    people = invoke("judge", "a.jsonl", "b.jsonl", "--people", "votes.jsonl", "--json", "p.json")
    assert people.exit_code == 0, people.output
    measures = json.loads(Path("p.json").read_text())["measures"]
    assert measures["agreement"]["people"] == {"cosine": 1.0, "mae": 0.0, "rmse": 0.0}
    assert "The judge and people" in people.output
    Path("votes.jsonl").write_text(json.dumps({**vote, "vote": "Gamma"}) + "\n")
    assert invoke("judge", "a.jsonl", "b.jsonl", "--people", "votes.jsonl").exit_code == 1
