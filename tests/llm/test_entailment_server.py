"""ContractNLI put to a real, tiny model: whatever it says, all is scored, and replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourcorners.llm import open_port
from fourcorners.settings import LlmSettings
from fourcorners_bench.entailment import model_report as results
from fourcorners_bench.entailment import model_run as entailment_asking
from fourcorners_bench.entailment.exemplars import ExemplarSet, read_examples
from fourcorners_bench.entailment.loader import load_split
from fourcorners_bench.entailment.model_run import read_settings
from tests.bench.entailment.test_loader import content
from tests.bench.entailment.test_model_run import CSV

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.mark.parametrize("name", ["zero-shot", "few-shot-spans-hypothesis"])
def test_a_tiny_model_judges_two_documents_and_replays_the_same(
    llama: str, tmp_path: Path, name: str
) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(content(3, 5)))
    (tmp_path / "spans.csv").write_text(CSV, "utf-8")
    (setting,) = read_settings(name)
    split = load_split(tmp_path / "dev.json")
    exemplars = ExemplarSet(read_examples(tmp_path / "spans.csv"))
    file = tmp_path / "exchanges.jsonl"
    settings = LlmSettings(
        model="smollm2", url=llama, max_tokens=80, attempts=1, timeout=240, seed=7, cache=False
    )
    with open_port(settings.model_copy(update={"record": file}), job="larch") as port:
        tried = entailment_asking.run_attempt(split, setting, port, exemplars)
        told = results.build_result(split, setting, "smollm2", [tried], port.spending)
    assert len(tried.answers) == 6
    assert port.spending.tokens_out > 0
    assert 0 <= told.mean("accuracy") <= 1
    assert tried.failed < 6
    nowhere = {"url": "http://127.0.0.1:1/v1", "replay": file}
    with open_port(settings.model_copy(update=nowhere), job="larch") as port:
        assert entailment_asking.run_attempt(split, setting, port, exemplars) == tried
