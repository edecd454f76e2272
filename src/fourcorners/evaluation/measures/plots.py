"""Line plots as SVG, written by hand: a few lines, axes, a legend, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from xml.sax.saxutils import escape

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

    Args:
        title: Stands above.
        across: Names the x axis.
        up: Names the y axis, which begins at 0%.
        lines: What is drawn.
        doubling: Whether x doubles from tick to tick (1, 2, 4 …); else it is a share from 0 to 1.
    """
    top = _ceiling([y for line in lines for _, y in (*line.points, *line.band)])
    most = max((x for line in lines for x, _ in line.points), default=1.0) if doubling else 1.0
    frame = _Frame(most, top, doubling)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="12" role="img">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
        *frame.axes(across, up),
    ]
    for at, line in enumerate(lines):
        parts += frame.line(line, COLOURS[at % len(COLOURS)], _DASHES[at // len(COLOURS) % 3])
        parts += _legend(at, line.name)
    return "\n".join([*parts, "</svg>"]) + "\n"


@dataclass(frozen=True, slots=True)
class _Frame:
    most: float
    top: float
    doubling: bool

    def x(self, value: float) -> float:
        share = log2(value) / max(1.0, log2(self.most)) if self.doubling else value / self.most
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - _BOTTOM - value / self.top * (HEIGHT - _TOP - _BOTTOM)

    def axes(self, across: str, up: str) -> list[str]:
        right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
        parts = []
        for step in range(_TICKS + 1):
            value = self.top * step / _TICKS
            y = self.y(value)
            parts.append(
                f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>'
                f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.0%}</text>'
            )
        for value in self._across():
            told = f"{value:g}" if self.doubling else f"{value:.0%}"
            parts.append(
                f'<text x="{self.x(value):.1f}" y="{bottom + 16}" '
                f'text-anchor="middle">{told}</text>'
            )
        middle = (_TOP + bottom) / 2
        return [
            *parts,
            f'<line x1="{_LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}" stroke="black"/>',
            (
                f'<text x="{(_LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
                f"{escape(across)}</text>"
            ),
            (
                f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">'
                f"{escape(up)}</text>"
            ),
        ]

    def _across(self) -> list[float]:
        if not self.doubling:
            return [step / _TICKS for step in range(_TICKS + 1)]
        return [float(2**power) for power in range(int(log2(self.most)) + 1)]

    def line(self, line: PlotLine, colour: str, dash: str) -> list[str]:
        parts = []
        xs = [self.x(x) for x, _ in line.points]
        if line.band:
            edge = [f"{x:.1f},{self.y(low):.1f}" for x, (low, _) in zip(xs, line.band, strict=True)]
            edge += [
                f"{x:.1f},{self.y(high):.1f}"
                for x, (_, high) in reversed(list(zip(xs, line.band, strict=True)))
            ]
            parts.append(f'<polygon points="{" ".join(edge)}" fill="{colour}" opacity="0.15"/>')
        points = [f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in line.points]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" '
            f'stroke-width="2"{dashes}/>'
        )
        for point in points:
            x, y = point.split(",")
            parts.append(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>')
        return parts


def _legend(at: int, name: str) -> list[str]:
    x, y = WIDTH - _RIGHT + 14, _TOP + 8 + 18 * at
    colour, dash = COLOURS[at % len(COLOURS)], _DASHES[at // len(COLOURS) % 3]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return [
        (
            f'<line x1="{x}" y1="{y}" x2="{x + 22}" y2="{y}" stroke="{colour}" '
            f'stroke-width="2"{dashes}/>'
            f'<text x="{x + 28}" y="{y + 4}">{escape(name)}</text>'
        )
    ]


def _ceiling(values: Sequence[float]) -> float:
    """Return the least round share that no value exceeds."""
    most = max(values, default=1.0)
    return next((top for top in (0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 1.0) if most <= top), most)
