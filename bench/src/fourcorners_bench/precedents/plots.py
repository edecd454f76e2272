"""ACORD: systems side by side, what fine-tuning gains (Figure 2), and lengths (Figure C-1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourcorners_bench.measures.named_record import NamedRecord, ordered_keys
from fourcorners_bench.measures.plots import BarPlot, Histogram, Plot
from fourcorners_bench.precedents.paper import paper_figures
from fourcorners_bench.precedents.score import MEASURES

_SHORT = ", short"
_TUNED = ("BM25 + Cross-Encoder-MiniLM", "BM25 + Cross-Encoder-MiniLM, fine-tuned")


def precedent_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield the measures of runs with the paper's systems, by category, and what tuning adds."""
    lengths = next((each.measures["lengths"] for each in records if "lengths" in each.measures), ())
    if isinstance(lengths, list) and lengths:
        title = "Words of the clauses with two to five stars"
        numbers = tuple(float(each) for each in lengths if isinstance(each, int))
        yield Histogram("precedents-lengths", title, "words", "clauses", numbers)
    bars: dict[str, list[float | None]] = {}
    intervals = {}
    for label, record, path in _runs(records):
        bars[label] = [record.number(*path, name) for name in MEASURES]
        intervals[label] = [record.interval(*path, name) for name in MEASURES]
    if not bars:
        return
    paper = {each.system: _shares(each.figures) for each in paper_figures().systems}
    tuned = {f"{name} (paper)": paper[name] for name in _TUNED}
    title = "Before and after fine-tuning"
    yield BarPlot("precedents-tuning", title, "share", MEASURES, {**bars, **tuned}, intervals)
    for at, measure in enumerate(MEASURES):
        rows = {**{name: numbers[at] for name, numbers in bars.items()}}
        rows |= {f"{name} (paper)": numbers[at] for name, numbers in paper.items()}
        slug = measure.replace("@", "-at-")
        bounds = {measure: [intervals[name][at] if name in intervals else None for name in rows]}
        yield BarPlot(
            f"precedents-{slug}",
            f"{measure}, the paper's on its test split",
            "share",
            tuple(rows),
            {measure: list(rows.values())},
            bounds,
            published=frozenset(f"{name} (paper)" for name in paper),
        )
    categories = ordered_keys(records, "categories")
    if categories:
        by = {
            each.name: [each.number("categories", row, "ndcg@5") for row in categories]
            for each in records
            if each.part("categories")
        }
        yield BarPlot(
            "precedents-categories", "NDCG@5 by category", "NDCG@5", tuple(categories), by
        )


def _runs(records: Sequence[NamedRecord]) -> Iterator[tuple[str, NamedRecord, tuple[str, ...]]]:
    """Yield each run of the records: one of a record, or the short queries' of a grid."""
    for each in records:
        if each.part("all"):
            yield each.name, each, ("all",)
        for row in each.part("grid"):
            if row.endswith(_SHORT):
                yield row.removesuffix(_SHORT), each, ("grid", row)


def _shares(row: Sequence[float | None]) -> list[float | None]:
    return [None if number is None else number / 100 for number in row]
