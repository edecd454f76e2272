"""The generation experiments: their grid, how answers are counted, and what the paper reports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import BudgetExceeded, ConfigError
from fourcorners.library.store import Library
from fourcorners.llm import Budget, Options, Request
from fourcorners.review.prompting.settings import PromptProfile
from fourcorners.settings import Settings
from fourcorners_bench.experiments.read import read_experiment
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction import model_run as asking
from fourcorners_bench.extraction import run as extracting
from fourcorners_bench.extraction.experiments import Experiment, FollowUp
from fourcorners_bench.extraction.loader import NINE_PROVISIONS, paper_figures
from fourcorners_bench.extraction.score import Counts
from tests.cli import tiny
from tests.review import asked

GRID = read_experiment("extraction", "grid", Experiment)
BOOKS = "The shipper may inspect the books of"


def test_the_grid_has_the_papers_rows_and_each_axis() -> None:
    local, *grid = GRID
    rows = {row for each in GRID for row in each.paper}
    assert rows == set(paper_figures()) - {"GenAI Contract Review Tool"}
    assert local.local
    assert len({each.description for each in grid}) == len(grid) == 17
    assert {each.passages for each in grid} == {None, 10, 20}
    assert {each.follow_up for each in grid} == set(FollowUp)
    assert {each.profile for each in grid} == set(PromptProfile)
    assert not any(each.asking.risks for each in grid)
    best = next(each for each in grid if each.name == "10 chunks, keywords, accused")
    (row,) = best.paper
    assert paper_figures()[row]["Mean"] == 0.95
    assert paper_figures()[row]["Cap On Liability"] == 0.95


def test_the_papers_means_are_those_of_its_provisions() -> None:
    for row, figures in paper_figures().items():
        own = [value for name, value in figures.items() if name != "Mean"]
        if len(own) == 9:
            assert sum(own) / 9 == pytest.approx(figures["Mean"], abs=0.012), row


def test_the_nine_provisions_are_those_of_the_playbook() -> None:
    assert len(asking.nine_provisions().provisions) == len(NINE_PROVISIONS) == 9


def test_accuracy_counts_what_is_forgiven_as_right() -> None:
    counts = Counts(true_positives=6, false_negatives=2, true_negatives=1, forgiven=1)
    assert counts.samples == 10
    assert counts.accuracy == 0.8


def answers(request: Request) -> dict[str, Any]:
    told = request.messages[1].text
    deed = told.partition("CARRIAGE DEED ")[2][:1]
    if "“Audit rights”" in told:
        line = next(each for each in told.splitlines() if BOOKS in each)
        return asked.quoted("Whoever ships may read all books.") if deed == "1" else (
            asked.quoted(line)
        )  # fmt: skip
    if "“Governing law”" in told:
        line = next(each for each in told.splitlines() if "Carriage." in each)
        return asked.quoted(line)
    return asked.quoted()


def test_answers_are_counted_as_the_paper_counts_them(tmp_path: Path) -> None:
    tiny.write(tmp_path / "cuad", many=2)
    contracts = cuad.load_cuad(tmp_path / "cuad")
    with pytest.raises(ConfigError, match="no contract has 40 to 60 chunks"):
        asking.filter_by_length(contracts, GRID)
    experiment = Experiment(name="plain", keywords=False, follow_up=FollowUp.NONE)
    assert asking.filter_by_length(contracts, [experiment]) == contracts
    by: dict[str, Any] = {"extract": answers, "requote": {"passages": []}}
    with Library.open(tmp_path / "bench.db") as library:
        extracting.fill_library(
            library, contracts, tmp_path / "cuad", encoder=None, settings=Settings(jobs=1)
        )
        port, model = asked.port(by, job="bench")
        with port:
            result = asking.run_experiment(library, contracts, experiment, port, encoder=None)
        small = Budget(tokens=2_000)
        tight, _ = asked.port(by, job="bench", budget=small, options=Options(max_tokens=200))
        with tight, pytest.raises(BudgetExceeded):
            asking.run_experiment(library, contracts, experiment, tight, encoder=None)
    audit, law = result.provisions["Audit Rights"], result.provisions["Governing Law"]
    assert (audit.true_positives, audit.false_negatives, audit.false_positives) == (1, 1, 1)
    assert result.lenient["Audit Rights"].false_positives == 0
    assert (law.true_positives, law.false_negatives) == (0, 2)
    assert (result.answers, result.invented, result.misleading, result.failed) == (18, 1, 2, 0)
    assert result.spent.calls == len(model.requests) == 19
    told = result.to_json()
    assert (told["calls"], told["invented"], told["paper"]) == (19, 1, {})
    low, high = result.interval(asking.mean_accuracy)
    assert low <= asking.mean_accuracy(result.provisions) <= high
    shown = asking.experiment_table([replace(result, experiment=GRID[2])])
    assert list(shown.columns[-1].cells) == ["0.87 GPT4-Turbo"]
    assert list(asking.provision_table(result).columns[0].cells) == list(NINE_PROVISIONS)
