"""The law firm's generation experiments: F1 by configuration and provision (Figures 15 to 21)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import cast

from fourcorners_bench.extraction.loader import NINE_PROVISIONS, paper_figures
from fourcorners_bench.measures.named_record import NamedRecord
from fourcorners_bench.measures.plots import BarPlot, Plot
from fourcorners_bench.record import Json

_EASY = ("Effective Date", "Governing Law")
_FIRST, _SECOND = "First Prompt", "Follow Up Prompt"
_FIGURES: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = {
    # The paper's number: its title, the configurations, and the provisions that count.
    "15": (
        "Context, all provisions",
        ("In-Context - GPT4-Turbo", "RAG 20 - GPT4-Turbo", "RAG 10 - GPT4-Turbo"),
        NINE_PROVISIONS,
    ),
    "17": ("Model, all provisions", ("RAG 10 - GPT4-Turbo", "RAG 10 - GPT4-32K"), NINE_PROVISIONS),
}


def extraction_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield F1 by provision of runs without a language model, with the paper's best and tool."""
    rows = (*NINE_PROVISIONS, "mean")
    bars: dict[str, list[float | None]] = {}
    for each in records:
        own = [each.number("provisions", row, "f1") for row in NINE_PROVISIONS]
        bars[each.name] = [*own, each.number("nine", "f1")]
    for name in ("Machine Learning Extraction Tool", _tuned(_SECOND)):
        paper = _by_provision(name)
        bars[f"{name} (paper)"] = [*(paper.get(row) for row in NINE_PROVISIONS), paper["Mean"]]
    yield BarPlot("extraction-f1", "F1 of the nine provisions", "F1", rows, bars)


def experiment_plots(records: Sequence[NamedRecord]) -> Iterator[Plot]:
    """Yield the paper's figures with the runs of its configurations."""
    results = list(_results(records))
    for number, (title, configurations, provisions) in _FIGURES.items():
        yield _pair_plot(number, title, configurations, provisions, results)
        hard = [name for name in provisions if name not in _EASY]
        without = title.replace("all provisions", "without effective date and governing law")
        yield _pair_plot(str(int(number) + 1), without, configurations, hard, results)
    yield _improved_plot(results)
    yield _all_plot(results)
    yield _hard_plot(results)


def _results(records: Sequence[NamedRecord]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield each experiment of the records with its label."""
    for record in records:
        for each in cast("Sequence[Mapping[str, Json]]", record.measures.get("experiments", ())):
            model = str(each["model"]).partition(" (")[0]
            yield f"{each['name']}, {model}", each


def _by_provision(configuration: str) -> Mapping[str, float]:
    """Return the paper's F1 of a configuration by provision.

    The improved prompt was tried on five provisions: the others are those of the first prompt.
    """
    own = paper_figures()[configuration]
    return {**paper_figures().get(configuration.replace(" - Improved Prompt", ""), {}), **own}


def _tuned(prompt: str) -> str:
    return f"RAG 10 - GPT4-32K - Improved Prompt - {prompt}"


def _mean(numbers: Mapping[str, float | None], provisions: Sequence[str]) -> float | None:
    held = [number for name in provisions if (number := numbers.get(name)) is not None]
    return mean(held) if held else None


def _provision_f1(result: Mapping[str, Json]) -> dict[str, float | None]:
    provisions = cast("Mapping[str, Mapping[str, float]]", result["provisions"])
    return {name: each["f1"] for name, each in provisions.items()}


def _pair_plot(
    number: str,
    title: str,
    configurations: Sequence[str],
    provisions: Sequence[str],
    results: Sequence[tuple[str, Mapping[str, Json]]],
) -> BarPlot:
    bars: dict[str, list[float | None]] = {
        f"{prompt} (paper)": [
            _mean(_by_provision(f"{each} - {prompt}"), provisions) for each in configurations
        ]
        for prompt in (_FIRST, _SECOND)
    }
    for label, result in results:
        matched = cast("Mapping[str, Json]", result["paper"])
        row = [
            _mean(_provision_f1(result), provisions)
            if any(
                p.startswith(f"{each} - ") and p.count(" - ") == each.count(" - ") + 1
                for p in matched
            )
            else None
            for each in configurations
        ]
        if any(each is not None for each in row):
            bars[label] = row
    heading = f"{title}: mean F1 (the paper's Figure {number})"
    return BarPlot(f"law-firm-{number}", heading, "mean F1", tuple(configurations), bars)


def _improved_plot(results: Sequence[tuple[str, Mapping[str, Json]]]) -> BarPlot:
    rows = [name for name in NINE_PROVISIONS if name in paper_figures()[_tuned(_SECOND)]]
    bars: dict[str, list[float | None]] = {}
    for name in (f"RAG 10 - GPT4-32K - {_SECOND}", _tuned(_SECOND)):
        bars[f"{name} (paper)"] = [paper_figures()[name].get(row) for row in rows]
    for label, result in results:
        matched = cast("Mapping[str, Json]", result["paper"])
        if matched.keys() & {f"RAG 10 - GPT4-32K - {_SECOND}", _tuned(_SECOND)}:
            bars[label] = [_provision_f1(result).get(row) for row in rows]
    title = "Improved prompt: F1 by provision (the paper's Figure 19)"
    return BarPlot("law-firm-19", title, "F1", tuple(rows), bars)


def _all_plot(results: Sequence[tuple[str, Mapping[str, Json]]]) -> BarPlot:
    rows: dict[str, float | None] = {f"{n} (paper)": v["Mean"] for n, v in paper_figures().items()}
    rows |= {label: _mean(_provision_f1(result), NINE_PROVISIONS) for label, result in results}
    title = "Mean F1 by configuration and tool (the paper's Figure 20)"
    papers = frozenset(f"{name} (paper)" for name in paper_figures())
    return BarPlot(
        "law-firm-20",
        title,
        "mean F1",
        tuple(rows),
        {"mean F1": list(rows.values())},
        published=papers,
    )


def _hard_plot(results: Sequence[tuple[str, Mapping[str, Json]]]) -> BarPlot:
    paper = [
        mean(each[name] for each in paper_figures().values() if name in each)
        for name in NINE_PROVISIONS
    ]
    bars: dict[str, list[float | None]] = {"paper, all configurations and tools": list(paper)}
    if results:
        own = [_provision_f1(result) for _, result in results]
        held = [
            [number for each in own if (number := each.get(n)) is not None] for n in NINE_PROVISIONS
        ]
        bars["these runs"] = [mean(each) if each else None for each in held]
    title = "Mean F1 by provision (the paper's Figure 21)"
    return BarPlot("law-firm-21", title, "mean F1", NINE_PROVISIONS, bars)
