"""Findings of a made-up collection, stored as a review stores them."""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import (
    CellState,
    Evidence,
    Finding,
    RiskAnswer,
    SearchRecord,
    Severity,
)
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

WORDS = "The Tenant may end this lease on six months' notice to the Landlord."


def found(document: str, provision: str, text: str, severity: Severity = Severity.NONE) -> Finding:
    """Return a cell that quotes the ending clause of the lease of the tests."""
    start = text.index(WORDS)
    span = Span(start, start + len(WORDS))
    quote = Quote(WORDS, span, Match.EXACT)
    evidence = Evidence(quote, span, ("2. Ending",), None, 0.9)
    answer = RiskAnswer(
        "Who may end it?", "the tenant", id="who", quotes=(quote,),
        against="The landlord must consent to more.", against_quotes=(quote,),
        value="Tenant", statement="tenant may end it", confidence=0.97,
    )  # fmt: skip
    left = RiskAnswer("For what price?", "", "two clauses differ", id="price")
    return Finding(
        document, provision, CellState.FOUND, (evidence,), SearchRecord("", 9, 0.5, evidence),
        severity, "An end at will.", (answer, left),
    )  # fmt: skip


def absent(document: str, provision: str) -> Finding:
    """Return a cell that is not found."""
    return Finding(document, provision, CellState.NOT_FOUND, searched=SearchRecord("", 9, 0.5))


def failed(document: str, provision: str) -> Finding:
    """Return a cell that failed."""
    return Finding(
        document, provision, CellState.FAILED, error="It took too long.", remedy="Try again."
    )


def fill(library: Library, playbook: Playbook, cells: Sequence[Finding]) -> None:
    """Store cells."""
    store.save_findings(library, playbook, "engine", list(cells))
