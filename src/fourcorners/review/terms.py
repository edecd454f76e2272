"""What a review's day makes of the cells: a term that has ended, or soon will."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date

from fourcorners.outline.card import Card
from fourcorners.playbooks.playbook import Playbook, SeverityRule
from fourcorners.review.finding import Finding, Severity

_LEVELS = (Severity.NONE, Severity.LOW, Severity.MEDIUM, Severity.HIGH)
_DAYS_A_MONTH = 30.5


def with_terms(
    findings: Iterable[Finding], cards: Mapping[str, Card], playbook: Playbook, as_of: date
) -> list[Finding]:
    """Return findings as severe as the end of their contract makes them, on the day of the review.

    Rules with `ends_within` decide, and raise only. `cards` are by document.
    """
    rules = {
        provision.id: [rule for rule in provision.severity if rule.ends_within is not None]
        for provision in playbook.provisions
    }
    return [
        _raised(cell, rules.get(cell.provision, []), cards.get(cell.document), as_of)
        for cell in findings
    ]


def _raised(
    cell: Finding, rules: Iterable[SeverityRule], card: Card | None, as_of: date
) -> Finding:
    if card is None or card.expiry_date is None:
        return cell
    end = card.expiry_date.value
    months = max(0.0, (end - as_of).days / _DAYS_A_MONTH)
    for rule in rules:
        if rule.when != cell.state.value or rule.ends_within is None:
            continue
        over = end < as_of
        if (months <= rule.ends_within) if rule.ends_within else over:
            level = Severity(rule.severity)
            if _LEVELS.index(level) <= _LEVELS.index(cell.severity):
                return cell
            reason = f"{rule.because} The term {'ended' if over else 'ends'} on {end.isoformat()}."
            return replace(cell, severity=level, reason=reason, recommendation=rule.recommend)
    return cell
