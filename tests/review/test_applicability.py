"""What is asked of which types of contract."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fourcorners.library.contract import Contract
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.review.applicability import (
    applies_to_type,
    card_types,
    is_applicable,
    not_applicable_finding,
)
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.scoring import Calibration, PreparedProvision
from fourcorners.review.finding import CellState, Severity
from fourcorners.search.query import parse_query
from fourcorners.text.span import Span


def card(kind: str, title: str = "") -> Card:
    def fact(value: str) -> Fact[str] | None:
        return Fact(value, Span(0, 1), 1.0) if value else None

    return Card(title=fact(title), type=fact(kind))


@pytest.mark.parametrize(
    ("to", "kind", "title", "asked"),
    [
        ((), "Lease", "", True),
        (("Lease",), "Lease", "", True),
        (("Lease", "Loan"), "Supply", "", False),
        (("licence",), "License", "", True),
        (("Maintenance",), "License", "Software License and Maintenance Agreement", True),
        (("Lease",), "", "", True),  # not known: asked
        (("Lease",), "Amendment", "", True),
    ],
)
def test_by_the_type_on_the_card(to: tuple[str, ...], kind: str, title: str, asked: bool) -> None:
    assert applies_to_type(to, card(kind, title)) is asked


@pytest.mark.parametrize(
    ("kind", "title", "asked"),
    [
        ("Lease", "", False),
        ("Supply", "", True),
        ("Lease", "Lease and Services Agreement", True),  # a service too
        ("Lease", "Lease and Loan Agreement", False),
        ("", "", True),
        ("Amendment", "Amendment of the Lease", True),
    ],
)
def test_excepted_types_are_not_asked(kind: str, title: str, asked: bool) -> None:
    escrow = Provision("escrow", "Escrow", "", parse_query("escrow"), except_for=("Lease", "Loan"))
    assert is_applicable(escrow, card(kind, title)) is asked
    assert not_applicable_finding("d", escrow, card("Lease")).reason == (
        "Not asked of contracts of the type Lease."
    )


@pytest.mark.parametrize(
    ("role", "kind", "types"),
    [
        ("Executive", "Service", {"employment"}),
        ("Employee", "Service", {"employment"}),
        ("Contractor", "Service", {"service"}),
        ("Employer", "Service", {"service"}),  # of the administration of its pension plan
        ("Executive", "", set()),
    ],
)
def test_a_service_agreement_with_an_employee_is_one_of_employment(
    role: str, kind: str, types: set[str]
) -> None:
    parties = tuple(
        Fact(each, Span(0, 1), 1.0) for each in (Party("Alder Ltd"), Party("Ann Lee", role, role))
    )
    assert card_types(replace(card(kind, "Service Agreement"), parties=parties)) == types


def test_the_cell_says_why_it_is_empty() -> None:
    rent = Provision("rent", "Rent", "", parse_query("rent"), applies_to=("Lease", "Loan"))
    cell = not_applicable_finding("d", rent, card("Supply"))
    assert cell.state is CellState.NOT_APPLICABLE
    assert cell.severity is Severity.NONE
    assert cell.reason == (
        "Asked of contracts of the type Lease or Loan; this one is of the type Supply."
    )


def test_a_review_does_not_look_for_what_is_not_asked(
    reading: Contract, playbook: Playbook, calibration: Calibration
) -> None:
    rent = Provision("rent", "Rent", "", parse_query("control"), applies_to=("Lease",))
    asked = [PreparedProvision(each, None) for each in (rent, *playbook.provisions)]
    cells = {cell.provision: cell for cell in extract_findings(reading, asked, calibration)}
    assert cells["rent"].state is CellState.NOT_APPLICABLE
    assert (cells["rent"].evidence, cells["rent"].searched) == ((), None)
    assert cells["change-of-control"].state is CellState.FOUND
