"""The plot of `benchmarks/growth.py`: four panels as SVG, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Point: TypeAlias = Mapping[str, Any]
Panel: TypeAlias = tuple[str, Mapping[str, Callable[[Point], float]]]
_INK = "#7d858d"  # distinct from white and from black
_STORES = {"sqlite": ("one SQLite file", "#0072b2"), "postgresql": ("PostgreSQL", "#d55e00")}
_DASHES = ("solid", "dashed", "dotted")


def panels() -> Iterator[Panel]:
    """Yield what is drawn: a title, and the values by what their line is called."""
    yield (
        "CPU milliseconds to store a contract",
        {"": lambda point: 1000 * point["cpu_store"] / (point["stored"] or float("nan"))},
    )
    yield "Store, MB", {"": lambda point: point["store_mb"]}
    kinds = ("proximity", "words", "meaning")
    yield (
        "CPU milliseconds of a question, median",
        {kind: lambda point, kind=kind: point["cpu_ms"][kind]["p50"] for kind in kinds},
    )
    peaks = ("filling", "asking")
    yield (
        "Memory at its peak, MB",
        {peak: lambda point, peak=peak: point[f"{peak}_peak_mb"] for peak in peaks},
    )


def draw_growth(runs: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw some runs of `benchmarks/growth.py` on axes whose steps are tenfold."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    names = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    with rc_context({**dict.fromkeys(names, _INK), "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(8, 5.3), layout="constrained")
        for at, (title, lines) in enumerate(panels(), start=1):
            axes = figure.add_subplot(2, 2, at)
            for run in runs:
                store, colour = _STORES[run["store"]]
                for (name, value), dash in zip(lines.items(), _DASHES, strict=False):
                    xs = [point["documents"] for point in run["points"]]
                    ys = [value(point) for point in run["points"]]
                    label = ", ".join(filter(None, (store, name)))
                    axes.loglog(xs, ys, "o", linestyle=dash, color=colour, label=label, ms=3)
            axes.set_title(title, loc="left", color=_INK)
            axes.grid(alpha=0.3)
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
                axis.set_minor_formatter(NullFormatter())
            axes.legend(frameon=False)
        figure.savefig(path, transparent=True, metadata={"Date": None})
