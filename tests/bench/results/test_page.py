"""The page of results: figures with intervals, what was learned from, and the words of nobody."""

from __future__ import annotations

import json
from pathlib import Path

from fourcorners_bench.record import Json
from fourcorners_bench.results.page import write_page
from fourcorners_bench.results.plan import FOLDERS, STEPS
from fourcorners_bench.results.runs import Result, file_hash, read_results, write_results


def result_in(folder: Path, name: str, measures: dict[str, Json], seen: Json = None) -> Result:
    record = {"benchmark": name, "measures": measures, "settings": {"seen": seen}}
    (folder / f"{name}.json").write_text(json.dumps(record), "utf-8")
    (folder / f"{name}.txt").write_text("<b>table</b>\n", "utf-8")
    (folder / f"{name}.jsonl").write_text("{}\n", "utf-8")
    digest = file_hash(folder / f"{name}.jsonl")
    files = (f"{name}.json", f"{name}.txt", f"{name}.jsonl")
    return Result(name, f"Title of {name}", f"fourcorners bench {name}", "1.2", 3.0, *files, digest)


def test_figures_stand_with_their_intervals_and_what_was_learned(tmp_path: Path) -> None:
    measures: dict[str, Json] = {
        "accuracy": 0.863,
        "f1_contradiction": 0.681,
        "evidence_map": 0.884,
        "intervals": {"accuracy": [0.84, 0.88]},
    }
    found = result_in(tmp_path, "entailment", measures, seen=["a", "b"])
    page = write_page(tmp_path, [found], {"entailment": ["labels"]}, ["Nothing of ACORD."])
    text = page.read_text("utf-8")
    for words in ("86.3%", "84–88", "68.1%", "has learned from 2", "Nothing of ACORD."):
        assert words in text
    assert "&lt;b&gt;table" in text
    assert "<b>table" not in text
    assert "figures/labels-dark.svg" in text
    assert found.sha256[:16] in text


def test_results_are_read_back_and_a_changed_run_file_is_noticed(tmp_path: Path) -> None:
    found = result_in(tmp_path, "outline", {})
    write_results(tmp_path, [found])
    assert read_results(tmp_path) == {"outline": found}
    assert found.is_whole(tmp_path)
    (tmp_path / "outline.jsonl").write_text("{ }\n", "utf-8")
    assert not found.is_whole(tmp_path)
    assert read_results(tmp_path / "nowhere") == {}


def test_each_step_has_its_data_and_a_name_of_its_own() -> None:
    assert len({step.name for step in STEPS}) == len(STEPS)
    for step in STEPS:
        assert step.data in FOLDERS.values()
        assert step.headlines
