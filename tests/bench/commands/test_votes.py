"""From two runs of answers to a ballot, votes, a judge, and how far they agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.llm import FakeModel, Port, Request
from fourcorners_bench.answers.judging import load_criteria
from fourcorners_bench.run_files import write_lines
from tests.bench.answers.test_votes import run


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    write_lines(Path("a.jsonl"), run("Alpha", "q", "r", says="The words of Alice.").values())
    write_lines(Path("b.jsonl"), run("Beta", "q", "r", says="The words of Bob.").values())


def invoke(*words: str) -> Any:
    return CliRunner().invoke(app, ["bench", "answers", *words])


def test_a_judge_and_people_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    made = invoke("ballot", "a.jsonl", "b.jsonl", "--out", "page.html")
    assert made.exit_code == 0, made.output
    assert "The words of Alice" in Path("page.html").read_text()
    key = json.loads(Path("page.key.json").read_text())
    votes = [
        {
            "question": question,
            "criterion": each.id,
            "choice": "left" if key["left"][question] == 0 else "right",
            "reason": "It names the clause." if question == "q" else "",
        }
        for question in ("q", "r")
        for each in load_criteria().items
    ]
    saved = {"ballot": key["ballot"], "voter": "ab", "votes": votes}
    Path("votes.json").write_text(json.dumps(saved))
    told = invoke("agreement", "votes.json", "--key", "page.key.json", "--reasons")
    assert "q, completeness: Alpha: It names the clause." in told.output
    assert told.exit_code == 0, told.output
    assert "gaps: 100 / 0 / 0 (Alpha / Beta / neither)" in told.output

    def score(request: Request) -> str:
        better = "The words of Alice" in request.messages[-1].text
        return json.dumps({"score": 9 if better else 3})

    def opened(_: Any, **more: Any) -> Port:
        return Port.for_model(FakeModel(score), name="fake:judge", **more)

    with monkeypatch.context() as patched:
        patched.setattr("fourcorners.llm.open_port", opened)
        judged = invoke("judge", "a.jsonl", "b.jsonl", "--json", "scores.json")
    assert judged.exit_code == 0, judged.output
    assert "G-Eval by fake:judge" in judged.output
    both = ("agreement", "votes.json", "--key", "page.key.json", "--judged", "scores.json")
    told = invoke(*both, "--json", "agreed.json", "--without", "gaps")
    assert told.exit_code == 0, told.output
    found = json.loads(Path("agreed.json").read_text())["measures"]["agreement"]
    assert (found["cosine"], found["mae"], len(found["criteria"])) == (1.0, 0.0, 8)
    assert invoke(*both, "--without", "charm").exit_code == 1
    assert invoke(*both[:-1], "votes.json").exit_code == 1
