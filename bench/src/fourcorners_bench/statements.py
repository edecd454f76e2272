"""Statements with the quotes given for them: what a reader would be shown of each.

A statement goes through the check of an answer by a language model. Where the lines say which
statements are true (`label`, or `true`), the verdicts are counted by that; it is not read before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.research.agents.statement_check import check_quotes
from fourcorners.research.answer import Verification
from fourcorners_bench.measures.statistics import wilson_interval
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, OnProgress, json_figures, with_progress
from fourcorners_bench.run_files import read_answers

if TYPE_CHECKING:
    from rich.table import Table

ALL = "all"


class StatementVerdict(StrEnum):
    """What a reader sees: `refused` is shown as "not verified", with the reason."""

    VERIFIED = "verified"
    UNCHECKED = "unchecked"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class QuotedStatement:
    """A line of the data; other fields are left aside.

    Attributes:
        label: What it is known to be, in any words; `true` says the same with yes or no.
    """

    id: int | str
    quote: str
    statement: str
    label: str | bool | int | None = None
    true: bool | None = None

    @property
    def gold(self) -> str:
        """What the statement is known to be; empty where that is not said."""
        known = self.true if self.label is None else self.label
        return "" if known is None else str(known).casefold()


@dataclass(frozen=True, slots=True)
class StatementAnswer:
    id: int | str
    verdict: StatementVerdict


_VERDICTS = {
    Verification.VERIFIED: StatementVerdict.VERIFIED,
    Verification.UNCHECKED: StatementVerdict.UNCHECKED,
    Verification.UNVERIFIED: StatementVerdict.REFUSED,
}


def load_statements(path: Path, *, limit: int | None = None) -> list[QuotedStatement]:
    """Return the statements of a file, the first of them with a limit.

    Raises:
        ConfigError: If it cannot be read, or two lines have one id.
    """
    found = read_answers(path, QuotedStatement, "a statement with its quote")
    for identity, count in Counter(each.id for each in found).items():
        if count > 1:
            raise ConfigError(f"{path}: the id {identity!r} is given to {count} statements.")
    return found[:limit]


def judge_statements(
    statements: Sequence[QuotedStatement], *, on_progress: OnProgress | None = None
) -> list[StatementAnswer]:
    return [
        StatementAnswer(each.id, _VERDICTS[check_quotes(each.statement, [each.quote])[0]])
        for each in with_progress(statements, "Checking statements", on_progress)
    ]


def read_statement_run(path: Path) -> list[StatementAnswer]:
    return read_answers(path, StatementAnswer, "a verdict on a statement")


def statement_measures(
    statements: Sequence[QuotedStatement], run: Sequence[StatementAnswer]
) -> dict[str, dict[str, Json]]:
    """Return the shares of the verdicts with intervals, by label and of all statements.

    Raises:
        ConfigError: If a statement has no verdict.
    """
    verdicts = {each.id: each.verdict for each in run}
    missing = [each.id for each in statements if each.id not in verdicts]
    if missing:
        raise ConfigError(
            f"the run has no verdict on {len(missing)} statements, first {missing[0]!r}."
        )
    labels = sorted({each.gold for each in statements} - {""})
    by_label = {
        label: [verdicts[each.id] for each in statements if each.gold == label] for label in labels
    }
    by_label[ALL] = [verdicts[each.id] for each in statements]
    return {label: _measure(own) for label, own in by_label.items()}


def _measure(verdicts: Sequence[StatementVerdict]) -> dict[str, Json]:
    row: dict[str, Json] = {"statements": len(verdicts)}
    for each in StatementVerdict:
        count = verdicts.count(each)
        row[f"{each}_count"] = count
        if verdicts:
            row[str(each)] = json_figures(count / len(verdicts))
            row[f"{each}_interval"] = json_figures(wilson_interval(count, len(verdicts)))
    return row


def statement_table(measures: Mapping[str, Mapping[str, Json]]) -> Table:
    """Return how many statements got which verdict, a row a label."""
    heads = [str(each) for each in StatementVerdict]
    table = figure_table("Statements with their quotes", "Known to be", "statements", *heads)
    for label, row in measures.items():
        counts = ["statements", *(f"{each}_count" for each in heads)]
        table.add_row(label, *(f"{row[each]}" for each in counts))
    return table
