"""How a column is shown and answered: its short name, and the kind of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from fourcorners.errors import ConfigError
from fourcorners.playbooks.playbook import AnswerKind, RiskQuestion
from fourcorners.research.question import split_question
from fourcorners.text.invisible_characters import single_line

MAX_SHORT = 40
"""Characters of a column's short name."""


class ColumnKind(StrEnum):
    """The kind of answer that a column asks for; `auto` follows its question."""

    AUTO = "auto"
    YES_NO = "yes_no"
    DATE = "date"
    AMOUNT = "amount"
    PERIOD = "period"
    PARTY = "party"
    LIST = "list"
    WORDS = "words"


_ANSWERS: Mapping[ColumnKind, AnswerKind] = {
    ColumnKind.YES_NO: "yes_no",
    ColumnKind.DATE: "date",
    ColumnKind.AMOUNT: "amount",
    ColumnKind.PERIOD: "duration",
    ColumnKind.PARTY: "party",
}
_GUIDANCE = {ColumnKind.LIST: "Name each, separated by semicolons."}


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """How a column is shown: its short name (empty: its question) and the kind of its answers."""

    short: str = ""
    kind: ColumnKind = ColumnKind.AUTO


def check_form(form: ColumnForm) -> ColumnForm:
    """Return a form with its short name on one line.

    Raises:
        ConfigError: If the short name is too long.
    """
    short = single_line(" ".join(form.short.split()))
    if len(short) > MAX_SHORT:
        raise ConfigError(f"the short name of a column has at most {MAX_SHORT} characters.")
    return replace(form, short=short)


def risk_question(question: str, kind: ColumnKind) -> RiskQuestion:
    """Return the question of a column's cells, with the kind of answer that it asks for."""
    is_whether = kind is ColumnKind.AUTO and split_question(question)[0].is_whether
    answer: AnswerKind = "yes_no" if is_whether else _ANSWERS.get(kind, "text")
    return RiskQuestion("asked", question, guidance=_GUIDANCE.get(kind, ""), answer=answer)
