"""Reports compared: the judge's scores (PAKTON's Figures 4 and 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from fourcorners_bench.answers.judging import load_criteria
from fourcorners_bench.measures.named_record import NamedRecord
from fourcorners_bench.measures.plots import BarPlot, BoxPlot, Plot
from fourcorners_bench.record import Json

_SUFFIX = " (paper)"


def answer_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield what answers quote, by kind of question."""
    names = (
        *("evidence_recall", "evidence_first", "all_evidence", "abstained", "abstained_wrongly"),
        *("answered", "right", "denied"),  # of the removal test
    )
    held = [name for name in names if any(each.number(name) is not None for each in records)]
    bars = {each.name: [each.number(name) for name in held] for each in records}
    rows = tuple(name.replace("_", " ") for name in held)
    yield BarPlot("answers", "Answers to questions", "share", rows, bars)


def judge_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield the mean scores by criterion with the paper's, and their distribution."""
    criteria = load_criteria()
    rows = tuple(each.name for each in criteria.items)
    bars: dict[str, list[float | None]] = {}
    boxes: dict[str, list[Sequence[float]]] = {}
    for record in records:
        for each in cast("Sequence[Mapping[str, Json]]", record.measures.get("judged", ())):
            means = cast("Mapping[str, float | None]", each["means"])
            scores = cast("Mapping[str, Mapping[str, float]]", each["scores"])
            label = str(each["by"])
            label = f"{label} ({len(bars) + 1})" if label in bars else label
            bars[label] = [means.get(one.id) for one in criteria.items]
            boxes[label] = [list(scores.get(one.id, {}).values()) for one in criteria.items]
    for at, system in enumerate(criteria.systems):
        bars[system + _SUFFIX] = [each.published[at] for each in criteria.items]
    yield BarPlot("judged-means", "Scores by criterion (PAKTON, Figure 4)", "mean", rows, bars)
    if boxes:
        title = "Distribution of the scores (PAKTON, Figure 8)"
        yield BoxPlot("judged-distribution", title, "score", rows, boxes)
