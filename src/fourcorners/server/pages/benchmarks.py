"""Benchmarks: the last runs that `fourcorners bench` wrote in the operator's folder."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import NotFound
from fourcorners.server.rendering import plots
from fourcorners.server.store import benchmarks
from fourcorners.server.store.benchmarks import (
    BenchmarkFolder,
    BenchRun,
    Measure,
    MeasureGroup,
    MeasureSeries,
)
from fourcorners.text.invisible_characters import single_line

router = APIRouter()
_LAST = 12  # runs of one benchmark that are plotted beside one another


@dataclass(frozen=True, slots=True)
class BenchmarkRuns:
    """The runs of one benchmark, the latest first, and how their headlines compare."""

    name: str
    runs: tuple[BenchRun, ...]
    plot: Markup | None


@dataclass(frozen=True, slots=True)
class PlottedGroup:
    """A group of measures with its plots."""

    group: MeasureGroup
    intervals: Markup | None
    lines: Markup | None
    places: tuple[float, ...]


@router.get("/activity/benchmarks")
def show(context: Context) -> Response:
    """Show the last runs, by benchmark."""
    folder = context.state.settings.benchmarks
    held = benchmarks.read_folder(folder) if folder is not None else BenchmarkFolder(())
    names = sorted({each.benchmark for each in held.runs})
    kept = [
        _kept(number, name, tuple(each for each in held.runs if each.benchmark == name))
        for number, name in enumerate(names)
    ]
    return context.page(
        "benchmarks.html.j2",
        kept=kept,
        folder=None if folder is None else folder.name,
        held=held,
        may_see_all=_is_admin(context),
        tab="benchmarks",
    )


@router.get("/activity/benchmarks/{identity}")
def run(context: Context, identity: str) -> Response:
    """Show one run: what was measured, with what, and all figures."""
    folder = context.state.settings.benchmarks
    if folder is None:
        raise NotFound(f"there is no run {identity[:40]!r}.", remedy="See Benchmarks for all.")
    found = benchmarks.find_run(folder, identity)
    return context.page(
        "benchmark.html.j2",
        run=found,
        groups=[_drawn(number, each) for number, each in enumerate(found.groups)],
        may_see_all=_is_admin(context),
        tab="benchmarks",
    )


def _kept(number: int, name: str, runs: tuple[BenchRun, ...]) -> BenchmarkRuns:
    rows = [
        _row(f"{each.made:%d %b %H:%M} {single_line(each.file)}", each.headline)
        for each in runs[:_LAST]
        if each.headline is not None
        and each.headline.is_share
        and runs[0].headline is not None
        and each.headline.name == runs[0].headline.name
    ]
    what = runs[0].headline.name if runs[0].headline else ""
    title = f"{single_line(name)}: {single_line(what)} of the last runs"
    return BenchmarkRuns(
        name, runs, plots.plot_intervals(f"b{number}", title, rows) if rows else None
    )


def _drawn(number: int, group: MeasureGroup) -> PlottedGroup:
    rows = [_row(single_line(each.name), each) for each in group.plottable]
    shares = [each for each in group.series if all(one.is_share for _, one in each.points)]
    curves = [_line(each) for each in shares]
    title = single_line(group.name) or "Figures"
    places = sorted({at for each in group.series for at, _ in each.points})
    return PlottedGroup(
        group,
        plots.plot_intervals(f"i{number}", f"{title}: figures with their intervals", rows)
        if rows
        else None,
        plots.plot_lines(f"l{number}", f"{title}: figures at 1, 2, 4 …", "how many", curves)
        if curves
        else None,
        tuple(places),
    )


def _row(name: str, figure: Measure) -> plots.IntervalRow:
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return plots.IntervalRow(name, figure.value, low, high, figure.text)


def _line(series: MeasureSeries) -> plots.PlotLine:
    return plots.PlotLine(
        single_line(series.name),
        tuple(
            (
                at,
                each.value,
                each.value if each.low is None else each.low,
                each.value if each.high is None else each.high,
            )
            for at, each in series.points
        ),
    )


def _is_admin(context: RequestContext) -> bool:
    return (context.principal.role_everywhere or 0) >= Role.ADMIN
