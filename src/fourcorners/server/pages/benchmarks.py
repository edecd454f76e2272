"""Benchmarks: the last runs that `fourcorners bench` wrote in the operator's folder."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from fourcorners.server import benchmarks, plots
from fourcorners.server.benchmarks import BenchRun, Figure, Folder, Group, Series
from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.principal import Role
from fourcorners.server.refusals import NotFound
from fourcorners.text.invisible_characters import single_line

router = APIRouter()
_LAST = 12  # runs of one benchmark that are plotted beside one another


@dataclass(frozen=True, slots=True)
class Kept:
    """The runs of one benchmark, the latest first, and how their headlines compare."""

    name: str
    runs: tuple[BenchRun, ...]
    plot: Markup | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A group of measures with its plots."""

    group: Group
    intervals: Markup | None
    lines: Markup | None
    places: tuple[float, ...]


@router.get("/activity/benchmarks")
def show(desk: Desk) -> Response:
    """Show the last runs, by benchmark."""
    folder = desk.office.settings.benchmarks
    held = benchmarks.read(folder) if folder is not None else Folder(())
    names = sorted({each.benchmark for each in held.runs})
    kept = [
        _kept(number, name, tuple(each for each in held.runs if each.benchmark == name))
        for number, name in enumerate(names)
    ]
    return desk.page(
        "benchmarks.html.j2",
        kept=kept,
        folder=None if folder is None else folder.name,
        held=held,
        may_see_all=_is_admin(desk),
        tab="benchmarks",
    )


@router.get("/activity/benchmarks/{identity}")
def run(desk: Desk, identity: str) -> Response:
    """Show one run: what was measured, with what, and all figures."""
    folder = desk.office.settings.benchmarks
    if folder is None:
        raise NotFound(f"there is no run {identity[:40]!r}.", remedy="See Benchmarks for all.")
    found = benchmarks.find(folder, identity)
    return desk.page(
        "benchmark.html.j2",
        run=found,
        groups=[_drawn(number, each) for number, each in enumerate(found.groups)],
        may_see_all=_is_admin(desk),
        tab="benchmarks",
    )


def _kept(number: int, name: str, runs: tuple[BenchRun, ...]) -> Kept:
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
    return Kept(name, runs, plots.intervals(f"b{number}", title, rows) if rows else None)


def _drawn(number: int, group: Group) -> Drawn:
    rows = [_row(single_line(each.name), each) for each in group.plotted]
    shares = [each for each in group.series if all(one.is_share for _, one in each.points)]
    curves = [_line(each) for each in shares]
    title = single_line(group.name) or "Figures"
    places = sorted({at for each in group.series for at, _ in each.points})
    return Drawn(
        group,
        plots.intervals(f"i{number}", f"{title}: figures with their intervals", rows)
        if rows
        else None,
        plots.lines(f"l{number}", f"{title}: figures at 1, 2, 4 …", "how many", curves)
        if curves
        else None,
        tuple(places),
    )


def _row(name: str, figure: Figure) -> plots.Row:
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return plots.Row(name, figure.value, low, high, figure.told)


def _line(series: Series) -> plots.Line:
    return plots.Line(
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


def _is_admin(desk: DeskOf) -> bool:
    return (desk.principal.overall or 0) >= Role.ADMIN
