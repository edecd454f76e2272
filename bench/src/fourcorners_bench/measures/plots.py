"""Plots of figures, drawn by Matplotlib: each as SVG and as PNG, for light and for dark pages.

A plot says what it shows and holds the numbers; `write_plots` draws it. Shares are from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from fourcorners.errors import ConfigError
from fourcorners.system.private_files import make_folder, restrict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# People who do not see colours can distinguish them, too (Okabe and Ito, 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#888888")
_DASHES = ("solid", "dashed", "dotted")
_MARKERS = "osD^vP"
_WIDTH, _HEIGHT, _ROW = 8.0, 4.6, 0.24  # inches of a plot, and of a bar
_DOTS = 160  # of a PNG, an inch
_BINS = 40  # of a histogram
_INKED = (  # settings of what has the colour of the words
    *("axes.labelcolor", "axes.titlecolor", "text.color", "xtick.color", "ytick.color"),
    *(f"boxplot.{part}props.color" for part in ("median", "whisker", "cap")),
    *("boxplot.flierprops.markeredgecolor", "lines.color"),
)
_PERCENT_OF = 0.8  # height of a group that its bars take


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a page."""

    suffix: str
    paper: str
    ink: str
    lines: str


THEMES = (
    Theme("", "#ffffff", "#1a1a1a", "#d9d9d9"),
    Theme("-dark", "#15181c", "#e6e6e6", "#3a4048"),
)


class Plot(Protocol):
    """What can be drawn; `name` is that of its files."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def height(self) -> float: ...
    def draw(self, axes: Axes) -> None: ...


@dataclass(frozen=True, slots=True)
class PlotLine:
    """Points (x, y), with y as a share; `band` are the lower and upper y of each."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LinePlot:
    """Shares against numbers that double from tick to tick, or against shares."""

    name: str
    title: str
    x_label: str
    y_label: str
    lines: tuple[PlotLine, ...]
    doubling: bool = False
    height: float = _HEIGHT

    def draw(self, axes: Axes) -> None:
        from matplotlib.ticker import ScalarFormatter

        for at, line in enumerate(self.lines):
            xs, ys = zip(*line.points, strict=True)
            colour = COLOURS[at % len(COLOURS)]
            axes.plot(
                xs,
                ys,
                label=line.name,
                color=colour,
                linestyle=_DASHES[at // len(COLOURS) % len(_DASHES)],
                marker=_MARKERS[at % len(_MARKERS)],
                markersize=4,
            )
            if line.band:
                low, high = zip(*line.band, strict=True)
                axes.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)
        if self.doubling:
            axes.set_xscale("log", base=2)
            axes.set_xticks(sorted({x for line in self.lines for x, _ in line.points}))
            axes.xaxis.set_major_formatter(ScalarFormatter())
        else:
            _show_percent(axes.xaxis)
        _show_percent(axes.yaxis)
        axes.set_ylim(bottom=0)
        axes.set(xlabel=self.x_label, ylabel=self.y_label)
        _add_legend(axes)


@dataclass(frozen=True, slots=True)
class BarPlot:
    """Numbers of several series for each group, as bars from the left.

    Attributes:
        bars: For each series a number a group; None where there is none.
        intervals: For some series the lower and upper bound of each.
        percent: Whether the numbers are shares.
        published: Groups that are not ours, drawn in grey.
    """

    name: str
    title: str
    x_label: str
    groups: tuple[str, ...]
    bars: Mapping[str, Sequence[float | None]]
    intervals: Mapping[str, Sequence[tuple[float, float] | None]] = field(default_factory=dict)
    percent: bool = True
    published: frozenset[str] = frozenset()

    @property
    def height(self) -> float:
        rows = len(self.groups) * len(self.bars)
        return max(2.2, 1.2 + _ROW * (rows + len(self.groups) / 2))

    def draw(self, axes: Axes) -> None:
        thick = _PERCENT_OF / max(1, len(self.bars))
        for at, (name, numbers) in enumerate(self.bars.items()):
            shift = (at - (len(self.bars) - 1) / 2) * thick
            rows = [row + shift for row in range(len(self.groups))]
            widths = [number or 0.0 for number in numbers]
            colour = COLOURS[at % len(COLOURS)]
            colours = [COLOURS[-1] if each in self.published else colour for each in self.groups]
            axes.barh(rows, widths, thick, label=name, color=colours)
            self._label(axes, name, rows)
        axes.set_yticks(range(len(self.groups)), self.groups)
        axes.invert_yaxis()
        axes.margins(y=0.01)
        axes.grid(visible=False, axis="y")
        if self.percent:
            _show_percent(axes.xaxis)
        axes.set_xlabel(self.x_label)
        if len(self.bars) > 1:
            _add_legend(axes)

    def _label(self, axes: Axes, name: str, rows: Sequence[float]) -> None:
        """Write each number next to its bar, beyond its interval."""
        bounds = self.intervals.get(name) or [None] * len(rows)
        for row, number, bound in zip(rows, self.bars[name], bounds, strict=True):
            if number is None:
                continue
            if bound is not None:
                axes.plot(bound, (row, row), color=axes.yaxis.label.get_color(), linewidth=1)
            axes.annotate(
                f"{100 * number:.1f}" if self.percent else f"{number:,.4g}",
                (max(number, bound[1] if bound else 0.0), row),
                (3, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )


@dataclass(frozen=True, slots=True)
class ScatterPlot:
    """Named points, their regression and the diagonal on which both numbers are the same."""

    name: str
    title: str
    x_label: str
    y_label: str
    groups: Mapping[str, Sequence[tuple[str, float, float]]]
    height: float = _HEIGHT

    def draw(self, axes: Axes) -> None:
        from fourcorners_bench.measures.statistics import regression_slope

        every = [point for points in self.groups.values() for point in points]
        ends = min(min(x, y) for _, x, y in every), max(max(x, y) for _, x, y in every)
        axes.plot(ends, ends, linestyle="dashed", color=COLOURS[-1], label="the same")
        for at, (name, points) in enumerate(self.groups.items()):
            _, xs, ys = zip(*points, strict=True)
            colour = COLOURS[at % len(COLOURS)]
            axes.scatter(xs, ys, color=colour, label=name, marker=_MARKERS[at % len(_MARKERS)])
            for place, (label, x, y) in enumerate(sorted(points, key=lambda each: each[1])):
                shift = (4, 4) if place % 2 else (4, -10)  # neighbours would cover each other
                axes.annotate(label, (x, y), shift, textcoords="offset points", fontsize=7)
            slope = regression_slope(xs, ys)
            if slope == slope:  # it is a number
                line = [mean(ys) + slope * (x - mean(xs)) for x in (min(xs), max(xs))]
                axes.plot((min(xs), max(xs)), line, color=colour, label=f"slope {slope:.2f}")
        _show_percent(axes.xaxis, axes.yaxis)
        axes.set(xlabel=self.x_label, ylabel=self.y_label)
        _add_legend(axes)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often numbers of each size are, with their mean and median."""

    name: str
    title: str
    x_label: str
    y_label: str
    numbers: tuple[float, ...]
    height: float = _HEIGHT

    def draw(self, axes: Axes) -> None:
        axes.hist(self.numbers, bins=_BINS, color=COLOURS[0])
        for at, (name, number) in enumerate(
            (("mean", mean(self.numbers)), ("median", median(self.numbers))), start=1
        ):
            axes.axvline(
                number, color=COLOURS[at], linestyle=_DASHES[at], label=f"{name} {number:,.0f}"
            )
        axes.set(xlabel=self.x_label, ylabel=self.y_label)
        axes.legend()


@dataclass(frozen=True, slots=True)
class BoxPlot:
    """The distribution of shares by series and group: quartiles, and 1.5 times their distance."""

    name: str
    title: str
    y_label: str
    groups: tuple[str, ...]
    boxes: Mapping[str, Sequence[Sequence[float]]]
    _gap: ClassVar[float] = 0.5  # between groups, in boxes

    @property
    def height(self) -> float:
        return max(2.2, 1.2 + _ROW * 1.3 * len(self.groups) * (len(self.boxes) + self._gap))

    def draw(self, axes: Axes) -> None:
        step = len(self.boxes) + self._gap
        for at, (name, values) in enumerate(self.boxes.items()):
            places = [group * step + at for group in range(len(self.groups))]
            drawn = axes.boxplot(
                [list(each) for each in values],
                positions=places,
                widths=0.7,
                orientation="horizontal",
                patch_artist=True,
                flierprops={"markersize": 3},
            )
            for box in drawn["boxes"]:
                box.set(
                    facecolor=COLOURS[at % len(COLOURS)],
                    label=name if box is drawn["boxes"][0] else "",
                )
        middle = (len(self.boxes) - 1) / 2
        axes.set_yticks([at * step + middle for at in range(len(self.groups))], self.groups)
        axes.invert_yaxis()
        _show_percent(axes.xaxis)
        axes.set_xlabel(self.y_label)
        _add_legend(axes)


def _show_percent(*shown: Axis) -> None:
    from matplotlib.ticker import PercentFormatter

    for axis in shown:
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def _add_legend(axes: Axes) -> None:
    """List the series to the right of the plot."""
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))


def require_library() -> None:
    """Refuse, before the work, to draw where nothing draws.

    Raises:
        ConfigError: If Matplotlib is not installed.
    """
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ConfigError(
            "what draws plots is not installed.", remedy="pip install 'fourcorners-bench[plots]'"
        )


def write_plots(folder: Path, plots: Iterable[Plot]) -> list[Path]:
    """Draw each plot in a folder: NAME.svg, NAME.png, NAME-dark.svg and NAME-dark.png.

    Raises:
        ConfigError: If Matplotlib is not installed.
    """
    require_library()
    make_folder(folder)
    written = []
    for plot in plots:
        for theme in THEMES:
            written += _write(folder, plot, theme)
    return written


def _write(folder: Path, plot: Plot, theme: Theme) -> list[Path]:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {
        **dict.fromkeys(_INKED, theme.ink),
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.lines,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": "medium",
        "axes.titleweight": "bold",
        "axes.grid": True,
        "axes.axisbelow": True,
        "figure.facecolor": theme.paper,
        "font.size": 9,
        "grid.color": theme.lines,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        # Words stay words, and the same numbers make the same file.
        "svg.fonttype": "none",
        "svg.hashsalt": plot.name,
    }
    with rc_context(settings):
        figure: Figure = Figure(figsize=(_WIDTH, plot.height), layout="constrained")
        axes = figure.add_subplot()
        plot.draw(axes)
        axes.set_title(plot.title)
        paths = [folder / f"{plot.name}{theme.suffix}.{kind}" for kind in ("svg", "png")]
        figure.savefig(paths[0], metadata={"Date": None})
        figure.savefig(paths[1], dpi=_DOTS, metadata={"Software": None})
    for path in paths:
        restrict(path)
    return paths
