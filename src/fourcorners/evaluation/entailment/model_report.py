"""What asking language models for entailment came to, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import TYPE_CHECKING, cast

from fourcorners.evaluation.entailment.loader import Split, match_run
from fourcorners.evaluation.entailment.model_run import Attempt
from fourcorners.evaluation.entailment.report import (
    BEST_QUOTES,
    LABELS,
    PublishedFigures,
    load_paper,
)
from fourcorners.evaluation.entailment.robustness import MIN_MODELS, Robustness, measure_robustness
from fourcorners.evaluation.entailment.score import (
    MAX_CHARACTERS,
    entailment_measures,
    score_document,
)
from fourcorners.evaluation.entailment.settings import SETTINGS, Setting
from fourcorners.evaluation.record import Json
from fourcorners.llm import Spending

if TYPE_CHECKING:
    from rich.table import Table

ZERO_SHOT = "zero-shot"


@dataclass(frozen=True, slots=True)
class Result:
    """A setting with a model: the figures of each try, and what they took.

    Attributes:
        failed: Questions of all tries that no answer came to; they count as not mentioned.
        invented: Quotes of all tries that do not stand in the contract.
    """

    setting: Setting
    model: str
    tries: tuple[Mapping[str, Json], ...]
    failed: int = 0
    invented: int = 0
    spent: Spending = field(default_factory=Spending)

    def mean(self, name: str) -> float:
        """Return the mean of a figure over the tries."""
        return mean(cast("float", each[name]) for each in self.tries)

    def to_json(self) -> dict[str, Json]:
        """Return the figures for the record."""
        names = (*LABELS, BEST_QUOTES)
        return {
            "profile": self.setting.name,
            "model": self.model,
            "mean": {name: round(self.mean(name), 4) for name in names},
            "tries": list(self.tries),
            "failed": self.failed,
            "invented": self.invented,
            "calls": self.spent.calls,
            "cached": self.spent.cached,
            "tokens_in": self.spent.tokens_in,
            "tokens_out": self.spent.tokens_out,
            "cost": None if self.spent.unpriced else round(self.spent.cost, 6),
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
    """Score the tries of a setting."""
    figures = []
    for tried in tries:
        outcomes = [
            score_document(document, told) for document, told in match_run(split, tried.answers)
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
    from rich.table import Table

    shown = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    shown.add_column("", no_wrap=True)
    for head in (*LABELS.values(), f"R {MAX_CHARACTERS}"):
        shown.add_column(head, justify="right", no_wrap=True)
    names = (*LABELS, BEST_QUOTES)
    for each in results:
        told = (f"{100 * each.mean(name):.1f}" for name in names)
        shown.add_row(f"{each.setting.name}, {each.model}", *told, style="bold")
        if len(each.tries) > 1:
            for number, figures in enumerate(each.tries, start=1):
                values = (f"{100 * cast('float', figures[name]):.1f}" for name in names)
                shown.add_row(f"  try {number}", *values, style="dim")
    shown.add_section()
    for system in published_beside(results):
        shown.add_row(
            system.system, *(f"{100 * value:.1f}" for value in system.figures), style="dim"
        )
    return shown


def effort_line(result: Result) -> str:
    """Return what a setting took, in a line."""
    spent = result.spent
    cost = "cost unknown" if spent.unpriced else f"cost {spent.cost:,.2f}"
    return (
        f"{result.setting.name}, {result.model}: {spent.calls + spent.cached:,} calls, {cost}; "
        f"{result.failed} without an answer, {result.invented} quotes that do not stand there."
    )


def published_beside(results: Sequence[Result]) -> Iterator[PublishedFigures]:
    """Yield the paper's figures of the methods that were run, and of its own system."""
    methods = {method for each in results for method in each.setting.methods} | {"PAKTON"}
    for each in (*load_paper().systems, *load_paper().appendix):
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
        for name in SETTINGS
        if name != ZERO_SHOT
        and name in weighted
        and len(base.keys() & weighted[name].keys()) >= MIN_MODELS
    ]
