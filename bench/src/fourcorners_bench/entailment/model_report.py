"""The results of asking language models for entailment, with the paper's figures.

How much a method hangs on the model is measured as in PAKTON (2025), section 4.1.1, over the
models' weighted F1: its coefficient of variation; an analysis of variance of the method's figures,
with the models split at the median of their zero-shot figures; and the slope of the method's
figures on the zero-shot ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import TYPE_CHECKING, cast

from fourcorners.llm import Spending
from fourcorners_bench.entailment.loader import Split, match_run
from fourcorners_bench.entailment.model_run import Attempt, Setting
from fourcorners_bench.entailment.paper import PublishedFigures, paper_figures
from fourcorners_bench.entailment.report import BEST_QUOTES, LABELS
from fourcorners_bench.entailment.score import MAX_CHARACTERS, entailment_measures, score_document
from fourcorners_bench.measures.model_calls import spending_figures
from fourcorners_bench.measures.statistics import anova, coefficient_of_variation, regression_slope
from fourcorners_bench.measures.tables import figure_table, percent_range, percents
from fourcorners_bench.record import Json, json_figures

if TYPE_CHECKING:
    from rich.table import Table

ZERO_SHOT = "zero-shot"
MIN_MODELS = 3
"""The fewest models for which the measures are reported."""
_WEIGHTED = 1  # of a published system's figures


@dataclass(frozen=True, slots=True)
class Result:
    """A setting with a model: the figures of each try, and what they took.

    Attributes:
        failed: Questions of all tries without an answer; they count as not mentioned.
        invented: Quotes of all tries that are not in the contract.
    """

    setting: Setting
    model: str
    tries: tuple[Mapping[str, Json], ...]
    failed: int = 0
    invented: int = 0
    spent: Spending = field(default_factory=Spending)

    def mean(self, name: str) -> float:
        return mean(cast("float", each[name]) for each in self.tries)

    def to_json(self) -> dict[str, Json]:
        names = (*LABELS, BEST_QUOTES)
        return {
            "profile": self.setting.name,
            "model": self.model,
            "mean": {name: round(self.mean(name), 4) for name in names},
            "tries": list(self.tries),
            "failed": self.failed,
            "invented": self.invented,
            **spending_figures(self.spent),
        }


def build_result(
    split: Split,
    setting: Setting,
    model: str,
    tries: Sequence[Attempt],
    spent: Spending,
    *,
    seed: int = 0,
) -> Result:
    figures = []
    for tried in tries:
        outcomes = [
            score_document(document, judged) for document, judged in match_run(split, tried.answers)
        ]
        figures.append(entailment_measures(outcomes, seed=seed))
    return Result(
        setting,
        model,
        tuple(figures),
        sum(each.failed for each in tries),
        sum(each.invented for each in tries),
        spent,
    )


def table(results: Sequence[Result], title: str) -> Table:
    """Return a row for each setting and try, and the paper's rows of the same methods."""
    shown = figure_table(title, "", *LABELS.values(), f"R {MAX_CHARACTERS}", wrap_words=True)
    names = (*LABELS, BEST_QUOTES)
    for each in results:
        shares = percents(each.mean(name) for name in names)
        shown.add_row(f"{each.setting.name}, {each.model}", *shares, style="bold")
        if len(each.tries) == 1:
            bounds = cast("Mapping[str, Sequence[float]]", each.tries[0]["intervals"])
            spans = (percent_range(*bounds[name], between="–") for name in names)
            shown.add_row("  95%", *spans, style="dim")
        else:
            for number, figures in enumerate(each.tries, start=1):
                values = percents(cast("float", figures[name]) for name in names)
                shown.add_row(f"  try {number}", *values, style="dim")
    shown.add_section()
    for system in published_beside(results):
        shown.add_row(system.system, *percents(system.figures), style="dim")
    return shown


def effort_line(result: Result) -> str:
    spent = result.spent
    cost = "cost unknown" if spent.unpriced else f"cost {spent.cost:,.2f}"
    return (
        f"{result.setting.name}, {result.model}: {spent.calls + spent.cached:,} calls, {cost}; "
        f"{result.failed} without an answer, {result.invented} quotes that are not there."
    )


def published_beside(results: Sequence[Result]) -> Iterator[PublishedFigures]:
    """Yield the paper's figures of the methods that were run, and of the paper's system."""
    methods = {method for each in results for method in each.setting.methods} | {"PAKTON"}
    for each in (*paper_figures().systems, *paper_figures().appendix):
        if each.system.rpartition(", ")[2] in methods:
            yield each


def robustness_by_setting(results: Sequence[Result]) -> list[Robustness]:
    """Return how each setting varies over models, where zero-shot was run with the same."""
    weighted: dict[str, dict[str, float]] = {}
    for each in results:
        weighted.setdefault(each.setting.name, {})[each.model] = each.mean("f1_weighted")
    base = weighted.get(ZERO_SHOT, {})
    return [
        measure_robustness(name, base, weighted[name])
        for name in weighted
        if name != ZERO_SHOT and len(base.keys() & weighted[name].keys()) >= MIN_MODELS
    ]


@dataclass(frozen=True, slots=True)
class Robustness:
    """How a method's figures vary over models, next to those of zero-shot prompts.

    Attributes:
        variation: In percent; `baseline` the same of the zero-shot figures.
        f: Of the analysis of variance; not a number for fewer than four models.
    """

    method: str
    models: int
    variation: float
    baseline: float
    f: float
    p: float
    slope: float

    def to_json(self) -> dict[str, Json]:
        figures = (self.variation, self.baseline, self.f, self.p, self.slope)
        names = ("variation", "variation_zero_shot", "f", "p", "slope")
        record = {name: json_figures(value) for name, value in zip(names, figures, strict=True)}
        return {"method": self.method, "models": self.models, **record}


def measure_robustness(
    method: str, zero_shot: Mapping[str, float], figures: Mapping[str, float]
) -> Robustness:
    """Return the measures over the models that have both figures."""
    models = [name for name in zero_shot if name in figures]
    base = [zero_shot[name] for name in models]
    own = [figures[name] for name in models]
    middle = median(base)
    high = [b for a, b in zip(base, own, strict=True) if a > middle]
    low = [b for a, b in zip(base, own, strict=True) if a <= middle]
    f, p = anova([high, low])
    return Robustness(
        method,
        len(models),
        coefficient_of_variation(own),
        coefficient_of_variation(base),
        f,
        p,
        regression_slope(base, own),
    )


def published_weighted(method: str) -> dict[str, float]:
    """Return the paper's weighted F1 of a method by model."""
    named = ((each.system.rpartition(", "), each.figures) for each in paper_figures().systems)
    return {model: figures[_WEIGHTED] for (model, _, own), figures in named if own == method}


def published_robustness() -> Robustness:
    zero_shot, pakton = published_weighted("ZS"), published_weighted("PAKTON")
    return measure_robustness("PAKTON, table 1", zero_shot, pakton)


def robustness_table(found: list[Robustness]) -> Table:
    """Return the measures, the paper's in the last row."""
    heads = ("models", "variation", "of zero-shot", "F", "p", "slope")
    shown = figure_table("F1 [W] over models", "", *heads)
    for each in [*found, published_robustness()]:
        shown.add_row(
            each.method,
            str(each.models),
            f"{each.variation:.1f}%",
            f"{each.baseline:.1f}%",
            *("" if math.isnan(one) else f"{one:.2f}" for one in (each.f, each.p, each.slope)),
            style=None if each in found else "dim",
        )
    return shown
