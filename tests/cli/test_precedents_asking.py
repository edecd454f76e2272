"""`precedents` and its benchmark with a language model: answered from recordings, and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.errors import ConfigError, LlmError, LlmNotConfigured
from fourcorners.llm import FakeModel, Options, Port, Recorder, Request
from tests.precedents.told import shown

NAME = "compatible:stub"
CAP = "In no event shall either party's total liability exceed the fees paid in the last year."
ONE_SIDED = "Supplier's total liability shall not exceed the fees paid by Customer last year."
LAW = "This Agreement is governed by the laws of the State of New York, without more."
ASK = ["precedents", "mutual liability cap", "--bank", "deals", "--library", "l.db", "--json"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    for name, value in {"MODEL": "stub", "URL": "http://127.0.0.1:1/v1", "ATTEMPTS": "1"}.items():
        monkeypatch.setenv(f"FOURCORNERS_LLM_{name}", value)
    return tmp_path


@pytest.fixture
def bank(folder: Path) -> None:
    rows = [{"provision": "Liability", "text": text} for text in (CAP, ONE_SIDED, LAW)]
    (folder / "clauses.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    invoke("bank", "import", "clauses.jsonl", "--bank", "deals", "--library", "l.db")


@pytest.fixture
def data(folder: Path) -> Path:
    acord = folder / "acord"
    (acord / "qrels").mkdir(parents=True)
    rows = [
        {"_id": name, "text": text} for name, text in zip("abc", (LAW, CAP, ONE_SIDED), strict=True)
    ]
    (acord / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    query = {"_id": "liability cap", "text": "liability cap", "metadata": {}}
    (acord / "queries.jsonl").write_text(json.dumps(query) + "\n")
    scores = "".join(
        f"liability cap\t{name}\t{score}\n" for name, score in zip("bca", "420", strict=True)
    )
    (acord / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{scores}")
    return acord


def invoke(*words: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(words))
    if code == 0:
        assert done.exit_code == 0, (done.output, done.exception)
    return done


def upside_down(request: Request) -> str:
    """Return the answer of a model that likes governing law best."""
    clauses = shown(request)
    if not clauses:
        return json.dumps({"terms": ["maximum amount"], "wordings": ["Not more than the fees."]})
    if len(clauses) == 1:
        return json.dumps({"reason": "[red]said[/red]", "stars": 5 if clauses[0] == LAW else 2})
    return json.dumps({"reason": "", "better": "A" if clauses[0] == LAW else "B"})


def record(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Have commands ask a fake model, and write down what it says."""

    def opened(settings: Any, **more: Any) -> Port:
        options = Options(0.0, None, settings.max_tokens)
        model = Recorder(FakeModel(upside_down), file)
        return Port.for_model(model, name=NAME, options=options, **{**more, "cache": None})

    monkeypatch.setattr("fourcorners.llm.open_port", opened)


@pytest.mark.usefixtures("bank")
def test_clauses_are_read_again_and_replayed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "exchanges.jsonl"
    for options in (["--profile", "full-pointwise", "--expand"], ["--profile", "full-pairwise"]):
        with monkeypatch.context() as patched:
            record(patched, file)
            first = invoke(*ASK, *options)
        monkeypatch.setenv("FOURCORNERS_LLM_REPLAY", str(file))
        again = invoke(*ASK, *options)
        monkeypatch.delenv("FOURCORNERS_LLM_REPLAY")
        assert again.stdout == first.stdout
        found = json.loads(first.stdout)
        assert found[0]["text"] == LAW
        assert found[0]["model"]["failure"] == ""
    assert found[0]["expansion"] is None
    assert found[0]["model"]["better"] >= 1


@pytest.mark.usefixtures("bank")
def test_what_the_model_said_is_shown_as_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(monkeypatch, folder / "exchanges.jsonl")
    told = invoke(*ASK[:-1], "--profile", "full-pointwise", "--reread", "2", "--expand").output
    assert "Also looked for: maximum amount" in told
    assert "Not more than the fees" in told
    assert "2 stars: [red]said[/red]" in told
    assert "3 calls" in told


@pytest.mark.usefixtures("bank")
def test_a_server_that_is_not_there_leaves_the_order_and_says_so() -> None:
    plain = json.loads(invoke(*ASK).stdout)
    found = json.loads(invoke(*ASK, "--profile", "full-pointwise", "--expand").stdout)
    assert [each["text"] for each in found] == [each["text"] for each in plain]
    assert all("unreachable" in each["model"]["failure"] for each in found)
    assert "unreachable" in found[0]["expansion"]["failure"]
    shown = invoke(*ASK[:-1], "--profile", "full-pairwise", "--expand").output
    assert "not read, and left at its place" in shown
    assert "The query was not expanded" in shown


@pytest.mark.usefixtures("bank")
def test_options_that_do_not_fit_and_a_model_that_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = invoke(*ASK, "--reread", "5", code=2)
    assert isinstance(alone.exception, ConfigError)
    monkeypatch.delenv("FOURCORNERS_LLM_MODEL")
    monkeypatch.delenv("FOURCORNERS_LLM_URL")
    for options in (["--profile", "full-pointwise"], ["--expand"], ["--profile", "bm25-pairwise"]):
        missing = invoke(*ASK, *options, code=2)
        assert isinstance(missing.exception, LlmNotConfigured)
        assert "[llm]" in missing.exception.remedy


def test_the_benchmark_has_profiles_that_ask(
    data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = ["bench", "precedents", "--data", str(data), "--split", "test"]
    with monkeypatch.context() as patched:
        record(patched, folder / "exchanges.jsonl")
        for name in ("bm25-pointwise", "dense-pairwise"):
            invoke(*bench, "--profile", name, "--expand", "--json", "one.json", "--run-out", name)
            ranking = json.loads(Path(name).read_text())["ranking"]
            assert ranking[0][0] == "a"
    one = json.loads(Path("one.json").read_text())
    assert one["settings"]["profile"] == "dense-pairwise"
    assert one["models"]["judge"] == one["models"]["write"] == NAME
    assert one["settings"]["asked"]["failed"] == 0
    assert one["settings"]["asked"]["asked"] == one["settings"]["asked"]["calls"] >= 5
    again = [*bench, "--profile", name, "--expand", "--replay", "exchanges.jsonl"]
    invoke(*again, "--json", "two.json")
    assert json.loads(Path("two.json").read_text())["measures"] == one["measures"]
    idle = invoke(*bench, "--model", "other", code=2)
    assert isinstance(idle.exception, ConfigError)
    silent = invoke(*bench, "--profile", "bm25-pointwise", code=1)
    assert isinstance(silent.exception, LlmError)
    assert "none of 3 questions" in silent.exception.message
    grid = invoke(*bench, "--profile", "bm25-pointwise", "--grid", code=2)
    assert isinstance(grid.exception, ConfigError)


def test_the_grid_has_rows_of_a_language_model_where_one_is_named(
    data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = ["bench", "precedents", "--data", str(data), "--split", "test", "--grid"]
    with monkeypatch.context() as patched:
        record(patched, folder / "exchanges.jsonl")
        invoke(*bench, "--model", "stub", "--json", "grid.json")
    found = json.loads(Path("grid.json").read_text())
    rows = found["measures"]["grid"]
    asked = {"bm25-pointwise, short", "dense-pointwise, short", "bm25-pairwise, short"}
    assert asked <= rows.keys()
    assert found["settings"]["asked"]["first"] == 100
    assert "bm25-pointwise, long" not in rows


def test_the_grids_language_model_rereads_as_many_as_are_asked_for(
    data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = ["bench", "precedents", "--data", str(data), "--split", "test", "--grid"]
    with monkeypatch.context() as patched:
        record(patched, folder / "exchanges.jsonl")
        invoke(*bench, "--model", "stub", "--reread", "2", "--json", "grid.json")
    assert json.loads(Path("grid.json").read_text())["settings"]["asked"]["first"] == 2
    assert isinstance(invoke(*bench, "--reread", "2", code=2).exception, ConfigError)
