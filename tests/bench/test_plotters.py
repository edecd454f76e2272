"""The papers' figures hold the papers' numbers, and those of runs beside them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fourcorners_bench.extraction.loader import FOURTEEN_PROVISIONS, NINE_PROVISIONS
from fourcorners_bench.measures.named_record import NamedRecord
from fourcorners_bench.measures.plots import BarPlot, LinePlot, Plot, ScatterPlot
from fourcorners_bench.plotters import PLOTTERS
from fourcorners_bench.record import Json


def plots_of(benchmark: str, *records: NamedRecord) -> dict[str, Plot]:
    return {plot.name: plot for plot in PLOTTERS[benchmark](records)}


def bars_of(plot: Plot) -> BarPlot:
    assert isinstance(plot, BarPlot)
    return plot


def rounded(row: Sequence[float | None]) -> list[float]:
    return [round(number, 2) for number in row if number is not None]


def test_the_law_firms_figures_are_those_of_its_report() -> None:
    result: dict[str, Json] = {
        "name": "10 chunks, keywords, accused",
        "model": "stub (seed 1)",
        "provisions": {name: {"f1": 0.5} for name in NINE_PROVISIONS},
        "paper": {"RAG 10 - GPT4-32K - Improved Prompt - Follow Up Prompt": 0.95},
    }
    drawn = plots_of("extraction with a model", NamedRecord("run", {"experiments": [result]}))
    assert set(drawn) == {f"law-firm-{number}" for number in range(15, 22)}
    context = bars_of(drawn["law-firm-15"])
    assert rounded(context.bars["First Prompt (paper)"]) == [0.74, 0.8, 0.81]
    assert rounded(context.bars["Follow Up Prompt (paper)"]) == [0.87, 0.89, 0.91]
    model = bars_of(drawn["law-firm-17"])
    assert rounded(model.bars["Follow Up Prompt (paper)"]) == [0.91, 0.92]
    improved = bars_of(drawn["law-firm-19"])
    assert improved.bars["10 chunks, keywords, accused, stub"] == [0.5] * 5
    everything = bars_of(drawn["law-firm-20"])
    assert everything.groups[-1] == "10 chunks, keywords, accused, stub"
    hard = bars_of(drawn["law-firm-21"])
    by_provision = dict(
        zip(hard.groups, rounded(hard.bars["paper, all configurations and tools"]), strict=True)
    )
    told = {"Governing Law": 0.99, "Effective Date": 0.97, "Cap On Liability": 0.67}
    for name, number in told.items():  # as its text says
        assert by_provision[name] == pytest.approx(number, abs=0.011)


def test_gains_by_provision_stand_beside_the_law_firms() -> None:
    shape: dict[str, Json] = {
        "all": {"recall": 0.9, "interval": [0.8, 0.95]},
        "provisions": {
            name: {"recall": 0.9, "interval": [0.8, 1.0]} for name in FOURTEEN_PROVISIONS
        },
    }
    plain: dict[str, Json] = {
        "all": {"recall": 0.7},
        "provisions": {name: {"recall": 0.6} for name in FOURTEEN_PROVISIONS},
    }
    record = NamedRecord("ours", {"windows": shape, "against plain": plain})
    gain = bars_of(plots_of("provisions", record)["provisions-gain"])
    assert rounded(gain.bars["ours, over plain"])[-1] == 0.2
    exclusivity = gain.groups.index("Exclusivity")
    assert rounded(gain.bars["paper, scenario 1"])[exclusivity] == 0.43


def test_methods_stand_side_by_side_at_each_k() -> None:
    def at(value: float) -> dict[str, Json]:
        return {str(k): [value, value - 0.1, value + 0.1] for k in (1, 2, 4, 8, 16, 32, 64)}

    names = ("official_precision", "official_recall", "bound_recall")
    sets: dict[str, Json] = {
        name: {measure: at(value) for measure in names}
        for name, value in (("cuad-mini", 0.5), ("contractnli-mini", 0.7))
    }
    drawn = plots_of(
        "retrieval", NamedRecord("a", {"sets": sets}), NamedRecord("b", {"sets": sets})
    )
    recall = drawn["cuad-mini-recall"]
    assert isinstance(recall, LinePlot)
    labels = [line.name for line in recall.lines]
    assert {"a", "b", "naive (paper)", "pakton-1 (paper)", "perfect"} <= set(labels)
    difficulty = bars_of(drawn["difficulty"])
    assert rounded(difficulty.bars["recall at 64"]) == [0.5, 0.7]


def test_a_method_is_drawn_against_zero_shot_by_model() -> None:
    labels = ("accuracy", "f1_weighted", "f1_entailment", "f1_contradiction", "f1_notmentioned")
    results: list[Json] = [
        {"profile": profile, "model": model, "mean": dict.fromkeys(labels, value)}
        for profile, model, value in (("zero-shot", "M", 0.6), ("agents", "M", 0.8))
    ]
    drawn = plots_of("entailment with a model", NamedRecord("run", {"results": results}))
    plot = drawn["entailment-robustness"]
    assert isinstance(plot, ScatterPlot)
    assert plot.groups["agents"] == [("M", 0.6, 0.8)]
    assert len(plot.groups["PAKTON (paper)"]) == 10


def test_scores_are_drawn_by_criterion() -> None:
    judged: list[Json] = [
        {"by": "ours", "means": {"completeness": 0.7}, "scores": {"completeness": {"q": 0.7}}}
    ]
    drawn = plots_of("answers, judged", NamedRecord("run", {"judged": judged}))
    assert set(drawn) == {"judged-means", "judged-distribution"}


def test_precedents_stand_beside_the_papers_systems() -> None:
    names = ("ndcg@5", "ndcg@10", "3-star@5", "4-star@5", "5-star@5")
    run: dict[str, Json] = {name: [0.7, 0.6, 0.8] for name in names}
    record = NamedRecord("ours", {"all": run, "categories": {"Term": {"queries": 1, **run}}})
    drawn = plots_of("precedents", record)
    tuning = bars_of(drawn["precedents-tuning"])
    assert rounded(tuning.bars["BM25 + Cross-Encoder-MiniLM, fine-tuned (paper)"])[0] == 0.61
    assert "ours" in bars_of(drawn["precedents-ndcg-at-5"]).groups


@pytest.mark.parametrize(
    ("benchmark", "measures"),
    [
        ("cost", {"step_seconds": {"passages": {"cpu": 1.5, "wall": 1.0}}}),
        ("obligations", {"blind": {"precision": 0.9, "recall": 0.8}}),
        ("outline", {"all": {"top_right": 0.8, "top_right_interval": [0.7, 0.9]}}),
        ("parts", {"characters_per_cpu_second": {"outline": 10.0}}),
        ("speed", {"stage_seconds": {"read": 1.0}}),
        ("values", {"values": {"all six": {"precision": 0.9, "recall": 0.6}}}),
        ("verdicts", {"questions": {"cap.is": {"precision": 0.9, "coverage": 0.3}}}),
        ("comparison", {"kinds": {"added": {"known": 4, "reported": 3, "described": 2}}}),
        ("answers", {"evidence_recall": 0.7}),
        ("extraction", {"nine": {"f1": 0.8}, "provisions": {"Audit Rights": {"f1": 0.7}}}),
    ],
)
def test_each_benchmark_has_its_plot(benchmark: str, measures: dict[str, Json]) -> None:
    (plot,) = plots_of(benchmark, NamedRecord("run", measures)).values()
    rows = [number for row in bars_of(plot).bars.values() for number in row]
    assert any(number is not None and number > 0 for number in rows)
