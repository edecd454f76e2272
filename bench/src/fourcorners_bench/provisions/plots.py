"""The law firm's retrieval: recall and its gain by provision (Figure 8), and chunking (Table 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourcorners_bench.extraction.loader import FOURTEEN_PROVISIONS, SEVEN_PROVISIONS
from fourcorners_bench.measures.named_record import NamedRecord
from fourcorners_bench.measures.plots import BarPlot, Plot
from fourcorners_bench.record import published_data

_AGAINST = "against "


def provision_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield recall by provision and what is gained over another profile, or the chunkings."""
    scenarios = [each for each in records if not each.part("strategies")]
    if scenarios:
        yield from _scenario_plots(scenarios)
    for each in records:
        if each.part("strategies"):
            yield _chunking_plot(each)


def _scenario_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    rows = (*FOURTEEN_PROVISIONS, "all")
    bars: dict[str, list[float | None]] = {}
    gains: dict[str, list[float | None]] = {}
    intervals = {}
    for each in records:
        shape = next(name for name in each.measures if not name.startswith(_AGAINST))
        label = f"{each.name}, {shape}" if shape != "run" else each.name
        bars[label] = [_recall(each, shape, row) for row in rows]
        intervals[label] = [each.interval(shape, *_path(row), "interval") for row in rows]
        for other in each.measures:
            if other.startswith(_AGAINST):
                before = [_recall(each, other, row) for row in rows]
                pairs = zip(bars[label], before, strict=True)
                gains[f"{each.name}, over {other.removeprefix(_AGAINST)}"] = [
                    None if a is None or b is None else a - b for a, b in pairs
                ]
    yield BarPlot("provisions-recall", "Recall by provision", "recall", rows, bars, intervals)
    if gains:
        for number, paper in published_data("provisions")["scenarios"].items():
            gains[f"paper, scenario {number}"] = [
                (paper[row]["optimised"] - paper[row]["plain"]) / 100 for row in rows
            ]
        title = "Gain of optimised over plain retrieval, by provision"
        yield BarPlot("provisions-gain", title, "points of recall", rows, gains)


def _path(row: str) -> tuple[str, ...]:
    return ("all",) if row == "all" else ("provisions", row)


def _recall(record: NamedRecord, shape: str, row: str) -> float | None:
    return record.number(shape, *_path(row), "recall")


def _chunking_plot(record: NamedRecord) -> BarPlot:
    rows = (*SEVEN_PROVISIONS, "all")
    bars = {}
    for strategy, measures in record.part("strategies").items():
        for measure in measures if isinstance(measures, dict) else ():
            path = ("strategies", strategy, measure)
            bars[f"{strategy}, {measure}"] = [record.number(*path, row) for row in rows]
    return BarPlot("provisions-chunking", "Chunking strategies", "recall", rows, bars)
