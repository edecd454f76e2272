"""Figures of the precedents benchmark for the terminal, beside those that the paper reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from fourcorners.evaluation.precedents_scores import (
    MEASURES,
    Figure,
    Measured,
    by_category,
    figures,
)

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Published:
    """A system's figures in percent, in the order of the measures; `table` is the paper's."""

    system: str
    table: str
    figures: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """What the paper reports, of its test split.

    Attributes:
        formats: By query, format and system.
    """

    source: str
    systems: tuple[Published, ...]
    categories: dict[str, tuple[Published, ...]]
    formats: dict[tuple[str, str], tuple[Published, ...]]


@cache
def paper() -> Paper:
    """Return the figures that come with the package."""
    text = files("fourcorners.evaluation").joinpath("precedents_published.json").read_text("utf-8")
    content = json.loads(text)
    categories: dict[str, list[Published]] = {}
    for each in content["categories"]:
        for name, row in each["categories"].items():
            told = Published(each["system"], each["table"], tuple(row))
            categories.setdefault(name.casefold(), []).append(told)
    formats: dict[tuple[str, str], list[Published]] = {}
    for each in content["formats"]:
        for form in ("short", "medium", "long"):
            told = Published(each["system"], each["table"], tuple(each[form]))
            formats.setdefault((each["query"], form), []).append(told)
    return Paper(
        source=content["source"],
        systems=tuple(
            Published(
                " + ".join(filter(None, (each["retriever"], each["reranker"]))),
                each["table"],
                tuple(each["figures"]),
            )
            for each in content["systems"]
        ),
        categories={name: tuple(rows) for name, rows in categories.items()},
        formats={key: tuple(rows) for key, rows in formats.items()},
    )


def summary_table(rows: Sequence[Measured], title: str, *, seed: int = 0) -> Table:
    """Return the figures of a run beside those of the paper's systems on its test split."""
    table = _table(title, "")
    ours = figures(rows, seed=seed)
    table.add_row("this run", *(_told(ours[name]) for name in MEASURES), style="bold")
    table.add_row("  95%", *(_interval(ours[name]) for name in MEASURES), style="dim")
    table.add_section()
    for each in paper().systems:
        table.add_row(f"{each.system} ({each.table})", *map(_plain, each.figures), style="dim")
    return table


def category_table(rows: Sequence[Measured], *, seed: int = 0) -> Table:
    """Return the figures of each category, with the paper's of its best system beside."""
    table = _table("By category; below, the paper's on its test split", "", "queries")
    for name, (count, part) in by_category(rows, seed=seed).items():
        table.add_row(name, f"{count}", *(_told(part[measure]) for measure in MEASURES))
        table.add_row("  95%", "", *(_interval(part[each]) for each in MEASURES), style="dim")
        for each in paper().categories.get(name.casefold(), ()):
            told = map(_plain, each.figures)
            table.add_row(f"  {each.system} ({each.table})", "", *told, style="dim")
    return table


def format_table() -> Table:
    """Return what the paper reports of queries in three lengths."""
    table = _table("The paper's two queries in three formats (E-2)", "query", "format", "system")
    for (query, form), rows in paper().formats.items():
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
    return f"{100 * figure.low:.0f}-{100 * figure.high:.0f}"


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
