"""The plot of `benchmarks/growth.py`: four panels as SVG, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TypeAlias

Point: TypeAlias = Mapping[str, object]
Reader: TypeAlias = Callable[[Sequence[Point]], list[tuple[float, float]]]
_WIDE, _HIGH = 400, 250  # of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 40, 34  # within a panel
_NUMBER = 38  # between the middles of two numbers below a panel
_STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 } .small { font-size: 11px }
  .grid { stroke: #8c959f; stroke-opacity: .3 } .axis { stroke: #6e7781 }
  .sqlite { stroke: #0550ae; fill: #0550ae } .postgresql { stroke: #a04100; fill: #a04100 }
  path { fill: none; stroke-width: 2 } .dashed { stroke-dasharray: 7 4 }
  .dotted { stroke-dasharray: 2 4 } .name { stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .axis { stroke: #9198a1 }
    .sqlite { stroke: #79b8ff; fill: #79b8ff } .postgresql { stroke: #ffa657; fill: #ffa657 }
  }
"""
_NAMES = {"sqlite": "one SQLite file", "postgresql": "PostgreSQL"}
_DASHES = ("", "dashed", "dotted")


@dataclass(frozen=True, slots=True)
class Line:
    """Values of one store by the number of documents; `dash` tells lines of a store apart."""

    store: str
    dash: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines on axes whose steps are tenfold; `kinds` says what the dashes mean."""

    title: str
    kinds: tuple[str, ...]
    lines: tuple[Line, ...]


def panels(runs: Sequence[Mapping[str, object]]) -> list[Panel]:
    """Return what is drawn of some runs."""
    kinds = "proximity", "words", "meaning"
    asking = [_milliseconds(kind) for kind in kinds]
    peaks = [_value("filling_peak_mb"), _value("asking_peak_mb")]
    made: list[tuple[str, tuple[str, ...], list[Reader]]] = [
        ("CPU milliseconds to store a contract", ("",), [_storing]),
        ("Store, MB", ("",), [_value("store_mb")]),
        ("CPU milliseconds of a question, median", kinds, asking),
        ("Memory at its peak, MB", ("filling", "asking"), peaks),
    ]
    return [
        Panel(
            title,
            names,
            tuple(
                Line(str(run["store"]), dash, tuple(read(_points(run))))
                for run in runs
                for read, dash in zip(readers, _DASHES, strict=False)
            ),
        )
        for title, names, readers in made
    ]


def svg(runs: Sequence[Mapping[str, object]]) -> str:
    """Return the plot of some runs of `benchmarks/growth.py`."""
    drawn = [
        f'<g transform="translate({at % 2 * _WIDE} {at // 2 * _HIGH})">{_panel(panel)}</g>'
        for at, panel in enumerate(panels(runs))
    ]
    width, height = 2 * _WIDE, 2 * _HIGH + 30
    stores = [name for name in _NAMES if any(run["store"] == name for run in runs)]
    legend = "".join(
        f'<path class="{store}" d="M{90 + 300 * at} {height - 18}h30"/>'
        f'<text x="{126 + 300 * at}" y="{height - 14}">{escape(_NAMES[store])}</text>'
        for at, store in enumerate(stores)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="What a library costs as it grows">\n'
        f"<style>{_STYLE}</style>\n" + "\n".join([*drawn, legend]) + "\n</svg>\n"
    )


def _points(run: Mapping[str, object]) -> list[Point]:
    points = run["points"]
    assert isinstance(points, list)  # noqa: S101 - as `growth.py` writes it
    return points


def _number(value: object) -> float:
    assert isinstance(value, int | float)  # noqa: S101
    return float(value)


def _storing(points: Sequence[Point]) -> list[tuple[float, float]]:
    return [
        (_number(each["documents"]), 1000 * _number(each["cpu_store"]) / _number(each["stored"]))
        for each in points
        if each["stored"]
    ]


def _value(name: str) -> Reader:
    return lambda points: [(_number(each["documents"]), _number(each[name])) for each in points]


def _milliseconds(kind: str) -> Reader:
    def read(points: Sequence[Point]) -> list[tuple[float, float]]:
        found = []
        for each in points:
            asked = each["cpu_ms"]
            assert isinstance(asked, dict)  # noqa: S101
            found.append((_number(each["documents"]), _number(asked[kind]["p50"])))
        return found

    return read


def _panel(panel: Panel) -> str:
    xs = [x for line in panel.lines for x, _ in line.points]
    ys = [y for line in panel.lines for _, y in line.points if y > 0]
    across = _Scale(min(xs) / 1.25, max(xs) * 1.25, _LEFT, _WIDE - _RIGHT)
    up = _Scale(*_decades(ys), _HIGH - _BOTTOM, _TOP)
    parts = [f'<text class="title" x="{_LEFT}" y="18">{escape(panel.title)}</text>']
    names = [
        f"{'–' if not dash else '- -' if dash == 'dashed' else '···'} {name}"
        for name, dash in zip(panel.kinds, _DASHES, strict=False)
        if name
    ]
    if names:
        parts.append(f'<text class="small" x="{_LEFT}" y="33">{escape("   ".join(names))}</text>')
    for value in _steps(up):
        y = up.at(value)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDE - _RIGHT}"/>')
        parts.append(
            f'<text class="small" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
            f"{value:,.0f}</text>"
        )
    free = 0.0  # from where on a number has room
    for value in sorted({*xs}):
        x = across.at(value)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{_HIGH - _BOTTOM}"/>')
        if x < free:
            continue
        free = x + _NUMBER
        parts.append(
            f'<text class="small" x="{x:.1f}" y="{_HIGH - _BOTTOM + 16}" text-anchor="middle">'
            f"{value:,.0f}</text>"
        )
    parts += [_line(line, across, up) for line in panel.lines]
    return "".join(parts)


def _line(line: Line, across: _Scale, up: _Scale) -> str:
    places = [(across.at(x), up.at(y)) for x, y in line.points if y > 0]
    dots = "".join(
        f'<circle class="{line.store}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places
    )
    strokes = "".join(
        f'<path class="{line.store} {line.dash}" d="M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}"/>'
        for a, b in pairwise(places)
    )
    return strokes + dots


@dataclass(frozen=True, slots=True)
class _Scale:
    """Places values between two ends, tenfold steps equally far apart."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        """Return where a value stands."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    low = 10.0 ** math.floor(math.log10(min(values)))
    high = 10.0 ** math.ceil(math.log10(max(values) * 1.01))
    return low, high


def _steps(scale: _Scale) -> list[float]:
    first, last = round(math.log10(scale.low)), round(math.log10(scale.high))
    return [10.0**power for power in range(first, last + 1)]
