"""Figures as tables for the terminal and as measures for the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fourcorners.evaluation.benchmark import Json
from fourcorners.evaluation.cuad import CATEGORIES, NINE
from fourcorners.evaluation.extraction import Counts, Scores, added, macro
from fourcorners.evaluation.intervals import bootstrap

if TYPE_CHECKING:
    from rich.table import Table


def extraction_measures(scores: Scores) -> dict[str, Json]:
    """Return the figures of an extraction run, with 95% intervals over contracts."""
    units = list(scores.by_contract.values())

    def interval(measure: str, provisions: Sequence[str]) -> list[Json]:
        low, high = bootstrap(
            units, lambda drawn: macro(added(drawn, provisions), provisions)[measure], samples=400
        )
        return [round(low, 4), round(high, 4)]

    def block(counts: Mapping[str, Counts], provisions: Sequence[str]) -> dict[str, Json]:
        return {name: round(value, 4) for name, value in macro(counts, provisions).items()}

    return {
        "contracts": len(units),
        "nine": block(scores.provisions, NINE),
        "nine_intervals": {name: interval(name, NINE) for name in ("f1", "strict_f1", "recall")},
        "nine_40_to_60_chunks": block(scores.long, NINE),
        "all": block(scores.provisions, CATEGORIES),
        "provisions": {name: _figures(scores.provisions[name]) for name in CATEGORIES},
    }


def _figures(counts: Counts) -> dict[str, Json]:
    return {
        "f1": round(counts.f1(), 4),
        "strict_f1": round(counts.f1(strict=True), 4),
        "precision": round(counts.precision(), 4),
        "recall": round(counts.recall, 4),
        "characters": round(counts.characters, 1),
        "character_precision": round(counts.character_precision, 4),
        "true_positives": counts.true_positives,
        "false_negatives": counts.false_negatives,
        "true_negatives": counts.true_negatives,
        "false_positives": counts.false_positives,
        "forgiven": counts.forgiven,
    }


def extraction_table(scores: Scores, provisions: Sequence[str], title: str) -> Table:
    """Return the figures of each provision and their mean."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", header_style="bold")
    table.add_column("Provision")
    for head in ("F1", "strict F1", "precision", "recall", "chars/contract", "char precision"):
        table.add_column(head, justify="right")
    for name in provisions:
        counts = scores.provisions[name]
        table.add_row(
            name,
            f"{counts.f1():.3f}",
            f"{counts.f1(strict=True):.3f}",
            f"{counts.precision():.3f}",
            f"{counts.recall:.3f}",
            f"{counts.characters:,.0f}",
            f"{counts.character_precision:.2f}",
        )
    table.add_section()
    for label, counts_of in (("Mean", scores.provisions), ("Mean, 40-60 chunks", scores.long)):
        mean = macro(counts_of, provisions)
        table.add_row(
            label,
            f"{mean['f1']:.3f}",
            f"{mean['strict_f1']:.3f}",
            f"{mean['precision']:.3f}",
            f"{mean['recall']:.3f}",
            f"{mean['characters']:,.0f}",
            f"{mean['character_precision']:.2f}",
            style="bold",
        )
    return table
