"""The law firm's three scenarios: are the passages that hold a provision among the ten returned?

Contracts count by their chunks of 3,500 characters, each sharing 700 with the next. An annotated
instance counts as found when it lies wholly in the union of the passages returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fourcorners.errors import ConfigError
from fourcorners.playbooks.passages.ranking import MAX_LENGTH
from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.text.span import Span, merge_spans
from fourcorners_bench.extraction.loader import FOURTEEN_PROVISIONS, AnnotatedContract
from fourcorners_bench.measures.statistics import bootstrap_interval
from fourcorners_bench.measures.tables import figure_table, percent_range, percents
from fourcorners_bench.record import Json, json_figures, published_data
from fourcorners_bench.run_files import Place, index_lines, read_answers, require_line

if TYPE_CHECKING:
    from rich.table import Table

_FIGURE = 5  # characters of `100.0`


@dataclass(frozen=True, slots=True)
class Scenario:
    """How many passages are returned, and how many chunks a contract has at least."""

    number: int
    most: int
    fewest_chunks: int

    def includes(self, contract: AnnotatedContract) -> bool:
        return len(fixed_chunks(len(contract.text))) >= self.fewest_chunks


SCENARIOS = (Scenario(1, 10, 0), Scenario(2, 10, 20), Scenario(3, 20, 40))


@dataclass(frozen=True, slots=True)
class ProvidedPassages:
    """The passages of one contract for one provision, the best first."""

    name: str
    provision: str
    passages: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class InstanceCounts:
    """How many instances of one provision a contract holds, and how many were found."""

    provision: str
    instances: int
    found: int


Scores = Mapping[str, Sequence[InstanceCounts]]
"""By contract."""


def read_run(path: Path) -> list[ProvidedPassages]:
    return read_answers(path, ProvidedPassages, "a line of a run of the scenarios")


def score_run(
    contracts: Sequence[AnnotatedContract],
    run: Iterable[ProvidedPassages],
    scenario: Scenario,
    *,
    most: int | None = None,
    longest: int | None = MAX_LENGTH,
) -> Scores:
    """Count the instances that lie wholly in the passages returned.

    `most` and `longest` bound the passages; by default as the scenario does, and `MAX_LENGTH`.

    Raises:
        ConfigError: If a line of a contract × provision of the scenario is missing, or one has
            more or longer passages than the scenario allows.
    """
    answered = index_lines(run, lambda line: (line.name, line.provision))
    scores: dict[str, Sequence[InstanceCounts]] = {}
    for contract in contracts:
        if not scenario.includes(contract):
            continue
        counts = []
        for provision in FOURTEEN_PROVISIONS:
            passages = require_line(answered, (contract.name, provision)).passages
            _check(contract.name, provision, passages, most or scenario.most, longest)
            counts.append(count_instances(contract, provision, passages))
        scores[contract.name] = counts
    return scores


def max_passages(run: Iterable[ProvidedPassages], scenario: Scenario) -> int:
    """Return how many passages a run may have: any number that holds half the characters."""
    lines = list(run)
    half = scenario.most * MAX_LENGTH / 2
    if all(sum(len(span) for span in line.passages) <= half for line in lines):
        return max(scenario.most, *(len(line.passages) for line in lines))
    return scenario.most


def _check(
    name: str, provision: str, passages: Sequence[Span], most: int, longest: int | None
) -> None:
    if len(passages) > most:
        raise ConfigError(
            f"{name} × {provision}: {len(passages)} passages, but {most} are allowed."
        )
    for span in passages:
        if longest is not None and len(span) > longest:
            raise ConfigError(
                f"{name} × {provision}: a passage of {len(span):,} characters, "
                f"but {longest:,} are allowed."
            )


def count_instances(
    contract: AnnotatedContract, provision: str, passages: Sequence[Span]
) -> InstanceCounts:
    whole = merge_spans(passages)
    marked = contract.annotations[provision]
    found = sum(any(one.contains(instance) for one in whole) for instance in marked)
    return InstanceCounts(provision, len(marked), found)


def instance_recall(counts: Iterable[InstanceCounts]) -> float:
    """Return the recall over all instances together; 1 where there are none."""
    listed = list(counts)
    instances = sum(each.instances for each in listed)
    return sum(each.found for each in listed) / instances if instances else 1.0


def scenario_measures(scores: Scores, *, seed: int = 0) -> dict[str, Json]:
    """Return recall over all and by provision, with 95% intervals over contracts."""

    def figures(provision: str | None) -> dict[str, Json]:
        units = [
            [each for each in counts if provision in (None, each.provision)]
            for counts in scores.values()
        ]
        units = [unit for unit in units if any(each.instances for each in unit)]
        interval = bootstrap_interval(
            units,
            lambda drawn: instance_recall(each for unit in drawn for each in unit),
            samples=400,
            seed=seed,
        )
        flat = [each for unit in units for each in unit]
        return {
            "recall": round(instance_recall(flat), 4),
            "interval": json_figures(interval),
            "instances": sum(each.instances for each in flat),
        }

    return {
        "contracts": len(scores),
        "all": figures(None),
        "provisions": {provision: figures(provision) for provision in FOURTEEN_PROVISIONS},
    }


def scenario_table(title: str, scenario: int, shaped: Mapping[str, Json]) -> Table:
    """Return recall by provision for each shape of passages."""
    paper = published_data("provisions")["scenarios"][str(scenario)]
    name, first = next(iter(shaped.items()))
    contracts = cast("Mapping[str, Json]", first)["contracts"]
    low, high = cast("list[float]", _figures(first, "all")["interval"])
    interval = percent_range(low, high, between="–")
    table = figure_table(
        f"{title}: recall over {contracts} contracts, %",
        "Provision",
        *shaped,
        "paper plain",
        "paper opt.",
        wrap_figures=True,
        caption=f"{name}, all, 95%: {interval}. Paper: {published_data('provisions')['source']}",
    )
    table.padding = (0, 1, 0, 0)
    for column in table.columns[1:]:
        column.min_width = _FIGURE
        column.overflow = "fold"
    for provision in (*FOURTEEN_PROVISIONS, "all"):
        figures = [_figures(measured, provision) for measured in shaped.values()]
        table.add_row(
            provision,
            *percents(cast("float", each["recall"]) for each in figures),
            f"{paper[provision]['plain']:.1f}",
            f"{paper[provision]['optimised']:.1f}",
            style="bold" if provision == "all" else None,
        )
    return table


def gain_table(title: str, before: Json, after: Json, against: str, profile: str) -> Table:
    """Return what one profile gains over another, by provision, in points."""
    heads = (against, profile, "points")
    table = figure_table(f"{title}: the gain", "Provision", *heads, wrap_figures=True, boxed=True)
    for provision in (*FOURTEEN_PROVISIONS, "all"):
        low = cast("float", _figures(before, provision)["recall"])
        high = cast("float", _figures(after, provision)["recall"])
        table.add_row(
            provision,
            f"{low:.1%}",
            f"{high:.1%}",
            f"{100 * (high - low):+.1f}",
            style="bold" if provision == "all" else None,
        )
    return table


def _figures(measured: Json, provision: str) -> Mapping[str, Json]:
    whole = cast("Mapping[str, Mapping[str, Json]]", measured)
    if provision == "all":
        return whole["all"]
    return cast("Mapping[str, Mapping[str, Json]]", whole["provisions"])[provision]
