"""The commands that ask a language model: answered from recordings, foretold, and refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.cli.review.commands import _description
from fourcorners.errors import BudgetExceeded, ConfigError, LlmNotConfigured
from fourcorners.llm import FakeModel, Options, Port, Recorder, Request
from tests.cli import tiny
from tests.review import asked

NAME = "compatible:stub"
PLAIN = """
runs:
  - name: 10 chunks
    keywords: false
    follow_up: none
    paper: [RAG 10 - GPT4-Turbo - First Prompt, RAG 10 - GPT4-32K - First Prompt]
"""


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")


def configure(monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    given = {"MODEL": "stub", "URL": "http://127.0.0.1:1/v1", "ATTEMPTS": "1", **more}
    for name, value in given.items():
        monkeypatch.setenv(f"FOURCORNERS_LLM_{name}", value)


def invoke(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def answer(request: Request) -> str:
    told = request.messages[1].text
    if "“Governing law”" not in told:
        return json.dumps(asked.quoted())
    return json.dumps(asked.quoted(next(e for e in told.splitlines() if "laws of Norway" in e)))


def record(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Have commands ask a fake model, and write down what it says."""

    def opened(settings: Any, **more: Any) -> Port:
        model = Recorder(FakeModel(answer), file)
        options = Options(settings.temperature, settings.seed, settings.max_tokens)
        return Port.for_model(model, name=NAME, options=options, **{**more, "cache": None})

    monkeypatch.setattr("fourcorners.llm.open_port", opened)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    tiny.write(tmp_path / "cuad", many=2)
    return tmp_path / "cuad"


def assert_beside(output: str) -> None:
    """Check that the paper's figures end the lines of ours: one a line, and none cut."""
    table = output.partition("Nine provisions with a language model")[2]
    heads, first, second, *_ = (line.rstrip() for line in table.strip().splitlines())
    assert heads.endswith("F1 in the paper")
    figures = r" [01]\.\d{3} +[01]\.\d\d–[01]\.\d\d( +[01]\.\d{3}){4} +0\.81 GPT4-Turbo$"
    assert re.search(figures, first)
    assert second.endswith(" 0.85 GPT4-32K")


def test_the_experiments_are_run_again_from_a_recording(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch)
    Path("plain.yaml").write_text(PLAIN, "utf-8")
    bench = ["bench", "extraction", "--data", str(data), "--profile", "words"]
    plain = ["--experiment", "plain.yaml"]
    file = tmp_path / "exchanges.jsonl"
    with monkeypatch.context() as patched:
        record(patched, file)
        first = invoke(*bench, *plain, "--json", "first.json")
    assert first.exit_code == 0, first.output
    again = invoke(*bench, *plain, "--json", "again.json", "--replay", str(file))
    assert again.exit_code == 0, again.output
    (one,), (two,) = (
        json.loads(Path(name).read_text("utf-8"))["measures"]["experiments"]
        for name in ("first.json", "again.json")
    )
    assert one["nine"] == two["nine"]
    assert two["provisions"]["Governing Law"]["f1"] == 1.0
    assert (two["calls"], two["failed"], two["cost"]) == (18, 0, 0.0)
    assert two["paper"] == {
        "RAG 10 - GPT4-Turbo - First Prompt": 0.81,
        "RAG 10 - GPT4-32K - First Prompt": 0.85,
    }
    assert_beside(again.output)
    monkeypatch.setenv("COLUMNS", "80")
    narrow = invoke(*bench, *plain, "--json", "narrow.json", "--replay", str(file))
    assert_beside(narrow.output)
    Path("emotive.yaml").write_text(f"{PLAIN}    emotive: true\n", "utf-8")
    emotive = [*bench, "--experiment", "emotive.yaml", "--replay", str(file)]
    other = invoke(*emotive, "--json", "other.json")
    assert other.exit_code == 0, other.output
    (three,) = json.loads(Path("other.json").read_text("utf-8"))["measures"]["experiments"]
    assert three["failed"] == 18, "what was not recorded is not answered"


def test_what_cannot_be_meant_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = ["bench", "extraction", "--data", str(data)]
    Path("wrong.yaml").write_text("runs: [{name: few, passages: few}]", "utf-8")
    for words in (
        ["--model", "gpt"],
        ["--experiment", "nonsense"],
        ["--experiment", "wrong.yaml"],
        ["--experiment", "recorded", "--run-out", "run.jsonl"],
        ["--experiment", "grid"],  # none has 40 chunks
    ):
        assert isinstance(invoke(*bench, *words).exception, ConfigError), words
    unset = invoke(*bench, "--experiment", "recorded", "--profile", "words").exception
    assert isinstance(unset, LlmNotConfigured)
    assert isinstance(invoke("review", "--estimate").exception, ConfigError)
    configure(monkeypatch, BUDGET="1")
    assert isinstance(invoke("review", "--profile", "paper").exception, ConfigError)
    assert isinstance(invoke("review", "--passages", "3").exception, ConfigError)


def test_a_review_with_a_model_is_foretold_filled_and_stopped(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invoke("add", str(data / "contracts"), "--words-only").exit_code == 0
    review = ["review", "--with-model", "--profile", "paper", "--json"]
    assert isinstance(invoke(*review).exception, LlmNotConfigured)
    configure(monkeypatch, PRICE_IN="2", PRICE_OUT="8")
    told = invoke(*review, "--estimate")
    assert told.exit_code == 0, told.output
    foretold = json.loads(told.stdout)
    assert (foretold["contracts"], foretold["read"], foretold["cells"]) == (2, 2, 34)
    assert foretold["calls"] >= 68
    cost = (2 * foretold["tokens_in"] + 8 * foretold["tokens_out"]) / 1e6
    assert foretold["cost"] == pytest.approx(cost)
    fewer = json.loads(invoke(*review, "--passages", "3", "--estimate").stdout)
    assert ("10 passages" in foretold["model"], "3 passages" in fewer["model"]) == (True, True)
    shown = invoke(*review[:-1], "--estimate").output
    assert "34 cells of 2 contracts to fill." in shown
    assert "Nothing was sent." in shown
    assert "budget" not in shown
    configure(monkeypatch, PRICE_IN="2", PRICE_OUT="8", BUDGET="0.01")
    assert "That passes the budget of $0.01: " in invoke(*review[:-1], "--estimate").output
    monkeypatch.delenv("FOURCORNERS_LLM_BUDGET")
    configure(monkeypatch, BUDGET_TOKENS="100")
    stopped = invoke(*review)
    assert isinstance(stopped.exception, BudgetExceeded)
    assert "The language model: 0 calls" in stopped.stderr
    assert "0 of 34 cells are filled, and kept." in str(stopped.exception)
    configure(monkeypatch, BUDGET_TOKENS="9000000", ATTEMPTS="1", REPLAY=str(tmp_path / "none"))
    Path("none").write_text("", "utf-8")
    grid = invoke(*review)
    assert grid.exit_code == 0, grid.output
    assert "not recorded" in grid.stdout


@pytest.mark.parametrize(
    ("cost", "left", "tokens", "told"),
    [
        (None, None, 0, "Reviewing"),
        (0.0, 0.0, 51_200, "Reviewing (51,200 tokens)"),
        (0.17, 2.16, 51_200, "Reviewing ($0.17, 51,200 tokens, about $2.16 left)"),
        (3.0, 9.5, 1_250_000, "Reviewing ($3.00, 1.25M tokens, about $9.50 left)"),
    ],
)
def test_the_bar_says_what_is_spent(
    cost: float | None, left: float | None, tokens: int, told: str
) -> None:
    assert _description(cost, left, tokens) == told
