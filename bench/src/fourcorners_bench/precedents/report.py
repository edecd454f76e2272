"""Figures of the precedents benchmark for the terminal, with those that the paper reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners_bench.measures.statistics import bootstrap_interval, wilson_interval
from fourcorners_bench.measures.tables import figure_table, percent_range, percents
from fourcorners_bench.precedents.paper import PublishedFigures, paper_figures
from fourcorners_bench.precedents.score import (
    MEASURES,
    Figure,
    QueryMeasures,
    figures_by_category,
    mean_figures,
)

if TYPE_CHECKING:
    from rich.table import Table


def summary_table(rows: Sequence[QueryMeasures], title: str, *, seed: int = 0) -> Table:
    """Return the figures of a run with those of the paper's systems on its test split."""
    table = _table(title, "")
    _add(table, "this run", mean_figures(rows, seed=seed), style="bold")
    table.add_section()
    _add_published(table, paper_figures().systems)
    return table


def category_table(rows: Sequence[QueryMeasures], *, seed: int = 0) -> Table:
    """Return the figures of each category, with those of the paper's best system."""
    table = _table("By category; below, the paper's on its test split", "", "queries")
    for name, (count, part) in figures_by_category(rows, seed=seed).items():
        _add(table, name, part, f"{count}")
        _add_published(table, paper_figures().categories.get(name.casefold(), ()), "  ", "")
    return table


def grid_table(rows: Mapping[str, Sequence[QueryMeasures]], title: str, *, seed: int = 0) -> Table:
    """Return the figures of several runs by name, each with its intervals, then the paper's."""
    table = _table(title, "")
    for name, part in rows.items():
        _add(table, name, mean_figures(part, seed=seed))
    table.add_section()
    _add_published(table, paper_figures().systems)
    return table


def wording_table(
    rows: Mapping[tuple[str, str], Sequence[QueryMeasures]], *, seed: int = 0
) -> Table:
    table = _table("By the format of the queries", "", "format")
    for (name, form), part in rows.items():
        table.add_row(name, form, *map(_format_figure, mean_figures(part, seed=seed).values()))
    return table


def counts_table(clauses: int, parts: Mapping[str, tuple[int, int, int]]) -> Table:
    """Return how many judged clauses there are, are in the contracts, and are covered."""
    title = f"Of the contracts, cut into {clauses:,} clauses"
    heads = ("judged clauses", "all", "in the contracts", "covered by a cut one", "95%")
    table = figure_table(title, *heads, wrap_words=True, wrap_figures=True)
    for name, (judged, located, hit) in parts.items():
        low, high = wilson_interval(hit, located)
        share = f"{hit:,} ({hit / located:.1%})" if located else "0"
        table.add_row(name, f"{judged:,}", f"{located:,}", share, percent_range(low, high))
    return table


def depth_table(found: Mapping[int, Sequence[float]], *, seed: int = 0) -> Table:
    """Return how many relevant clauses the first so many of all cut clauses cover."""
    title = "Relevant clauses (3 stars and more) covered by the first of all that was cut"
    heads = [f"first {depth}" for depth in found]
    table = figure_table(title, "", *heads, wrap_words=True, wrap_figures=True)
    shares = [list(each) for each in found.values()]
    table.add_row("mean over queries, %", *percents(map(mean, shares)))
    between = [percent_range(*bootstrap_interval(each, mean, seed=seed)) for each in shares]
    table.add_row("  95%", *between, style="dim")
    return table


def cut_table(
    as_given: Sequence[QueryMeasures], as_cut: Sequence[QueryMeasures], *, seed: int = 0
) -> Table:
    """Return what ranking loses where clauses are cut from contracts, with paired intervals."""
    table = _table("Judged clauses in the contracts, as given and as they were cut", "")
    lost = [
        replace(cut, values=tuple(map(_less, cut.values, given.values)))
        for given, cut in zip(as_given, as_cut, strict=True)
    ]
    _add(table, "as given", mean_figures(as_given, seed=seed))
    _add(table, "as cut", mean_figures(as_cut, seed=seed))
    _add(table, "difference", mean_figures(lost, seed=seed), within="  95%, paired")
    return table


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def format_table(runs: Mapping[tuple[str, str], Sequence[QueryMeasures]] | None = None) -> Table:
    """Return the paper's two queries in each format, with those of runs whose split has them."""
    table = _table("The paper's two queries in three formats (E-2)", "query", "format", "system")
    for (query, form), systems in paper_figures().formats.items():
        for each in systems:
            table.add_row(query, form, each.system, *map(_plain, each.figures), style="dim")
        for (name, wording), rows in (runs or {}).items():
            for row in rows if wording == form else ():
                if row.query.strip("'\"").casefold() == query.casefold():
                    figures = (None if v is None else 100 * v for v in row.values)
                    table.add_row(query, form, f"{name}, here", *map(_plain, figures))
    return table


def _table(title: str, *heads: str) -> Table:
    words = len(heads) - ("queries" in heads)
    table = figure_table(title, *heads, left=words, wrap_words=True, wrap_figures=True)
    for name in MEASURES:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _add(
    table: Table,
    name: str,
    figures: Mapping[str, Figure],
    *more: str,
    style: str | None = None,
    within: str = "  95%",
) -> None:
    """Add a row of figures, and their intervals below."""
    table.add_row(name, *more, *map(_format_figure, figures.values()), style=style)
    table.add_row(within, *("" for _ in more), *map(_interval, figures.values()), style="dim")


def _add_published(
    table: Table, rows: Sequence[PublishedFigures], indent: str = "", *more: str
) -> None:
    for each in rows:
        name = f"{indent}{each.system} ({each.table})"
        table.add_row(name, *more, *map(_plain, each.figures), style="dim")


def _format_figure(figure: Figure) -> str:
    return "-" if figure.value is None else f"{100 * figure.value:.1f}"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return percent_range(figure.low, figure.high, between="-" if figure.low >= 0 else " to ")


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
