"""The law firm's three scenarios: are the passages that hold a provision among the ten returned?

Contracts count by their chunks of 3,500 characters, each sharing 700 with the next. An annotated
instance counts as found when it lies wholly in the union of the passages returned.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from fourcorners.errors import ConfigError
from fourcorners.evaluation.extraction.loader import AnnotatedContract
from fourcorners.evaluation.measures.intervals import bootstrap_interval
from fourcorners.evaluation.record import Json
from fourcorners.evaluation.run_files import read_lines
from fourcorners.playbooks.passages.ranking import MAX_LENGTH
from fourcorners.text.span import Span, merge_spans

FOURTEEN_PROVISIONS = (
    "Anti-Assignment",
    "Audit Rights",
    "Cap On Liability",
    "Change Of Control",
    "Effective Date",
    "Exclusivity",
    "Governing Law",
    "Insurance",
    "License Grant",
    "Minimum Commitment",
    "Non-Compete",
    "Rofr/Rofo/Rofn",
    "Termination For Convenience",
    "Warranty Duration",
)
# The seven of its chunking experiment (table 1).
SEVEN_PROVISIONS = (
    "Anti-Assignment",
    "Change Of Control",
    "Effective Date",
    "Exclusivity",
    "Non-Compete",
    "Rofr/Rofo/Rofn",
    "Termination For Convenience",
)
CHUNK, OVERLAP = MAX_LENGTH, 700


@dataclass(frozen=True, slots=True)
class Scenario:
    """How many passages are returned, and how many chunks a contract has at least."""

    number: int
    most: int
    fewest_chunks: int

    def includes(self, contract: AnnotatedContract) -> bool:
        """Tell whether the contract is one of the scenario's."""
        return len(fixed_chunks(len(contract.text))) >= self.fewest_chunks


SCENARIOS = (Scenario(1, 10, 0), Scenario(2, 10, 20), Scenario(3, 20, 40))


@dataclass(frozen=True, slots=True)
class ProvidedPassages:
    """The passages of one contract for one provision, the best first."""

    name: str
    provision: str
    passages: tuple[Span, ...]

    def to_json(self) -> str:
        """Return the line of the run file."""
        return json.dumps(
            {
                "name": self.name,
                "provision": self.provision,
                "passages": [[span.start, span.end] for span in self.passages],
            },
            ensure_ascii=False,
        )


@dataclass(frozen=True, slots=True)
class InstanceCounts:
    """How many instances of one provision a contract holds, and how many were found."""

    provision: str
    instances: int
    found: int


Scores = Mapping[str, Sequence[InstanceCounts]]
"""By contract."""


def fixed_chunks(length: int, size: int = CHUNK, overlap: int = OVERLAP) -> list[Span]:
    """Return the paper's chunks of a text of `length` characters."""
    step = size - overlap
    count = 1 + max(0, -(-(length - size) // step))
    return [Span(at * step, min(length, at * step + size)) for at in range(count)]


def read_run(path: Path) -> list[ProvidedPassages]:
    """Read a run; a line of another form is a `ConfigError` that names it."""
    return read_lines(path, _provided, "a line of a run of the scenarios")


def _provided(record: Mapping[str, Any]) -> ProvidedPassages:
    spans = tuple(Span(start, end) for start, end in record["passages"])
    return ProvidedPassages(record["name"], record["provision"], spans)


def find_scenario(number: int) -> Scenario:
    """Return the scenario 1, 2 or 3.

    Raises:
        ConfigError: If there is no such scenario.
    """
    for scenario in SCENARIOS:
        if scenario.number == number:
            return scenario
    raise ConfigError(f"there is no scenario {number}.", remedy="There are 1, 2 and 3.")


def score_run(
    contracts: Sequence[AnnotatedContract],
    run: Iterable[ProvidedPassages],
    scenario: Scenario,
    *,
    most: int | None = None,
    longest: int | None = MAX_LENGTH,
) -> Scores:
    """Count the instances that lie wholly in the passages returned.

    Args:
        contracts: With what is marked in them.
        run: The passages returned.
        scenario: Which contracts count.
        most: How many passages are allowed; by default as many as the scenario allows.
        longest: How long each may be, in characters; None allows any.

    Raises:
        ConfigError: If a line of a contract × provision of the scenario is missing, or one has
            more or longer passages than the scenario allows.
    """
    answered = {(line.name, line.provision): line.passages for line in run}
    scores: dict[str, Sequence[InstanceCounts]] = {}
    for contract in contracts:
        if not scenario.includes(contract):
            continue
        counts = []
        for provision in FOURTEEN_PROVISIONS:
            passages = answered.get((contract.name, provision))
            if passages is None:
                raise ConfigError(f"the run has no line for {contract.name} × {provision}.")
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
    """Count one contract's instances of a provision."""
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
        low, high = bootstrap_interval(
            units,
            lambda drawn: instance_recall(each for unit in drawn for each in unit),
            samples=400,
            seed=seed,
        )
        flat = [each for unit in units for each in unit]
        return {
            "recall": round(instance_recall(flat), 4),
            "interval": [round(low, 4), round(high, 4)],
            "instances": sum(each.instances for each in flat),
        }

    return {
        "contracts": len(scores),
        "all": figures(None),
        "provisions": {provision: figures(provision) for provision in FOURTEEN_PROVISIONS},
    }


def published_figures() -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]:
    """Return the paper's figures, in percent, as the data file states them."""
    file = resources.files("fourcorners.evaluation").joinpath("provisions_published.json")
    content: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]] = json.loads(
        file.read_text("utf-8")
    )
    return content


OnProgress = Callable[[str, int, int], None]
