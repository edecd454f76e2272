"""ContractNLI: systems side by side, and a method against zero-shot over models (Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from fourcorners_bench.entailment.model_report import ZERO_SHOT, published_weighted
from fourcorners_bench.entailment.paper import paper_figures
from fourcorners_bench.entailment.report import LABELS
from fourcorners_bench.measures.named_record import NamedRecord
from fourcorners_bench.measures.plots import BarPlot, Plot, ScatterPlot
from fourcorners_bench.record import Json

_WEIGHTED = "f1_weighted"


def entailment_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield the measures of labels of runs, with the paper's own system by model."""
    bars: dict[str, list[float | None]] = {}
    intervals = {}
    for each in records:
        bars[each.name] = [each.number(name) for name in LABELS]
        intervals[each.name] = [each.interval("intervals", name) for name in LABELS]
    yield _label_plot(bars, intervals)


def model_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield the measures of each setting and model, and each setting against zero-shot."""
    weighted: dict[str, dict[str, float]] = {}
    bars: dict[str, list[float | None]] = {}
    for record in records:
        for each in cast("Sequence[Mapping[str, Json]]", record.measures.get("results", ())):
            figures = cast("Mapping[str, float]", each["mean"])
            profile, model = str(each["profile"]), str(each["model"])
            bars[f"{profile}, {model}"] = [figures[name] for name in LABELS]
            weighted.setdefault(profile, {})[model] = figures[_WEIGHTED]
    yield _label_plot(bars, {})
    yield robustness_plot(weighted)


def robustness_plot(weighted: Mapping[str, Mapping[str, float]]) -> ScatterPlot:
    """Return F1 of settings by model against zero-shot's, with PAKTON's (its Figure 3)."""
    base = weighted.get(ZERO_SHOT, {})
    groups = {}
    for setting, models in weighted.items():
        points = [(name, base[name], value) for name, value in models.items() if name in base]
        if setting != ZERO_SHOT and points:
            groups[setting] = points
    paper = published_weighted("ZS")
    groups["PAKTON (paper)"] = [
        (name, paper[name], value)
        for name, value in published_weighted("PAKTON").items()
        if name in paper
    ]
    return ScatterPlot(
        "entailment-robustness",
        "Weighted F1 by model, against zero-shot (PAKTON, Figure 3)",
        "zero-shot, F1 [W]",
        "method, F1 [W]",
        groups,
    )


def _label_plot(
    bars: Mapping[str, Sequence[float | None]],
    intervals: Mapping[str, Sequence[tuple[float, float] | None]],
) -> BarPlot:
    paper = {
        f"{each.system} (paper)": list(each.figures)
        for each in paper_figures().systems
        if each.system.endswith(", PAKTON")
    }
    title = "ContractNLI; the paper's on its test split"
    labels = tuple(LABELS.values())
    return BarPlot("entailment-labels", title, "share", labels, {**bars, **paper}, intervals)
