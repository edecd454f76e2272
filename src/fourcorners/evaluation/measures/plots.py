"""Line plots as SVG: a few lines, axes, a legend, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2

from fourcorners.evaluation.record import package_text

WIDTH, HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 196, 36, 48
# Told apart by people who do not see colours, too (Okabe and Ito, 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555")
_DASHES = ("", "6 3", "2 3")
_TICKS = 5  # of an axis


@dataclass(frozen=True, slots=True)
class PlotLine:
    """Points (x, y), with y as a share from 0 to 1; `band` are the lower and upper y of each."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float], ...] = ()


def line_plot(
    title: str, across: str, up: str, lines: Sequence[PlotLine], *, doubling: bool = False
) -> str:
    """Return an SVG document.

    The y axis begins at 0%. With `doubling`, x doubles from tick to tick (1, 2, 4 …); else it is a
    share from 0 to 1.
    """
    from jinja2 import Environment

    top = _ceiling([y for line in lines for _, y in (*line.points, *line.band)])
    most = max((x for line in lines for x, _ in line.points), default=1.0) if doubling else 1.0
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    ticks = [step / _TICKS for step in range(_TICKS + 1)]

    def x(value: float) -> float:
        share = log2(value) / max(1.0, log2(most)) if doubling else value / most
        return _LEFT + share * (right - _LEFT)

    def y(value: float) -> float:
        return bottom - value / top * (bottom - _TOP)

    def points(places: Iterable[tuple[float, float]]) -> list[str]:
        return [f"{x(at):.1f},{y(value):.1f}" for at, value in places]

    drawn = []
    for at, line in enumerate(lines):
        xs = [each for each, _ in line.points]
        lower = points(zip(xs, (low for low, _ in line.band), strict=False))
        upper = points(zip(xs, (high for _, high in line.band), strict=False))
        looks = {"colour": COLOURS[at % len(COLOURS)], "dash": _DASHES[at // len(COLOURS) % 3]}
        band = " ".join([*lower, *reversed(upper)])
        drawn.append({"name": line.name, "points": points(line.points), "band": band, **looks})
    marks = [float(2**power) for power in range(int(log2(most)) + 1)] if doubling else ticks
    template = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    ).from_string(package_text("plot.svg.j2"))
    return template.render(
        title=title,
        across=across,
        up=up,
        width=WIDTH,
        height=HEIGHT,
        left=_LEFT,
        top=_TOP,
        right=right,
        bottom=bottom,
        shares=[(y(top * tick), f"{top * tick:.0%}") for tick in ticks],
        ticks=[(x(each), f"{each:g}" if doubling else f"{each:.0%}") for each in marks],
        lines=drawn,
    )


def _ceiling(values: Sequence[float]) -> float:
    """Return the least round share that no value exceeds."""
    most = max(values, default=1.0)
    return next((top for top in (0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 1.0) if most <= top), most)
