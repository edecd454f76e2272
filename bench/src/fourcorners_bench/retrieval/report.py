"""Figures of retrieval for the terminal, the record and as plots, with those of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners_bench.measures.statistics import wilson_interval
from fourcorners_bench.measures.tables import figure_table, percent_range, percents
from fourcorners_bench.record import Json, json_figures
from fourcorners_bench.retrieval.loader import MINI_SUFFIX
from fourcorners_bench.retrieval.measures import MEASURES
from fourcorners_bench.retrieval.paper import Kind, paper_figures
from fourcorners_bench.retrieval.run import RoutedQuestion
from fourcorners_bench.retrieval.score import KS, RetrievalScores

if TYPE_CHECKING:
    from rich.table import Table

_SEARCHED = {"whole": "the corpus", "given": "the contract"}


def retrieval_table(scores: RetrievalScores) -> Table:
    """Return the measures of a set at each k, in percent, and characters with PAKTON's."""
    asked = f"{scores.questions:,} questions of {scores.contracts:,} contracts"
    table = figure_table(f"{scores.name}: {asked}, % at k", "", *map(str, KS))
    for name, measure in MEASURES.items():
        if not measure.label:
            continue
        figures = scores.at[name]
        table.add_row(measure.label, *percents(each.value for each in figures))
        if name == "union_recall":
            table.add_row(
                "  95%", *(percent_range(each.low, each.high) for each in figures), style="dim"
            )
    table.add_row("characters", *(f"{each.value:,.0f}" for each in scores.at["characters"]))
    known = paper_figures().characters.get(("pakton-1", base_set_name(scores.name)))
    if known:
        table.add_row("  PAKTON's", *(f"{each:,}" for each in known), style="dim")
    return table


def published_tables(scores: RetrievalScores, kind: Kind = "official") -> list[Table]:
    known = paper_figures().figures_of(base_set_name(scores.name), kind)
    if not known:
        return []
    counted = "by characters, official" if kind == "official" else "by spans"
    tables = []
    for at, measure in enumerate(("precision", "recall")):
        title = f"{scores.name}, {measure} {counted}, % at k"
        table = figure_table(title, "system", "searched", *map(str, KS), left=2)
        ours = scores.at[f"{kind}_{measure}"]
        table.add_row("this run", "", *(f"{100 * each.value:.1f}" for each in ours), style="bold")
        for each in known:
            row = (each.precision, each.recall)[at]
            cells = [f"{value:.1f}" for value in row] + ["-"] * (len(KS) - len(row))
            table.add_row(each.system, _SEARCHED[each.scope], *cells)
        tables.append(table)
    return tables


def base_set_name(name: str) -> str:
    return name.removesuffix(MINI_SUFFIX)


def routing_measures(routed: Sequence[RoutedQuestion]) -> dict[str, Json]:
    """Return the shares of questions led to the right contract, and of those led astray."""
    if not routed:
        return {}
    total = len(routed)
    counts = {
        "right_first": sum(each.right for each in routed),
        "hard_scoped": sum(each.is_certain for each in routed),
        "wrong_scope": sum(each.is_certain and not each.right for each in routed),
    }
    return {
        "questions": total,
        **{
            name: json_figures((count / total, *wilson_interval(count, total)), 6)
            for name, count in counts.items()
        },
    }


def routing_line(name: str, routed: Sequence[RoutedQuestion]) -> str:
    right = mean(each.right for each in routed)
    sure = mean(each.is_certain for each in routed)
    wrong = mean(each.is_certain and not each.right for each in routed)
    return (
        f"{name}: the right contract came first for {right:.1%} of the questions; {sure:.1%} were "
        f"searched within one contract, {wrong:.2%} within the wrong one."
    )
