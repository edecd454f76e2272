"""Figures as tables for the terminal and as measures for the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, cast

from fourcorners.evaluation.extraction.loader import CATEGORIES, NINE_PROVISIONS
from fourcorners.evaluation.extraction.precision_recall import (
    PrecisionRecall,
    Tally,
    pooled_curve,
    precision_recall_curve,
)
from fourcorners.evaluation.extraction.precision_recall import add_tallies as added_tallies
from fourcorners.evaluation.extraction.score import Counts, Scores, add_counts, macro_means
from fourcorners.evaluation.measures.intervals import bootstrap_interval, wilson_interval
from fourcorners.evaluation.outline.run_files import OutlineAnswer
from fourcorners.evaluation.outline.score import (
    OutlineVerdict,
    deep_parent_share,
    node_f1,
    node_precision,
    node_recall,
)
from fourcorners.evaluation.record import Json

if TYPE_CHECKING:
    from rich.table import Table


def extraction_measures(scores: Scores, *, seed: int = 0) -> dict[str, Json]:
    """Return the figures of an extraction run, with 95% intervals over contracts."""
    units = list(scores.by_contract.values())

    def interval(measure: str, provisions: Sequence[str]) -> list[Json]:
        low, high = bootstrap_interval(
            units,
            lambda drawn: macro_means(add_counts(drawn, provisions), provisions)[measure],
            samples=400,
            seed=seed,
        )
        return [round(low, 4), round(high, 4)]

    def block(counts: Mapping[str, Counts], provisions: Sequence[str]) -> dict[str, Json]:
        return {name: round(value, 4) for name, value in macro_means(counts, provisions).items()}

    return {
        "contracts": len(units),
        "nine": block(scores.provisions, NINE_PROVISIONS),
        "nine_intervals": {
            name: interval(name, NINE_PROVISIONS) for name in ("f1", "strict_f1", "recall")
        },
        "nine_40_to_60_chunks": block(scores.long, NINE_PROVISIONS),
        "all": block(scores.provisions, CATEGORIES),
        "provisions": {name: _figures(scores.provisions[name]) for name in CATEGORIES},
    }


def curve_measures(found: Mapping[str, Mapping[str, Tally]], *, seed: int = 0) -> dict[str, Json]:
    """Return the figures of CUAD's paper over the 41 categories together, with 95% intervals."""
    units = [added_tallies(list(each.values())) for each in found.values()]
    whole = precision_recall_curve(units)

    def interval(figure: Callable[[PrecisionRecall], float]) -> list[Json]:
        low, high = bootstrap_interval(
            units, lambda drawn: figure(precision_recall_curve(drawn)), samples=200, seed=seed
        )
        return [round(low, 4), round(high, 4)]

    return {
        "area": round(whole.area, 4),
        "area_interval": interval(lambda each: each.area),
        "precision_at_80_recall": round(whole.at_80, 4),
        "precision_at_80_recall_interval": interval(lambda each: each.at_80),
        "precision_at_90_recall": round(whole.at_90, 4),
        "categories": {
            name: round(pooled_curve(found.values(), [name]).area, 4) for name in CATEGORIES
        },
    }


def curve_table(measures: Mapping[str, Json]) -> Table:
    """Return the figures of CUAD's paper as a table."""
    figures = {
        f"{label}, in %": f"{100 * cast('float', measures[name]):.1f}"
        for label, name in (
            ("area under precision over recall", "area"),
            ("precision at 80% recall", "precision_at_80_recall"),
            ("precision at 90% recall", "precision_at_90_recall"),
        )
    }
    return summary_table("All 41 categories, as CUAD's paper measures", figures)


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

    table = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    table.add_column("Provision", no_wrap=True)
    for head in ("F1", "strict", "prec.", "recall", "chars", "of them right"):
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
        mean = macro_means(counts_of, provisions)
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


def outline_summary(run: Sequence[OutlineAnswer]) -> dict[str, Json]:
    """Return what can be said of a run of outlines without a truth."""
    trusted = [each for each in run if each.nodes]
    nodes = [len(each.nodes) for each in trusted]
    depths = [max(map(each.depth, range(len(each.nodes)))) + 1 for each in trusted]
    return {
        "contracts": len(run),
        "above_floor": round(len(trusted) / len(run), 4) if run else 0.0,
        "confidence": round(mean(each.confidence for each in run), 4) if run else 0.0,
        "nodes": round(mean(nodes), 1) if nodes else 0.0,
        "depth": round(mean(depths), 2) if depths else 0.0,
    }


def outline_measures(sets: Mapping[str, Sequence[OutlineVerdict]]) -> dict[str, Json]:
    """Return how outlines compare with the audited sets, by name, with 95% intervals."""
    verdicts = [each for audited in sets.values() for each in audited]
    parts: dict[str, Sequence[OutlineVerdict]] = {
        "all": verdicts,
        "flat": [each for each in verdicts if each.flat],
        "text": [each for each in verdicts if each.source == "text"],
        "pdf": [each for each in verdicts if each.source == "pdf"],
    }
    return {
        **{name: _outline_figures(part) for name, part in parts.items() if part},
        "sets": {name: _outline_figures(part) for name, part in sets.items() if part},
        "places_lost": sum(each.lost for each in verdicts),
        "disagreements": [
            {
                "name": verdict.name,
                "what": each.aspect,
                "label": each.label,
                "start": each.start,
                "said": each.predicted,
            }
            for verdict in verdicts
            for each in verdict.disagreements
        ],
    }


def _outline_figures(verdicts: Sequence[OutlineVerdict]) -> dict[str, Json]:
    right = sum(each.is_top_right for each in verdicts)
    low, high = wilson_interval(right, len(verdicts))
    figures: dict[str, Json] = {
        "contracts": len(verdicts),
        "top_right": round(right / len(verdicts), 4),
        "top_right_interval": [round(low, 4), round(high, 4)],
    }
    for name, measure in (
        ("node_f1", node_f1),
        ("node_precision", node_precision),
        ("node_recall", node_recall),
        ("deep_parent", deep_parent_share),
    ):
        low, high = bootstrap_interval(verdicts, measure, samples=400)
        figures[name] = round(measure(verdicts), 4)
        figures[f"{name}_interval"] = [round(low, 4), round(high, 4)]
    return figures


def summary_table(title: str, figures: Mapping[str, Json]) -> Table:
    """Return figures as a table of two columns."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in figures.items():
        table.add_row(name.replace("_", " "), f"{value}")
    return table


def outline_table(measures: Mapping[str, Json]) -> Table:
    """Return the figures of an audited run of outlines."""
    from rich.table import Table

    table = Table(title="Outlines, audited", title_justify="left", header_style="bold")
    table.add_column("Contracts")
    for head in ("", "top level right", "95%", "node F1", "deeper labels, parent right"):
        table.add_column(head, justify="right")
    sets = cast("Mapping[str, Json]", measures["sets"])
    rows = {**sets, **{name: measures.get(name) for name in ("text", "pdf", "flat", "all")}}
    for name, figures in rows.items():
        if not isinstance(figures, Mapping):
            continue
        low, high = cast("list[float]", figures["top_right_interval"])
        table.add_row(
            name,
            f"{figures['contracts']}",
            f"{figures['top_right']:.1%}",
            f"{low:.0%} to {high:.0%}",
            f"{figures['node_f1']:.1%}",
            f"{figures['deep_parent']:.1%}",
            style="bold" if name == "all" else None,
            end_section=name == [*sets][-1],
        )
    return table
