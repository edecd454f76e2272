"""How much a cell matters, by the playbook's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from fourcorners.playbooks.playbook import Position, Provision, SeverityRule
from fourcorners.review.finding import CellState
from fourcorners.search.query import Query
from fourcorners.search.query.match import is_match
from fourcorners.text.tokenization import WordIndex

C = TypeVar("C", SeverityRule, Position)


def deciding_rule(
    provision: Provision,
    state: CellState,
    clauses: Sequence[WordIndex],
    acting: Callable[[Query | None], str] = lambda _: "",
) -> SeverityRule | None:
    """Return the rule that decides how much a cell matters; None if none holds.

    `acting` tells who acts in the words that satisfy a query, in those found without one.
    """
    rules = [
        rule for rule in provision.severity if rule.when == state.value and rule.ends_within is None
    ]
    return next(
        (
            rule
            for rule in rules
            if _holds(rule, clauses) and (not rule.by or acting(rule.matching) in rule.by)
        ),
        None,
    )


def position_taken(provision: Provision, clauses: Sequence[WordIndex]) -> Position | None:
    """Return the position of the house that clauses are in; one without wording is never taken."""
    worded = [each for each in provision.positions if each.matching or each.unless]
    return first_match(worded, clauses)


def first_match(listed: Sequence[C], clauses: Sequence[WordIndex]) -> C | None:
    return next((each for each in listed if _holds(each, clauses)), None)


def _holds(conditions: SeverityRule | Position, clauses: Sequence[WordIndex]) -> bool:
    if conditions.matching is not None and not _any(conditions.matching, clauses):
        return False
    return conditions.unless is None or not _any(conditions.unless, clauses)


def _any(query: Query, clauses: Sequence[WordIndex]) -> bool:
    return any(is_match(query, clause) for clause in clauses)
