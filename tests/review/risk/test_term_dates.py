"""A term that has ended, or soon will, raises what the wording gave."""

from __future__ import annotations

from datetime import date

import pytest

from fourcorners.outline.card.card import Card, Renewal, RenewalManner, Value
from fourcorners.playbooks.load import parse_playbook
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.parties import UNKNOWN_SIDE
from fourcorners.review.risk.assessment import RiskConclusion
from fourcorners.review.risk.term_dates import apply_term_dates
from fourcorners.text.span import Span
from tests.review.conftest import prepared

PLAYBOOK = parse_playbook(
    """
id: terms
name: Terms
version: "1"
provisions:
  - id: term
    name: Term
    definition: When it ends.
    query: expires
    severity:
      - {when: found, ends_within: 0, severity: high, because: It has run out., recommend: Ask.}
      - {when: found, ends_within: 6, severity: medium, because: It ends soon.}
      - {when: found, severity: low, because: It has an end.}
""",
    "terms.yaml",
)


def told(
    ends: date | None,
    given: Severity = Severity.LOW,
    state: CellState = CellState.FOUND,
    *,
    asserted: bool = True,
    renewal: Renewal | None = None,
) -> tuple[Severity, str]:
    end = Value("end", ends.isoformat(), Span(0, 1), 0.9, asserted) if ends else None
    card = Card(values=(end,) if end else (), renewal=renewal)
    cell = Finding("d", "term", state, severity=given, reason="It has an end.")
    (found,) = apply_term_dates([cell], {"d": card}, PLAYBOOK, date(2026, 11, 1))
    return found.severity, found.reason


@pytest.mark.parametrize(
    ("ends", "severity"),
    [
        (date(2024, 3, 7), Severity.HIGH),
        (date(2026, 10, 31), Severity.HIGH),
        (date(2026, 11, 1), Severity.MEDIUM),
        (date(2027, 4, 30), Severity.MEDIUM),
        (date(2027, 6, 1), Severity.LOW),
        (None, Severity.LOW),
    ],
)
def test_the_days_left_decide(ends: date | None, severity: Severity) -> None:
    assert told(ends)[0] is severity


def test_the_reason_has_the_day_and_nothing_is_lowered() -> None:
    assert told(date(2024, 3, 7))[1] == "It has run out. The term ended on 2024-03-07."
    assert told(date(2026, 12, 1))[1] == "It ends soon. The term ends on 2026-12-01."
    assert told(date(2026, 12, 1), Severity.HIGH) == (Severity.HIGH, "It has an end.")
    assert told(date(2024, 1, 1), Severity.NONE, CellState.NOT_FOUND)[0] is Severity.NONE


@pytest.mark.parametrize("manner", [RenewalManner.AUTOMATIC, RenewalManner.UNCLEAR])
def test_what_may_renew_by_itself_is_never_said_to_end(manner: RenewalManner) -> None:
    renewal = Renewal(manner, None, Span(2, 3), asserted=False)
    assert told(date(2024, 3, 7), renewal=renewal) == (Severity.LOW, "It has an end.")


@pytest.mark.parametrize("manner", [RenewalManner.CHOICE, RenewalManner.AGREEMENT])
def test_what_takes_a_document_to_renew_has_ended_unless_there_is_one(
    manner: RenewalManner,
) -> None:
    renewal = Renewal(manner, None, Span(2, 3), asserted=False)
    reason = "It has run out. The term ended on 2024-03-07, unless it was renewed."
    assert told(date(2024, 3, 7), renewal=renewal) == (Severity.HIGH, reason)


def test_an_end_that_is_not_sure_raises_nothing() -> None:
    assert told(date(2024, 3, 7), asserted=False) == (Severity.LOW, "It has an end.")


def test_such_a_rule_hides_no_other() -> None:
    contract = prepared()
    cell = Finding(contract.document.id, "term", CellState.FOUND)
    told_of = RiskConclusion(contract.card, UNKNOWN_SIDE).conclude(cell, PLAYBOOK.provisions[0])
    assert (told_of.severity, told_of.reason) == (Severity.LOW, "It has an end.")
