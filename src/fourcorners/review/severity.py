"""Severity and risk answers by the playbook's rules: what can be said without a model."""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.playbooks.playbook import Provision, RiskQuestion, SeverityRule
from fourcorners.review.finding import CellState, RiskAnswer, Severity
from fourcorners.search.query import Query
from fourcorners.search.query.match import holds
from fourcorners.text.words import WordIndex


def judge(provision: Provision, state: CellState, clauses: Sequence[str]) -> tuple[Severity, str]:
    """Return the severity of a cell and the reason, by the first rule of the provision that holds.

    A rule's queries are asked of each clause on its own, so that words of two clauses never add
    up to one match.
    """
    indexes = [WordIndex(clause) for clause in clauses]
    for rule in provision.severity:
        if rule.when == state.value and _holds(rule, indexes):
            return Severity(rule.severity), rule.because
    return Severity.NONE, ""


def _holds(rule: SeverityRule, indexes: Sequence[WordIndex]) -> bool:
    if rule.matching is not None and not _any(rule.matching, indexes):
        return False
    return rule.unless is None or not _any(rule.unless, indexes)


def _any(query: Query, indexes: Sequence[WordIndex]) -> bool:
    return any(holds(query, index) for index in indexes)


def answers(provision: Provision, clauses: Sequence[str]) -> tuple[RiskAnswer, ...]:
    """Answer the provision's risk questions as far as wording alone can; leave the rest open."""
    indexes = [WordIndex(clause) for clause in clauses]
    return tuple(_answer(question, indexes) for question in provision.questions)


def _answer(question: RiskQuestion, indexes: Sequence[WordIndex]) -> RiskAnswer:
    if question.yes is not None and _any(question.yes, indexes):
        return RiskAnswer(question.question, "Likely yes", "by its wording; a person should check")
    return RiskAnswer(question.question, "")
