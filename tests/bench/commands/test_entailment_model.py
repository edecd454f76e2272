"""`bench entailment` with language models: several models and tries, answered from recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.llm import FakeModel, Options, Port, Recorder
from tests.bench.entailment.test_loader import content
from tests.bench.entailment.test_model_run import BY, CSV

BENCH = ["bench", "entailment", "--data", "dev.json"]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    for name, value in {"MODEL": "stub", "URL": "http://127.0.0.1:1/v1", "ATTEMPTS": "1"}.items():
        monkeypatch.setenv(f"FOURCORNERS_LLM_{name}", value)
    Path("dev.json").write_text(json.dumps(content(3, 5)))
    Path("train_spans.csv").write_text(CSV, "utf-8")


def invoke(*words: str) -> Any:
    return CliRunner().invoke(app, [*BENCH, *words])


def measures(file: str) -> Any:
    return json.loads(Path(file).read_text("utf-8"))["measures"]


def test_settings_and_models_are_tried_and_run_again_from_a_recording(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def opened(settings: Any, **more: Any) -> Port:
        model = FakeModel(lambda request: json.dumps(BY[request.prompt.name](request)))
        recorded = Recorder(model, Path("exchanges.jsonl"))
        options = Options(0.0, None, settings.max_tokens)
        return Port.for_model(
            recorded,
            name=f"compatible:{settings.model}",
            options=options,
            **{**more, "cache": None},
        )

    words = ["--experiment", "zero-shot", "--experiment", "few-shot-spans", "--tries", "2"]
    for each in ("a", "b", "c"):
        words += ["--model", each]
    with monkeypatch.context() as patched:
        patched.setattr("fourcorners.llm.open_port", opened)
        first = invoke(*words, "--json", "first.json")
    assert first.exit_code == 0, first.output
    found = measures("first.json")["results"]
    assert [(each["profile"], each["model"]) for each in found] == [
        (profile, f"compatible:{model}")
        for model in "abc"
        for profile in ("zero-shot", "few-shot-spans")
    ]
    assert {(each["mean"]["accuracy"], each["calls"]) for each in found} == {(1.0, 12)}
    assert len(found[0]["tries"]) == 2
    (over,) = measures("first.json")["over_models"]
    assert (over["method"], over["variation"], over["f"]) == ("few-shot-spans", 0.0, None)
    assert "PAKTON, table 1" in first.output
    assert "GPT-4o, FS+Spans" in first.output
    one = ["--experiment", "few-shot-spans", "--model", "b", "--tries", "2"]
    again = invoke(*one, "--replay", "exchanges.jsonl", "--json", "b.json", "--run-out", "r.jsonl")
    assert again.exit_code == 0, again.output
    (told,) = measures("b.json")["results"]
    assert told["tries"] == found[3]["tries"]
    assert told["failed"] == 0
    lines = [Path(name).read_text().splitlines() for name in ("r.jsonl", "r.2.jsonl")]
    assert [len(each) for each in lines] == [6, 6]
    scored = CliRunner().invoke(
        app, ["bench", "score", "r.jsonl", "--data", "dev.json", "--json", "s.json"]
    )
    assert scored.exit_code == 0, scored.output
    assert measures("s.json")["accuracy"] == 1.0


def test_what_cannot_be_meant_is_refused() -> None:
    for words in (
        ["--experiment", "psychic"],
        ["--tries", "2"],
        ["--questions", "2"],
        ["--experiment", "zero-shot", "--reports", "r.jsonl"],
        ["--experiment", "rag", "--experiment", "agents", "--reports", "r.jsonl"],
        ["--library", "x.db"],
        ["--experiment", "zero-shot", "--experiment", "rag", "--run-out", "run.jsonl"],
        ["--experiment", "few-shot", "--tries", "1"],
    ):
        done = invoke(*words)
        assert done.exit_code == 1, words
        assert type(done.exception).__name__ == "ConfigError", words
