"""Plots as SVG, drawn by the server: shapes with classes, whose colours the style sheet gives.

Each says in words what it shows (`title`, `desc`), and has a table of the same figures next to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import log2
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

_WIDTH, _HEIGHT = 640, 300  # pixels
_LABELS, _RIGHT, _ROW, _TOP, _BOTTOM = 220, 64, 26, 8, 30  # pixels of a plot of rows
_KINDS = 6  # of lines that can be distinguished, by colour and by shape


class IntervalRow(NamedTuple):
    """A share with its interval, from 0 to 1; `label` is the share in words."""

    name: str
    value: float
    low: float
    high: float
    label: str


class PlotLine(NamedTuple):
    """Shares at numbers, each with its interval: (x, value, low, high)."""

    name: str
    points: tuple[tuple[float, float, float, float], ...]


def plot_intervals(identity: str, title: str, rows: Sequence[IntervalRow]) -> Markup:
    """Return a plot of shares below one another, each a dot on the line of its interval."""
    height = _TOP + _ROW * len(rows) + _BOTTOM
    row_labels = "; ".join(f"{row.name} {row.label}" for row in rows)
    description = f"Of 0% to 100%, with 95% intervals: {row_labels}."
    placed = [
        (_cut(row.name, 34), _TOP + _ROW * at + _ROW / 2, *map(_x, row[1:4]), row.label)
        for at, row in enumerate(rows)
    ]
    axes = [(share, _x(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    frame = {"labels": _LABELS - 12, "right": _WIDTH - _RIGHT + 8, "top": _TOP}
    return _draw(identity, title, description, height, axes=axes, rows=placed, **frame)


def plot_lines(identity: str, title: str, across: str, drawn: Sequence[PlotLine]) -> Markup:
    """Return a plot of shares over numbers that double; intervals are bands."""
    shown = drawn[:_KINDS]
    most = max((x for each in shown for x, *_ in each.points), default=1.0)
    highest = max((high for each in shown for *_, high in each.points), default=1.0)
    top = next((each for each in (0.05, 0.1, 0.2, 0.25, 0.5, 0.75) if highest <= each), 1.0)
    left, bottom = 56, _HEIGHT - 44

    def place(x: float, y: float) -> tuple[float, float]:
        along = log2(max(1.0, x)) / max(1.0, log2(max(2.0, most)))
        return left + along * (_WIDTH - left - 190), bottom - y / top * (bottom - 16)

    curves = []
    for each in shown:
        upper = [place(x, high) for x, _, _, high in each.points]
        lower = [place(x, low) for x, _, low, _ in reversed(each.points)]
        band = [*upper, *lower] if any(low != high for _, _, low, high in each.points) else []
        middle = [place(x, value) for x, value, _, _ in each.points]
        curves.append((_cut(each.name, 20), middle, band))
    ends = "; ".join(
        f"{each.name} from {each.points[0][1]:.1%} at {each.points[0][0]:g} "
        f"to {each.points[-1][1]:.1%} at {each.points[-1][0]:g}"
        for each in shown
        if each.points
    )
    return _draw(
        *(identity, title, f"By {across}: {ends}. Bands are 95% intervals.", _HEIGHT),
        across=across,
        curves=curves,
        numbers=[(x, place(x, 0)[0]) for x in sorted({x for e in shown for x, *_ in e.points})],
        shares=[(top * step / 5, place(1, top * step / 5)[1]) for step in range(6)],
        frame=(left, place(most, 0)[0], bottom),
    )


def _draw(identity: str, title: str, description: str, height: int, **shapes: object) -> Markup:
    named = {"id": identity, "title": title, "description": description}
    drawn = _template().render(width=_WIDTH, height=height, **named, **shapes)
    return Markup(drawn)  # noqa: S704 - the template escapes every word in it


@cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent.parent / "templates")
    made = Environment(
        loader=folder,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"px": "{:.1f}".format, "number": "{:g}".format, "percent": "{:.0%}".format}
    return made.get_template("_plot.svg.j2")


def _x(share: float) -> float:
    return _LABELS + max(0.0, min(1.0, share)) * (_WIDTH - _LABELS - _RIGHT)


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"
