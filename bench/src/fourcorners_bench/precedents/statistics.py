"""What ACORD holds: clauses by stars and category, and their lengths (its Tables C-2, C-3, C-1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, pstdev
from typing import TYPE_CHECKING

from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.precedents.loader import MAX_GAIN, Split, load_split, split_names
from fourcorners_bench.record import Json, json_figures

if TYPE_CHECKING:
    from rich.table import Table

_STARS = range(1, MAX_GAIN + 2)


@dataclass(frozen=True, slots=True)
class AcordStatistics:
    """Counts over all splits.

    Attributes:
        per_query: For each number of stars, how many clauses each query has; none is left out.
        categories: For each category the queries, and the clauses by stars.
        lengths: Words of each clause that some query gives two stars or more.
    """

    per_query: dict[int, list[int]]
    categories: dict[str, tuple[int, Counter[int]]]
    lengths: tuple[int, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "stars": {str(each): json_figures(_spread(self.per_query[each])) for each in _STARS},
            "categories": {
                name: {"queries": queries, **{str(each): counts[each] for each in _STARS}}
                for name, (queries, counts) in self.categories.items()
            },
            "words": json_figures({"mean": mean(self.lengths), "median": median(self.lengths)}),
        }


def read_statistics(data: Path) -> AcordStatistics:
    """Count what the splits of a folder hold.

    Raises:
        ConfigError: If something is not of BEIR's form.
    """
    splits = [load_split(data, name) for name in split_names(data)]
    per_query: dict[int, list[int]] = {each: [] for each in _STARS}
    categories: dict[str, tuple[int, Counter[int]]] = {}
    for asked in (query for split in splits for query in split.queries):
        counts = Counter(score + 1 for score in asked.judged.values())
        for each in _STARS:
            if counts[each]:
                per_query[each].append(counts[each])
        queries, before = categories.get(asked.category, (0, Counter()))
        categories[asked.category] = (queries + 1, before + counts)
    return AcordStatistics(per_query, categories, _lengths(splits))


def _lengths(splits: Sequence[Split]) -> tuple[int, ...]:
    rated = {
        clause: split.clauses[clause]
        for split in splits
        for query in split.queries
        for clause, score in query.judged.items()
        if score
    }
    return tuple(len(text.split()) for _, text in sorted(rated.items()))


def _spread(counts: Sequence[int]) -> dict[str, float]:
    if not counts:
        return {}
    return {
        "min": min(counts),
        "mean": mean(counts),
        "median": median(counts),
        "deviation": pstdev(counts),
        "max": max(counts),
    }


def stars_table(found: AcordStatistics) -> Table:
    """Return the clauses a query by stars, over the queries that have such a clause."""
    heads = ("min", "mean", "median", "deviation", "max")
    table = figure_table("Clauses a query, by stars (C-2)", "", *heads)
    for each in _STARS:
        spread = _spread(found.per_query[each])
        table.add_row(f"{each}-star", *(f"{spread[name]:,.2f}" for name in heads if spread))
    return table


def stars_by_category_table(found: AcordStatistics) -> Table:
    heads = ("queries", *(f"{each}-star" for each in reversed(_STARS)), "all")
    words = f"{mean(found.lengths):.0f} words a clause of two stars and more, median "
    table = figure_table(
        "Rated clauses by category (C-3)",
        "Category",
        *heads,
        wrap_words=True,
        caption=f"{words}{median(found.lengths):.0f} (C-1).",
    )
    total: Counter[int] = Counter()
    for name, (queries, counts) in sorted(found.categories.items(), key=lambda each: -each[1][0]):
        total += counts
        _add(table, name, queries, counts)
    _add(table, "all", sum(queries for queries, _ in found.categories.values()), total, "bold")
    return table


def _add(
    table: Table, name: str, queries: int, counts: Counter[int], style: str | None = None
) -> None:
    row = [f"{counts[each]:,}" for each in reversed(_STARS)]
    table.add_row(name, f"{queries:,}", *row, f"{sum(counts.values()):,}", style=style)
