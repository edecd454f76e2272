from __future__ import annotations

import pytest

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.store import Library
from fourcorners.research.context import asked_parties, find_others
from fourcorners.review.obligations.acting import acting_parties
from fourcorners.text.span import Span

LANDLORD, TENANT = "Harbour Estates Limited", "Quill & Sons Ltd"


@pytest.fixture
def lease(library: Library) -> Contract:
    return read_contract(library, library.resolve("lease").id)


@pytest.mark.parametrize(
    ("question", "parties"),
    [
        ("May the Tenant assign the lease?", {TENANT}),
        ("What must Harbour Estates insure?", {LANDLORD}),
        ("If the rent is late, can the Landlord end it?", {LANDLORD}),
        ("Is the Landlord's consent needed?", set()),
        ("Who insures the premises?", set()),
    ],
)
def test_a_question_asks_for_a_partys_act(
    lease: Contract, question: str, parties: set[str]
) -> None:
    assert asked_parties(question, lease) == parties


@pytest.mark.parametrize(
    ("words", "acts"),
    [
        ("2.2 The Tenant may terminate", [{TENANT}]),
        ("4.1 The Landlord shall insure", [{LANDLORD}, {TENANT}]),
        ("5.1 This Lease is governed", []),
    ],
)
def test_words_tell_who_acts(lease: Contract, words: str, acts: list[set[str]]) -> None:
    start = lease.text.index(words)
    end = lease.text.index("\n", start)
    assert list(acting_parties(lease, Span(start, end))) == acts


def test_strangers_are_known_elsewhere_and_no_party_here(lease: Contract) -> None:
    known = [LANDLORD, "Pellworth Beverage Company", "Ogilvy Ltd"]
    assert find_others("May Pellworth or Harbour terminate?", lease, lambda: known) == [
        "Pellworth Beverage Company"
    ]
