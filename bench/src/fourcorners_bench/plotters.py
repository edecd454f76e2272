"""Which plots each benchmark has: one function a benchmark, from records to plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from fourcorners_bench.answers.plots import answer_plots, judge_plots
from fourcorners_bench.entailment.plots import entailment_plots, model_plots
from fourcorners_bench.extraction.plots import experiment_plots, extraction_plots
from fourcorners_bench.measures.named_record import NamedRecord, ordered_keys
from fourcorners_bench.measures.plots import BarPlot, Plot, write_plots
from fourcorners_bench.precedents.plots import precedent_plots
from fourcorners_bench.provisions.plots import provision_plots
from fourcorners_bench.retrieval.plots import retrieval_plots

Plotter: TypeAlias = "Callable[[Sequence[NamedRecord]], Iterator[Plot]]"


def _row_plotter(
    name: str,
    title: str,
    path: Sequence[str],
    columns: Sequence[str],
    *,
    x_label: str = "share",
    percent: bool = True,
) -> Plotter:
    """Return what draws some numbers of each row of a mapping in the measures."""

    def plot(records: Sequence[NamedRecord]) -> Iterator[Plot]:
        rows = [
            row
            for row in ordered_keys(records, *path)
            if any(
                each.number(*path, row, column) is not None
                for each in records
                for column in columns
            )
        ]
        bars, intervals = {}, {}
        for each in records:
            for column in columns:
                label = f"{each.name}, {column.replace('_', ' ')}"
                bars[label] = [each.number(*path, row, column) for row in rows]
                intervals[label] = [each.interval(*path, row, f"{column}_interval") for row in rows]
        if rows:
            yield BarPlot(name, title, x_label, tuple(rows), bars, intervals, percent)

    return plot


def _number_plotter(name: str, title: str, path: Sequence[str], x_label: str) -> Plotter:
    """Return what draws the numbers of a mapping in the measures, a row each."""

    def plot(records: Sequence[NamedRecord]) -> Iterator[Plot]:
        rows = [
            row
            for row in ordered_keys(records, *path)
            if any(each.number(*path, row) is not None for each in records)
        ]
        bars = {each.name: [each.number(*path, row) for row in rows] for each in records}
        if rows:
            yield BarPlot(name, title, x_label, tuple(rows), bars, percent=False)

    return plot


def _comparison_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    kinds = ordered_keys(records, "kinds")
    bars: dict[str, list[float | None]] = {}
    for each in records:
        for what in ("reported", "described"):
            shares = []
            for kind in kinds:
                count, known = each.number("kinds", kind, what), each.number("kinds", kind, "known")
                shares.append(count / known if count is not None and known else None)
            bars[f"{each.name}, {what}"] = shares
    yield BarPlot("comparison", "Known edits by kind", "share", tuple(kinds), bars)


PLOTTERS: Mapping[str, Plotter] = {
    "answers": answer_plots,
    "answers, judged": judge_plots,
    "comparison": _comparison_plots,
    "cost": _row_plotter(
        "cost",
        "One contract, by step",
        ("step_seconds",),
        ("cpu", "wall"),
        x_label="seconds",
        percent=False,
    ),
    "entailment": entailment_plots,
    "entailment with a model": model_plots,
    "extraction": extraction_plots,
    "extraction with a model": experiment_plots,
    "obligations": _row_plotter(
        "obligations", "Obligations, against those read by hand", (), ("precision", "recall")
    ),
    "outline": _row_plotter("outline", "Outlines, audited", (), ("top_right",)),
    "parts": _number_plotter(
        "parts", "Reading, by step", ("characters_per_cpu_second",), "characters a CPU second"
    ),
    "precedents": precedent_plots,
    "provisions": provision_plots,
    "retrieval": retrieval_plots,
    "speed": _number_plotter("speed", "Adding, by stage", ("stage_seconds",), "seconds"),
    "statements": _row_plotter(
        "statements",
        "Statements with their quotes, by what they are known to be",
        ("labels",),
        ("verified", "unchecked", "refused"),
    ),
    "values": _row_plotter(
        "values", "Values of contract cards", ("values",), ("precision", "recall")
    ),
    "verdicts": _row_plotter(
        "verdicts", "What is asserted of clauses", ("questions",), ("precision", "coverage")
    ),
}
"""By the name of the benchmark in its records."""


def plot_records(folder: Path, benchmark: str, records: Iterable[NamedRecord]) -> list[Path]:
    """Draw what a benchmark's records hold, all in the same plots, and return the files.

    Raises:
        ConfigError: If what draws is not installed.
    """
    return write_plots(folder, PLOTTERS[benchmark](list(records)))
