"""What is not found is said to be not recognised: a search is no proof that there is none."""

from __future__ import annotations

import pytest

from fourcorners.outline.card.card import Card
from fourcorners.playbooks import load_playbook
from fourcorners.playbooks.playbook import Provision, SeverityRule
from fourcorners.review.finding import CellState, Evidence, Finding, SearchRecord, Severity
from fourcorners.review.parties import UNKNOWN_SIDE
from fourcorners.review.risk.assessment import RiskConclusion
from fourcorners.review.severity import NOT_RECOGNISED
from fourcorners.search.query import parse_query
from fourcorners.text import evidence
from fourcorners.text.span import Span

PLAYBOOKS = ("due-diligence", "commercial-terms", "nda-review", "cuad-41")
RULES = [
    (provision, rule)
    for name in PLAYBOOKS
    for provision in load_playbook(name).provisions
    for rule in provision.severity
    if rule.when == "not_found"
]
FIRMS_OWN = [
    (
        Provision(
            id="deposit",
            name="Deposit",
            definition="A deposit.",
            query=parse_query("deposit"),
            severity=(rule,),
        ),
        rule,
    )
    for rule in (
        SeverityRule("not_found", "high", "There is no deposit."),
        SeverityRule("not_found", "low", "The contract lacks a deposit.", recommend="Ask for one."),
    )
]
WORDS = "The hirer leaves forty pounds with the boatman."


@pytest.mark.parametrize(
    ("provision", "rule"), [*RULES, *FIRMS_OWN], ids=lambda each: getattr(each, "id", "")
)
def test_a_rule_for_what_is_not_found_tells_of_the_search_first(
    provision: Provision, rule: SeverityRule
) -> None:
    cell = Finding("contract", provision.id, CellState.NOT_FOUND)
    concluded = RiskConclusion(Card(), UNKNOWN_SIDE).conclude(cell, provision)
    assert concluded.severity is Severity(rule.severity)
    assert concluded.reason == f"{NOT_RECOGNISED} {rule.because}"


@pytest.mark.parametrize("rule", [rule for _, rule in RULES], ids=lambda each: each.because)
def test_no_reason_of_ours_says_that_there_is_none(rule: SeverityRule) -> None:
    assert not rule.because.startswith(("No ", "There is no", "The contract has no"))
    assert "found" not in rule.because


def test_only_what_is_not_found_has_closest_words() -> None:
    best = Evidence(evidence.quote_span(WORDS, Span(0, 46)), Span(0, 46), ("3 Hire",), None, 0.2)
    searched = SearchRecord("deposit", 3, 0.5, best)
    assert Finding("c", "deposit", CellState.NOT_FOUND, searched=searched).nearest == best
    assert Finding("c", "deposit", CellState.NOT_FOUND).nearest is None
    assert Finding("c", "deposit", CellState.FOUND, (best,), searched).nearest is None
