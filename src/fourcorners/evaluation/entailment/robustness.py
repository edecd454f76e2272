"""How much a method's figures hang on the model: PAKTON (2025), section 4.1.1.

Three measures over the models' weighted F1: its coefficient of variation; an analysis of variance
of the method's figures, with the models split at the median of their zero-shot figures; and the
slope of the method's figures on the zero-shot ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from fourcorners.evaluation.entailment.report import load_paper
from fourcorners.evaluation.measures.statistics import (
    anova,
    coefficient_of_variation,
    regression_slope,
)
from fourcorners.evaluation.record import Json

if TYPE_CHECKING:
    from rich.table import Table

MIN_MODELS = 3
"""Models from which the measures are told."""
_WEIGHTED = 1  # of a published system's figures


@dataclass(frozen=True, slots=True)
class Robustness:
    """How a method's figures vary over models, beside those of zero-shot prompts.

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
        """Return the figures for the record; None for those that cannot be told."""
        return {
            "method": self.method,
            "models": self.models,
            **{
                name: None if math.isnan(value) else round(value, 4)
                for name, value in (
                    ("variation", self.variation),
                    ("variation_zero_shot", self.baseline),
                    ("f", self.f),
                    ("p", self.p),
                    ("slope", self.slope),
                )
            },
        }


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


def published_robustness() -> Robustness:
    """Return the measures of the paper's own table."""
    by: dict[str, dict[str, float]] = {"ZS": {}, "PAKTON": {}}
    for each in load_paper().systems:
        system, _, method = each.system.rpartition(", ")
        if method in by:
            by[method][system] = each.figures[_WEIGHTED]
    return measure_robustness("PAKTON, table 1", by["ZS"], by["PAKTON"])


def robustness_table(found: list[Robustness]) -> Table:
    """Return the measures, the paper's in the last row."""
    from rich.table import Table

    shown = Table(
        title="F1 [W] over models",
        title_justify="left",
        header_style="bold",
        box=None,
        pad_edge=False,
    )
    shown.add_column("", no_wrap=True)
    for head in ("models", "variation", "of zero-shot", "F", "p", "slope"):
        shown.add_column(head, justify="right", no_wrap=True)
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
