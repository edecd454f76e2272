"""A capable model's runs, kept as recordings, come to the published figures with no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.sample import draw_samples
from fourcorners.cli.main import app
from tests.conftest import ROOT

pytestmark = [pytest.mark.corpus, pytest.mark.slow]
RECORDED = ROOT / "bench" / "benchmarks" / "recorded"
NAMES = sorted(path.stem for path in RECORDED.glob("*.jsonl"))
NLI = ("entailment", "--data", "sample/contractnli/dev.json", "--tries", "1")
FEW_SHOT = (*NLI, "--experiment", "few-shot-spans-hypothesis")
REVIEW = ("extraction", "--data", "sample/cuad", "--experiment", "recorded")
LONGEST = 80  # characters in a row of a contract that an answer may hold by chance
ACORD = ("precedents", "--data", "sample/acord", "--profile")


@pytest.fixture(autouse=True)
def sample(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("FOURCORNERS_LLM_MODEL", "assistant")
    monkeypatch.setenv("FOURCORNERS_LLM_URL", "http://127.0.0.1:1/v1")
    draw_samples(corpus, tmp_path / "sample")


@pytest.mark.parametrize(
    ("name", "words", "at", "figure"),
    [
        ("extraction", REVIEW, ("experiments", 0, "nine", "f1"), 0.9044),
        ("few-shot", FEW_SHOT, ("results", 0, "mean", "accuracy"), 0.7833),
        ("pointwise", (*ACORD, "bm25-pointwise", "--reread", "20"), ("all", "ndcg@5", 0), 0.724622),
    ],
)  # fmt: skip
def test_a_recorded_run_comes_to_its_figure(
    name: str, words: tuple[str, ...], at: tuple[str | int, ...], figure: float
) -> None:
    asked = ["bench", *words, "--replay", str(RECORDED / f"{name}.jsonl"), "--json", "run.json"]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(Path("run.json").read_text("utf-8"))["measures"]
    for each in at:
        found = found[each]
    assert found == pytest.approx(figure)


@pytest.mark.parametrize("name", NAMES or ["none"])
def test_a_recording_holds_no_words_of_contracts(name: str, corpus: Path) -> None:
    texts = [path.read_text("utf-8") for path in (corpus / "cuad" / "contracts").glob("*.txt")]
    texts += [(corpus / "acord" / "corpus.jsonl").read_text("utf-8")]
    texts += [(corpus / "contractnli" / "dev.json").read_text("utf-8")]
    whole = "\n".join(texts)
    for line in (RECORDED / f"{name}.jsonl").read_text("ascii").splitlines():
        for part in json.loads(line)["response"]["text"]:
            if isinstance(part, str):
                starts = range(0, len(part) - LONGEST, LONGEST // 2)
                assert not any(part[at : at + LONGEST] in whole for at in starts)
