"""Figures of the precedents benchmark for the terminal, beside those that the paper reports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners.evaluation.measures.intervals import bootstrap_interval, wilson_interval
from fourcorners.evaluation.precedents.score import (
    MEASURES,
    Figure,
    QueryMeasures,
    figures_by_category,
    mean_figures,
)

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """A system's figures in percent, in the order of the measures; `table` is the paper's."""

    system: str
    table: str
    figures: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """What the paper reports, of its test split.

    Attributes:
        formats: By query, format and system.
    """

    source: str
    systems: tuple[PublishedFigures, ...]
    categories: dict[str, tuple[PublishedFigures, ...]]
    formats: dict[tuple[str, str], tuple[PublishedFigures, ...]]


@cache
def load_paper() -> PaperFigures:
    """Return the figures that come with the package."""
    text = files("fourcorners.evaluation").joinpath("precedents_published.json").read_text("utf-8")
    content = json.loads(text)
    categories: dict[str, list[PublishedFigures]] = {}
    for each in content["categories"]:
        for name, row in each["categories"].items():
            told = PublishedFigures(each["system"], each["table"], tuple(row))
            categories.setdefault(name.casefold(), []).append(told)
    formats: dict[tuple[str, str], list[PublishedFigures]] = {}
    for each in content["formats"]:
        for form in ("short", "medium", "long"):
            told = PublishedFigures(each["system"], each["table"], tuple(each[form]))
            formats.setdefault((each["query"], form), []).append(told)
    return PaperFigures(
        source=content["source"],
        systems=tuple(
            PublishedFigures(
                " + ".join(filter(None, (each["retriever"], each["reranker"]))),
                each["table"],
                tuple(each["figures"]),
            )
            for each in content["systems"]
        ),
        categories={name: tuple(rows) for name, rows in categories.items()},
        formats={key: tuple(rows) for key, rows in formats.items()},
    )


def summary_table(rows: Sequence[QueryMeasures], title: str, *, seed: int = 0) -> Table:
    """Return the figures of a run beside those of the paper's systems on its test split."""
    table = _table(title, "")
    ours = mean_figures(rows, seed=seed)
    table.add_row("this run", *(_told(ours[name]) for name in MEASURES), style="bold")
    table.add_row("  95%", *(_interval(ours[name]) for name in MEASURES), style="dim")
    table.add_section()
    for each in load_paper().systems:
        table.add_row(f"{each.system} ({each.table})", *map(_plain, each.figures), style="dim")
    return table


def category_table(rows: Sequence[QueryMeasures], *, seed: int = 0) -> Table:
    """Return the figures of each category, with the paper's of its best system beside."""
    table = _table("By category; below, the paper's on its test split", "", "queries")
    for name, (count, part) in figures_by_category(rows, seed=seed).items():
        table.add_row(name, f"{count}", *(_told(part[measure]) for measure in MEASURES))
        table.add_row("  95%", "", *(_interval(part[each]) for each in MEASURES), style="dim")
        for each in load_paper().categories.get(name.casefold(), ()):
            told = map(_plain, each.figures)
            table.add_row(f"  {each.system} ({each.table})", "", *told, style="dim")
    return table


def grid_table(rows: Mapping[str, Sequence[QueryMeasures]], title: str, *, seed: int = 0) -> Table:
    """Return the figures of several runs by name, each with its intervals, then the paper's."""
    table = _table(title, "")
    for name, part in rows.items():
        ours = mean_figures(part, seed=seed)
        table.add_row(name, *(_told(ours[each]) for each in MEASURES))
        table.add_row("  95%", *(_interval(ours[each]) for each in MEASURES), style="dim")
    table.add_section()
    for each in load_paper().systems:
        table.add_row(f"{each.system} ({each.table})", *map(_plain, each.figures), style="dim")
    return table


def wording_table(
    rows: Mapping[tuple[str, str], Sequence[QueryMeasures]], *, seed: int = 0
) -> Table:
    """Return the figures of several runs by their name and the format of their queries."""
    table = _table("By the format of the queries", "", "format")
    for (name, form), part in rows.items():
        ours = mean_figures(part, seed=seed)
        table.add_row(name, form, *(_told(ours[each]) for each in MEASURES))
    return table


def counts_table(clauses: int, parts: Mapping[str, tuple[int, int, int]]) -> Table:
    """Return how many judged clauses there are, stand in the contracts, and are covered."""
    from rich.table import Table

    table = Table(title_justify="left", header_style="bold", box=None, pad_edge=False)
    table.title = f"Of the contracts, cut into {clauses:,} clauses"
    for head in ("judged clauses", "all", "in the contracts", "covered by a cut one", "95%"):
        table.add_column(head, justify="left" if head.startswith("j") else "right")
    for name, (judged, located, hit) in parts.items():
        low, high = wilson_interval(hit, located)
        share = f"{hit:,} ({hit / located:.1%})" if located else "0"
        table.add_row(
            name, f"{judged:,}", f"{located:,}", share, f"{100 * low:.0f}-{100 * high:.0f}"
        )
    return table


def depth_table(found: Mapping[int, Sequence[float]], *, seed: int = 0) -> Table:
    """Return how many relevant clauses the first so many of all cut clauses cover."""
    from rich.table import Table

    table = Table(title_justify="left", header_style="bold", box=None, pad_edge=False)
    table.title = "Relevant clauses (3 stars and more) covered by the first of all that was cut"
    table.add_column("")
    for depth in found:
        table.add_column(f"first {depth}", justify="right")
    shares = [list(each) for each in found.values()]
    table.add_row("mean over queries, %", *(f"{100 * mean(each):.1f}" for each in shares))
    spans = [bootstrap_interval(each, mean, seed=seed) for each in shares]
    between = [f"{100 * low:.0f}-{100 * high:.0f}" for low, high in spans]
    table.add_row("  95%", *between, style="dim")
    return table


def cut_table(
    as_given: Sequence[QueryMeasures], as_cut: Sequence[QueryMeasures], *, seed: int = 0
) -> Table:
    """Return what ranking loses where clauses are cut from contracts, with paired intervals."""
    title = "Judged clauses that stand in the contracts, as given and as they were cut"
    table = _table(title, "")
    for name, part in (("as given", as_given), ("as cut", as_cut)):
        ours = mean_figures(part, seed=seed)
        table.add_row(name, *(_told(ours[each]) for each in MEASURES))
        table.add_row("  95%", *(_interval(ours[each]) for each in MEASURES), style="dim")
    lost = [
        replace(cut, values=tuple(map(_less, cut.values, given.values)))
        for given, cut in zip(as_given, as_cut, strict=True)
    ]
    ours = mean_figures(lost, seed=seed)
    table.add_row("difference", *(_told(ours[each]) for each in MEASURES))
    table.add_row("  95%, paired", *(_interval(ours[each]) for each in MEASURES), style="dim")
    return table


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def format_table() -> Table:
    """Return what the paper reports of queries in three lengths."""
    table = _table("The paper's two queries in three formats (E-2)", "query", "format", "system")
    for (query, form), rows in load_paper().formats.items():
        for each in rows:
            table.add_row(query, form, each.system, *map(_plain, each.figures), style="dim")
    return table


def _table(title: str, *heads: str) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, justify="right" if head == "queries" else "left")
    for name in MEASURES:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _told(figure: Figure) -> str:
    return "-" if figure.value is None else f"{100 * figure.value:.1f}"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    between = "-" if figure.low >= 0 else " to "
    return f"{100 * figure.low:.0f}{between}{100 * figure.high:.0f}"


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
