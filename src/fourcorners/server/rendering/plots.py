"""Plots as SVG, drawn by the server: shapes with classes, whose colours the style sheet gives.

Each says in words what it shows (`title`, `desc`), and stands beside a table of the same figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from markupsafe import Markup, escape

_WIDTH = 640  # pixels
_LABELS = 220  # of a row
_RIGHT = 64  # pixels
_ROW = 26  # pixels
_TOP = 8  # pixels
_BOTTOM = 30  # pixels
_HEIGHT = 300  # pixels
_KINDS = 6  # of lines that can be told apart, by colour and by shape


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A share with its interval, from 0 to 1; `told` is the share in words."""

    name: str
    value: float
    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class PlotLine:
    """Shares at numbers, each with its interval: (x, value, low, high)."""

    name: str
    points: tuple[tuple[float, float, float, float], ...]


def plot_intervals(identity: str, title: str, rows: Sequence[IntervalRow]) -> Markup:
    """Return a plot of shares below one another, each a dot on the line of its interval."""
    height = _TOP + _ROW * len(rows) + _BOTTOM
    said = "; ".join(f"{row.name} {row.label}" for row in rows)
    parts = [_axis(share, height) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    for at, row in enumerate(rows):
        y = _TOP + _ROW * at + _ROW / 2
        parts.append(
            f'<text class="name" x="{_LABELS - 12}" y="{y + 4:.1f}" text-anchor="end">'
            f"{escape(_cut(row.name, 34))}</text>"
            f'<line class="spread" x1="{_x(row.low):.1f}" y1="{y:.1f}" x2="{_x(row.high):.1f}" '
            f'y2="{y:.1f}"/>'
            f'<line class="spread" x1="{_x(row.low):.1f}" y1="{y - 4:.1f}" '
            f'x2="{_x(row.low):.1f}" y2="{y + 4:.1f}"/>'
            f'<line class="spread" x1="{_x(row.high):.1f}" y1="{y - 4:.1f}" '
            f'x2="{_x(row.high):.1f}" y2="{y + 4:.1f}"/>'
            f'<circle class="dot" cx="{_x(row.value):.1f}" cy="{y:.1f}" r="4.5"/>'
            f'<text class="figure" x="{_WIDTH - _RIGHT + 8}" y="{y + 4:.1f}">'
            f"{escape(row.label)}</text>"
        )
    return _svg(identity, title, f"Of 0% to 100%, with 95% intervals: {said}.", parts, height)


def plot_lines(identity: str, title: str, across: str, drawn: Sequence[PlotLine]) -> Markup:
    """Return a plot of shares over numbers that double; intervals are bands."""
    shown = drawn[:_KINDS]
    most = max((x for each in shown for x, *_ in each.points), default=1.0)
    top = _ceiling(max((high for each in shown for *_, high in each.points), default=1.0))
    left, bottom = 56, _HEIGHT - 44

    def place(x: float, y: float) -> tuple[float, float]:
        along = log2(max(1.0, x)) / max(1.0, log2(max(2.0, most)))
        return left + along * (_WIDTH - left - 190), bottom - y / top * (bottom - 16)

    right = place(most, 0)[0]
    parts = []
    for step in range(6):
        share = top * step / 5
        y = place(1, share)[1]
        parts.append(
            f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}"/>'
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>'
        )
    parts += [
        f'<text x="{place(x, 0)[0]:.1f}" y="{bottom + 18}" text-anchor="middle">{x:g}</text>'
        for x in sorted({x for each in shown for x, *_ in each.points})
    ]
    parts.append(
        f'<text x="{(left + right) / 2:.1f}" y="{_HEIGHT - 6}" text-anchor="middle">'
        f"{escape(across)}</text>"
    )
    for at, each in enumerate(shown):
        kind = f"k{at}"
        upper = [place(x, high) for x, _, _, high in each.points]
        lower = [place(x, low) for x, _, low, _ in reversed(each.points)]
        middle = [place(x, value) for x, value, _, _ in each.points]
        if any(low != high for _, _, low, high in each.points):
            parts.append(f'<polygon class="band {kind}" points="{_pairs([*upper, *lower])}"/>')
        parts.append(f'<polyline class="curve {kind}" points="{_pairs(middle)}"/>')
        parts += [
            f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in middle
        ]
        y = 24 + 20 * at
        parts.append(
            f'<line class="curve {kind}" x1="{right + 18:.1f}" y1="{y}" x2="{right + 44:.1f}" '
            f'y2="{y}"/><text x="{right + 50:.1f}" y="{y + 4}">{escape(_cut(each.name, 20))}</text>'
        )
    ends = "; ".join(
        f"{each.name} from {each.points[0][1]:.1%} at {each.points[0][0]:g} "
        f"to {each.points[-1][1]:.1%} at {each.points[-1][0]:g}"
        for each in shown
        if each.points
    )
    return _svg(identity, title, f"By {across}: {ends}. Bands are 95% intervals.", parts, _HEIGHT)


def _svg(identity: str, title: str, said: str, parts: Sequence[str], height: int) -> Markup:
    whole = (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-labelledby="{identity}-t {identity}-d" focusable="false">'
        f'<title id="{identity}-t">{escape(title)}</title>'
        f'<desc id="{identity}-d">{escape(said)}</desc>{"".join(parts)}</svg>'
    )
    return Markup(whole)  # noqa: S704 - every word in it is escaped above


def _axis(share: float, height: int) -> str:
    x = _x(share)
    return (
        f'<line class="grid" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{height - _BOTTOM}"/>'
        f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle">{share:.0%}</text>'
    )


def _x(share: float) -> float:
    return _LABELS + max(0.0, min(1.0, share)) * (_WIDTH - _LABELS - _RIGHT)


def _pairs(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def _ceiling(value: float) -> float:
    return next((top for top in (0.05, 0.1, 0.2, 0.25, 0.5, 0.75) if value <= top), 1.0)
