"""LegalBench-RAG: methods side by side at each k, and how hard each set is (its Figures 3 to 6).

PAKTON's Figure 9 has the same, with precision over recall.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean

from fourcorners_bench.measures.named_record import NamedRecord, ordered_keys
from fourcorners_bench.measures.plots import BarPlot, LinePlot, Plot, PlotLine
from fourcorners_bench.retrieval.paper import PublishedFigures, paper_figures
from fourcorners_bench.retrieval.report import base_set_name
from fourcorners_bench.retrieval.score import KS

_HARD = ("precision", 1), ("recall", 64)  # by which the paper ranks the sets


def retrieval_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield, for each set, precision and recall against k and one against the other."""
    sets = ordered_keys(records, "sets")
    for name in sets:
        held = [each for each in records if each.part("sets", name)]
        known = paper_figures().figures_of(base_set_name(name))
        for measure in ("precision", "recall"):
            lines = [_measured_line(each, name, f"official_{measure}", each.name) for each in held]
            if len(held) == 1:
                own = held[0].name
                lines.insert(0, _measured_line(held[0], name, f"union_{measure}", f"{own}, union"))
            lines += [_published_line(each, measure) for each in known]
            if measure == "recall":
                lines.append(_measured_line(held[0], name, "bound_recall", "perfect"))
            title = f"{name}: {measure} at k, characters by the official scorer"
            yield LinePlot(f"{name}-{measure}", title, "k", measure, tuple(lines), doubling=True)
        curves = [_curve(each, name) for each in held]
        curves += [
            PlotLine(
                f"{each.system} (paper)",
                tuple(zip(_shares(each.recall), _shares(each.precision), strict=False)),
            )
            for each in known
        ]
        title = f"{name}: precision over recall"
        yield LinePlot(f"{name}-curve", title, "recall", "precision", tuple(curves))
    if len([name for name in sets if name != "all"]) > 1:
        yield _difficulty(records, [name for name in sets if name != "all"])


def _difficulty(records: Sequence[NamedRecord], sets: Sequence[str]) -> BarPlot:
    """Return the mean over methods of precision at 1 and recall at 64 of each set."""
    bars = {}
    for measure, k in _HARD:
        bars[f"{measure} at {k}"] = [
            mean(
                number
                for each in records
                if (number := each.number("sets", name, f"official_{measure}", str(k))) is not None
            )
            for name in sets
        ]
    title = f"Difficulty by data set, mean of {len(records)} methods"
    return BarPlot("difficulty", title, "share of characters", tuple(sets), bars)


def _measured_line(record: NamedRecord, name: str, measure: str, label: str) -> PlotLine:
    path = ("sets", name, measure)
    points = tuple((float(k), record.number(*path, str(k)) or 0.0) for k in KS)
    bounds = [record.interval(*path, str(k)) for k in KS]
    return PlotLine(label, points, tuple(each for each in bounds if each is not None))


def _curve(record: NamedRecord, name: str) -> PlotLine:
    points = []
    for k in map(str, KS):
        recall = record.number("sets", name, "official_recall", k) or 0.0
        points.append((min(1.0, recall), record.number("sets", name, "official_precision", k) or 0))
    return PlotLine(record.name, tuple(points))


def _published_line(figures: PublishedFigures, measure: str) -> PlotLine:
    row = figures.precision if measure == "precision" else figures.recall
    points = tuple((float(k), share) for k, share in zip(KS, _shares(row), strict=False))
    return PlotLine(f"{figures.system} (paper)", points)


def _shares(row: Sequence[float]) -> list[float]:
    return [number / 100 for number in row]
