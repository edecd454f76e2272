"""A verdict reader that says of some words what it is told to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fourcorners.models.card import ModelInfo
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.models.verdict_reader.reader import IS, Verdict, VerdictReader

LIMIT = 0.9
INFO = ModelInfo("scripted", "1", "verdict-reader", "", 1, 0, "", "", Path(), ())
Says = Mapping[str, Mapping[str, tuple[str, float]]]


@dataclass(frozen=True)
class ScriptedReader(VerdictReader):
    """Answers by the words that are marked: value and probability by question; all else it leaves.

    Attributes:
        says: By words of which one must stand in a quote.
        seen: The clauses that it was given.
    """

    info: ModelInfo = INFO
    says: Says = field(default_factory=dict)
    seen: list[MarkedClause] = field(default_factory=list)

    def is_known(self, provision: str) -> bool:
        return provision != "unheard-of"

    def read(self, provision: str, clause: MarkedClause) -> dict[str, Verdict]:  # noqa: ARG002
        self.seen.append(clause)
        marked = clause.marked.text_in(clause.text)
        return {IS: Verdict("yes", 0.5, says=True, is_asserted=False)} | {
            question: Verdict(
                value,
                probability,
                says=value not in ("", "silent"),
                is_asserted=probability >= LIMIT,
                spans=tuple(each.span for each in clause.mentions if each.key == value),
            )
            for words, verdicts in self.says.items()
            if words in marked
            for question, (value, probability) in verdicts.items()
        }
