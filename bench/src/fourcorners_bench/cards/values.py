"""Dates, terms, notice and governing law against the lawyers' answers of CUAD.

A value is right where it is the lawyers' answer, or one of several. Precision is over the values
stated, recall over the contracts for which there is an answer. Answers are read as follows: of a
date what is not blank, from the year on ("04/[]/2005" is `2005-04`; a blank year is no answer),
"31/1/25" day first; a year is 12 months; jurisdictions as `normal_law` says, all that are stated
being among those answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.outline.card.card import Card, Fact, Value
from fourcorners.text.patterns import load_patterns
from fourcorners.text.values.periods import Period, parse_period
from fourcorners_bench.cards.truth import normal_law
from fourcorners_bench.extraction.loader import AnnotatedContract
from fourcorners_bench.measures.statistics import ratio, wilson_interval
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json
from fourcorners_bench.run_files import (
    Place,
    Rounded,
    index_lines,
    read_answers,
    require_line,
)

if TYPE_CHECKING:
    from rich.table import Table

LAW = "Governing Law"
KIND_PROVISIONS = {
    "agreement": "Agreement Date",
    "effective": "Effective Date",
    "end": "Expiration Date",
    "renewal": "Renewal Term",
    "notice": "Notice Period To Terminate Renewal",
}
"""The kinds of values of a card, and CUAD's categories."""
PROVISIONS = (*KIND_PROVISIONS.values(), LAW)
_PATTERNS = load_patterns("fourcorners_bench.cards", "values")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class ValueAnswer:
    """A value that a contract was said to have, and the words; None where nothing is asserted."""

    name: str
    provision: str
    value: str | None
    quotes: tuple[Place, ...]
    confidence: Rounded


def answer_value(name: str, kind: str, value: Value | None) -> ValueAnswer:
    provision = KIND_PROVISIONS[kind]
    if value is None or not value.asserted:
        return ValueAnswer(name, provision, None, (), value.confidence if value else 0.0)
    return ValueAnswer(name, provision, value.text, (value.span,), value.confidence)


def answer_law(name: str, law: Fact[str] | None) -> ValueAnswer:
    if law is None:
        return ValueAnswer(name, LAW, None, (), 0.0)
    return ValueAnswer(name, LAW, law.value, (law.span,), law.confidence)


def answer_values(name: str, card: Card | None) -> list[ValueAnswer]:
    """Return the lines of one contract, in the order of `PROVISIONS`; no values without a card."""
    if card is None:
        return [ValueAnswer(name, provision, None, (), 0.0) for provision in PROVISIONS]
    lines = [answer_value(name, kind, card.value(kind)) for kind in KIND_PROVISIONS]
    return [*lines, answer_law(name, card.governing_law)]


def read_values(path: Path) -> list[ValueAnswer]:
    return read_answers(path, ValueAnswer, "a line of a run of values")


def normal_value(value: str) -> str:
    """Return a value as it is compared: periods in months or days."""
    if value[:1] != "P":
        return value
    period = parse_period(value)
    return f"{period.days} days" if period.days else f"{period.months} months"


def answered_values(provision: str, answer: str) -> frozenset[str]:
    """Return the values that a lawyer's answer gives, as they are compared."""
    if provision == LAW:
        return normal_law(answer)
    read = _date if provision.endswith("Date") else _period
    return frozenset(value for part in re.split(r"[;,]", answer) if (value := read(part)))


def _date(part: str) -> str:
    plain = part.strip().casefold()
    match = _PATTERNS["date"].fullmatch(plain)
    if match is None:
        return plain if plain == "perpetual" else ""
    month, day = match["month"], match["day"]
    if month.isdigit() and int(month) > 12:
        month, day = day, month
    year = int(match["year"])
    if year < 100:
        year += 2000 if year < 50 else 1900
    known = [f"{year:04}", *(f"{int(each):02}" for each in (month, day) if each.isdigit())]
    return "-".join(known) if month.isdigit() else known[0]


def _period(part: str) -> str:
    plain = part.strip().casefold()
    match = _PATTERNS["period"].search(plain)
    if match is None:
        return "perpetual" if "perpetual" in plain else ""
    count, unit = float(match["count"]), match["unit"]
    if unit in _MONTHS:
        return normal_value(Period(months=int(count * _MONTHS[unit])).iso)
    return normal_value(Period(days=int(count * (7 if unit == "week" else 1))).iso)


def load_values(
    contracts: Sequence[AnnotatedContract],
) -> dict[str, Mapping[str, frozenset[str]]]:
    """Return the lawyers' answers, by contract and category.

    Raises:
        ConfigError: If contracts come without them.
    """
    if not all(contract.answers for contract in contracts):
        raise ConfigError(
            "the contracts come without answers.",
            remedy="Give a folder of CUAD that holds annotations.jsonl with --data.",
        )
    return {
        contract.name: {
            provision: answered_values(provision, contract.answers[provision])
            for provision in PROVISIONS
        }
        for contract in contracts
    }


@dataclass(slots=True)
class ValueCounts:
    """How one category was answered: values stated, right ones, contracts with an answer."""

    stated: int = 0
    right: int = 0
    answered: int = 0

    @property
    def precision(self) -> float:
        return ratio(self.right, self.stated)

    @property
    def recall(self) -> float:
        return ratio(self.right, self.answered)


def is_right(line: ValueAnswer, wanted: frozenset[str]) -> bool:
    if line.value is None:
        return False
    if line.provision == LAW:
        named = normal_law(line.value)
        return bool(named) and named <= wanted
    return normal_value(line.value) in wanted


def score_values(
    names: Sequence[str],
    truth: Mapping[str, Mapping[str, frozenset[str]]],
    run: Iterable[ValueAnswer],
) -> dict[str, ValueCounts]:
    """Count a run's answers about contracts, by category.

    Raises:
        ConfigError: If a line is missing for any contract and category, or there are two.
    """
    lines = index_lines(run, lambda line: (line.name, line.provision))
    found = {provision: ValueCounts() for provision in PROVISIONS}
    for name in names:
        for provision, counts in found.items():
            line = require_line(lines, (name, provision))
            wanted = truth[name][provision]
            counts.stated += line.value is not None
            counts.right += is_right(line, wanted)
            counts.answered += bool(wanted)
    return found


def pooled_counts(counts: Iterable[ValueCounts]) -> ValueCounts:
    whole = ValueCounts()
    for each in counts:
        whole.stated += each.stated
        whole.right += each.right
        whole.answered += each.answered
    return whole


def value_measures(found: Mapping[str, ValueCounts]) -> dict[str, Json]:
    """Return precision and recall of each category and of all, with 95% intervals (Wilson)."""
    return {
        name: {
            "precision": round(each.precision, 4),
            "precision_interval": _interval(each.right, each.stated),
            "recall": round(each.recall, 4),
            "recall_interval": _interval(each.right, each.answered),
            "stated": each.stated,
            "right": each.right,
            "answered": each.answered,
        }
        for name, each in _with_all(found).items()
    }


def _interval(part: int, whole: int) -> list[Json]:
    return [round(bound, 4) for bound in wilson_interval(part, whole)]


def _with_all(found: Mapping[str, ValueCounts]) -> dict[str, ValueCounts]:
    return {**found, "all six": pooled_counts(found.values())}


def value_table(found: Mapping[str, ValueCounts]) -> Table:
    shown = figure_table("Values", "Value", "precision", "recall", "stated", "right", "answered")
    for name, each in _with_all(found).items():
        counts = (str(number) for number in (each.stated, each.right, each.answered))
        shown.add_row(name, f"{each.precision:.3f}", f"{each.recall:.3f}", *counts)
    return shown
