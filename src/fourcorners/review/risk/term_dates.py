"""What a review's day makes of the cells: a term that has ended, or soon will."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from fourcorners.outline.card.card import Card
from fourcorners.outline.card.term import find_final_end
from fourcorners.playbooks.playbook import Playbook, Provision, SeverityRule
from fourcorners.review.amendments import amended_by
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.severity import raise_severity

_DAYS_A_MONTH = 30.5  # the mean


def apply_term_dates(
    findings: Iterable[Finding], cards: Mapping[str, Card], playbook: Playbook, as_of: date
) -> list[Finding]:
    """Return findings as severe as the end of their contract makes them, on the day of the review.

    Rules with `ends_within` decide, and raise only; not where the term may renew by itself, nor
    where a person set the severity. `cards` are by document.
    """
    rules = {provision.id: dated_rules(provision) for provision in playbook.provisions}
    return [
        _raised(cell, rules.get(cell.provision, ()), cards.get(cell.document), as_of)
        for cell in findings
    ]


def dated_rules(provision: Provision) -> tuple[SeverityRule, ...]:
    return tuple(rule for rule in provision.severity if rule.ends_within is not None)


def deciding_rule(
    rules: Iterable[SeverityRule], state: CellState, given: Severity, end: date, as_of: date
) -> SeverityRule | None:
    """Return the rule that makes a cell graver than it was given; None where none does."""
    months = max(0.0, (end - as_of).days / _DAYS_A_MONTH)
    for rule in rules:
        if rule.when != state.value or rule.ends_within is None:
            continue
        if (months <= rule.ends_within) if rule.ends_within else end < as_of:
            return rule if Severity(rule.severity).rank > given.rank else None
    return None


def _raised(
    cell: Finding, rules: Iterable[SeverityRule], card: Card | None, as_of: date
) -> Finding:
    end = None if card is None or cell.severity_by else find_final_end(card)
    if end is None:
        return cell
    rule = deciding_rule(rules, cell.state, cell.severity, end, as_of)
    if rule is None:
        return cell
    over = end < as_of
    unless = f", unless it {'was' if over else 'is'} renewed" if card and card.renewal else ""
    reason = f"{rule.because} The term {'ended' if over else 'ends'} on {end.isoformat()}{unless}."
    reason = f"{reason} {amended_by(cell)}".rstrip()
    return raise_severity(cell, Severity(rule.severity), reason, rule.recommend)
