"""Extraction of provisions, by the law firm's rule (its paper, "Success criteria").

Each annotated instance is a sample: a true positive when at least 75% of its characters are
returned, else a false negative. A contract without the provision is a true negative when nothing
is returned, else a false positive; that is forgiven when at least 75% of what is returned lies in
annotations of a related category. The strict figures forgive nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.text.span import Span, covered_length, intersect_spans
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    NINE_PROVISIONS,
    RELATED,
    AnnotatedContract,
    Extraction,
)
from fourcorners_bench.measures.statistics import bootstrap_interval, ratio
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, json_figures
from fourcorners_bench.run_files import index_lines, require_line

if TYPE_CHECKING:
    from rich.table import Table

MIN_RETURNED = 0.75  # share of characters


@dataclass(frozen=True, slots=True)
class Counts:
    """What one contract (or many, added up) contributes to a provision's figures."""

    true_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0
    false_positives: int = 0
    forgiven: int = 0
    returned: int = 0
    right: int = 0
    contracts: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.true_positives + other.true_positives,
            self.false_negatives + other.false_negatives,
            self.true_negatives + other.true_negatives,
            self.false_positives + other.false_positives,
            self.forgiven + other.forgiven,
            self.returned + other.returned,
            self.right + other.right,
            self.contracts + other.contracts,
        )

    @property
    def samples(self) -> int:
        """Return how many instances there are, and contracts without any."""
        absent = self.true_negatives + self.false_positives + self.forgiven
        return self.true_positives + self.false_negatives + absent

    @property
    def is_empty(self) -> bool:
        """Tell whether there is no instance, and nothing wrong was returned."""
        return not (self.true_positives + self.false_negatives + self.false_positives)

    @property
    def accuracy(self) -> float:
        """Return the share of samples that came out right; what is forgiven is a true negative."""
        right = self.true_positives + self.true_negatives + self.forgiven
        return ratio(right, self.samples)

    @property
    def recall(self) -> float:
        """Return the share of annotated instances that were returned."""
        return ratio(self.true_positives, self.true_positives + self.false_negatives)

    def precision(self, *, strict: bool = False) -> float:
        wrong = self.false_positives + (self.forgiven if strict else 0)
        return ratio(self.true_positives, self.true_positives + wrong)

    def f1(self, *, strict: bool = False) -> float:
        precision = self.precision(strict=strict)
        return ratio(2 * precision * self.recall, precision + self.recall)

    @property
    def characters(self) -> float:
        """Return the mean number of characters returned a contract."""
        return ratio(self.returned, self.contracts)

    @property
    def character_precision(self) -> float:
        """Return the share of returned characters that lie in annotations of the provision."""
        return ratio(self.right, self.returned)

    def figures(self) -> dict[str, float]:
        return {
            "f1": self.f1(),
            "strict_f1": self.f1(strict=True),
            "precision": self.precision(),
            "recall": self.recall,
            "characters": self.characters,
            "character_precision": self.character_precision,
        }


def count_provision(contract: AnnotatedContract, provision: str, quotes: Sequence[Span]) -> Counts:
    instances = contract.annotations[provision]
    returned = covered_length(quotes)
    right = covered_length(intersect_spans(quotes, instances))
    if instances:
        hits = sum(is_returned(contract.text, instance, quotes) for instance in instances)
        return Counts(
            true_positives=hits,
            false_negatives=len(instances) - hits,
            returned=returned,
            right=right,
            contracts=1,
        )
    if not returned:
        return Counts(true_negatives=1, contracts=1)
    related = [s for name in RELATED.get(provision, ()) for s in contract.annotations[name]]
    forgiven = covered_length(intersect_spans(quotes, related)) >= MIN_RETURNED * returned
    return Counts(
        false_positives=0 if forgiven else 1,
        forgiven=1 if forgiven else 0,
        returned=returned,
        contracts=1,
    )


def is_returned(text: str, instance: Span, quotes: Sequence[Span]) -> bool:
    """Tell whether enough of an instance is returned, at its place or where its words recur."""
    words = instance.text_in(text)
    place = text.find(words) if words else -1  # a file that could not be read has no words
    while place >= 0:
        here = Span(place, place + len(words))
        if covered_length(intersect_spans(quotes, [here])) >= MIN_RETURNED * len(here):
            return True
        place = text.find(words, place + 1)
    return False


@dataclass(frozen=True, slots=True)
class Scores:
    """The counts of each provision, over all contracts and over those of 40 to 60 chunks."""

    provisions: Mapping[str, Counts]
    long: Mapping[str, Counts]
    by_contract: Mapping[str, Mapping[str, Counts]]


def score_run(contracts: Iterable[AnnotatedContract], run: Iterable[Extraction]) -> Scores:
    """Score a run of the extraction benchmark.

    Raises:
        ConfigError: If a line is missing for any contract and category, or there are two; a
            missing line is an error, never a "not found".
    """
    answers = index_lines(run, lambda line: (line.name, line.provision))
    totals = {name: Counts() for name in CATEGORIES}
    long = {name: Counts() for name in CATEGORIES}
    by_contract: dict[str, dict[str, Counts]] = {}
    for contract in contracts:
        by_contract[contract.name] = {}
        for provision in CATEGORIES:
            answer = require_line(answers, (contract.name, provision))
            counts = count_provision(contract, provision, answer.quotes)
            by_contract[contract.name][provision] = counts
            totals[provision] += counts
            if 40 <= len(fixed_chunks(len(contract.text))) <= 60:
                long[provision] += counts
    return Scores(totals, long, by_contract)


def macro_means(scores: Mapping[str, Counts], provisions: Sequence[str]) -> dict[str, float]:
    """Return the means over provisions of the paper's figures and of what is returned.

    A provision that no contract has, and that nothing wrong was returned for, has no figures.
    """
    figures = [scores[name].figures() for name in provisions if not scores[name].is_empty]
    return {
        measure: ratio(sum(each[measure] for each in figures), len(figures))
        for measure in Counts().figures()
    }


def add_counts(
    units: Iterable[Mapping[str, Counts]], provisions: Sequence[str]
) -> dict[str, Counts]:
    """Add up the counts of several contracts."""
    listed = list(units)
    return {name: sum((unit[name] for unit in listed), Counts()) for name in provisions}


def extraction_measures(scores: Scores, *, seed: int = 0) -> dict[str, Json]:
    """Return the figures of an extraction run, with 95% intervals over contracts."""
    units = list(scores.by_contract.values())

    def interval(measure: str) -> tuple[float, float]:
        return bootstrap_interval(
            units,
            lambda drawn: macro_means(add_counts(drawn, NINE_PROVISIONS), NINE_PROVISIONS)[measure],
            samples=400,
            seed=seed,
        )

    return {
        "contracts": len(units),
        "nine": json_figures(macro_means(scores.provisions, NINE_PROVISIONS)),
        "nine_intervals": json_figures(
            {name: interval(name) for name in ("f1", "strict_f1", "recall")}
        ),
        "nine_40_to_60_chunks": json_figures(macro_means(scores.long, NINE_PROVISIONS)),
        "all": json_figures(macro_means(scores.provisions, CATEGORIES)),
        "provisions": {name: _figures(scores.provisions[name]) for name in CATEGORIES},
    }


def _figures(counts: Counts) -> dict[str, Json]:
    count_figures = counts.figures()
    counted = ("true_positives", "false_negatives", "true_negatives", "false_positives", "forgiven")
    return {
        **{
            name: round(value, 1 if name == "characters" else 4)
            for name, value in count_figures.items()
        },
        **{name: getattr(counts, name) for name in counted},
    }


def extraction_table(scores: Scores, provisions: Sequence[str], title: str) -> Table:
    heads = ("F1", "strict", "prec.", "recall", "chars", "of them right")
    table = figure_table(title, "Provision", *heads, wrap_figures=True)
    for name in provisions:
        table.add_row(name, *_format_figures(scores.provisions[name].figures()))
    table.add_section()
    for label, counts in (("Mean", scores.provisions), ("Mean, 40-60 chunks", scores.long)):
        table.add_row(label, *_format_figures(macro_means(counts, provisions)), style="bold")
    return table


def _format_figures(figures: Mapping[str, float]) -> Iterator[str]:
    formats = {"characters": ",.0f", "character_precision": ".2f"}
    return (f"{value:{formats.get(name, '.3f')}}" for name, value in figures.items())
