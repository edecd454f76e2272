"""Figures of the entailment benchmark for the terminal, with those that a paper reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from fourcorners_bench.entailment.paper import paper_figures
from fourcorners_bench.entailment.score import EVIDENCE_RANKS, MAX_CHARACTERS
from fourcorners_bench.measures.tables import figure_table, percent_range, percents
from fourcorners_bench.record import Json

if TYPE_CHECKING:
    from rich.table import Table

LABELS = {
    "accuracy": "acc.",
    "f1_weighted": "F1 [W]",
    "f1_entailment": "F1 [E]",
    "f1_contradiction": "F1 [C]",
    "f1_notmentioned": "F1 [N]",
}
BEST_QUOTES = f"evidence_recall_{MAX_CHARACTERS}_characters"
_EVIDENCE = {
    "evidence_map": "mAP",
    **{f"evidence_recall@{k}": f"R@{k}" for k in EVIDENCE_RANKS},
    BEST_QUOTES: f"recall, {MAX_CHARACTERS} characters",
}


def label_table(measures: Mapping[str, Json], title: str) -> Table:
    """Return the figures of the labels with those of the paper's systems on its test split.

    A column that the paper lacks says how much of the evidence is in the best quotes.
    """
    heads = {**LABELS, BEST_QUOTES: f"R {MAX_CHARACTERS}"}
    table = figure_table(title, "", *heads.values())
    _add(table, "this run", measures, heads)
    table.add_section()
    for each in paper_figures().systems:
        name = f"{each.system} (table {paper_figures().table})"
        table.add_row(name, *percents(each.figures), style="dim")
    return table


def evidence_table(measures: Mapping[str, Json]) -> Table:
    title = "Evidence, mean of the questions that have some; percent"
    table = figure_table(title, "", *_EVIDENCE.values())
    _add(table, "this run", measures, _EVIDENCE)
    macro = cast("Mapping[str, float]", measures["macro"])
    for name, value in (
        ("  pooled by hypothesis", macro["evidence_map"]),
        ("  pooled", cast("float", measures["evidence_map_pooled"])),
    ):
        table.add_row(name, f"{100 * value:.1f}", style="dim")
    return table


def hypothesis_table(measures: Mapping[str, Json], hypotheses: Mapping[str, str]) -> Table:
    heads = {key: LABELS[key] for key in LABELS if key != "f1_weighted"} | {"evidence_map": "mAP"}
    table = figure_table("By hypothesis; percent", "", *heads.values(), wrap_words=True)
    parts = cast("Mapping[str, Mapping[str, float]]", measures["hypotheses"])
    for key in sorted(parts, key=_number):
        cells = percents(parts[key][name] for name in heads)
        table.add_row(f"{key} {hypotheses.get(key, '')}".rstrip(), *cells)
    return table


def _number(key: str) -> tuple[int, str]:
    digits = key.rpartition("-")[2]
    return (int(digits) if digits.isdigit() else 0, key)


def _add(table: Table, name: str, measures: Mapping[str, Json], heads: Mapping[str, str]) -> None:
    intervals = cast("Mapping[str, Sequence[float]]", measures["intervals"])
    values = cast("Mapping[str, float]", measures)
    table.add_row(name, *percents(values[key] for key in heads), style="bold")
    spread = (percent_range(*intervals[key]) for key in heads)
    table.add_row("  95%", *spread, style="dim")
