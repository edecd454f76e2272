from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.research.context import build_context
from fourcorners.research.rewriting import (
    add_legal_terms,
    replace_party_names,
    replace_persons,
)
from fourcorners.settings import Settings

LETTER = """Quill & Sons Ltd
4 Quay Street, Orford

5 February 2026

Dear Ms Marrow

Surveys of the quay

This letter sets out the terms on which Marrow Surveyors Ltd ("you") will advise Quill & Sons Ltd \
("we", "us"). When you have signed the copy it will be a binding agreement between us.

You will survey the quay each spring, and we will pay your fee within a month.

"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Can Harbour Estates raise the rent?", "Can the Landlord raise the rent?"),
        ("Can the Quill company end it?", "Can the Tenant company end it?"),
        ("Must Quill & Sons insure?", "Must the Tenant insure?"),
        ("Is there a harbour?", "Is there a harbour?"),
        ("Can Quill end the lease with Harbour Estates?", "Can the Tenant end it?"),
        ("What is Quill's exclusive licence?", "What is the Tenant's exclusive licence?"),
    ],
)
def test_parties_are_called_by_their_roles_and_the_contract_is_not_named(
    library: Library, question: str, told: str
) -> None:
    assert build_context(library, ["lease.txt"]).scope(question).question == told


WORKS = """SERVICED PREMISES AGREEMENT

Units 4 and 5, Orford Works, Sandpit Road

This Agreement is dated 1 May 2025 and made between Orford Works Management Limited (the \
"Operator") \
and Marrow Filtration Limited ("Marrow").

The Operator allows Marrow to use Units 4 and 5 at Orford Works. Marrow shall pay it each \
month.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What does Marrow pay?", "What does a party pay?"),
        ("What does Dr Marrow pay to Orford?", "What does a party pay to the Operator?"),
        ("Who pays for the units at Orford Works?", "Who pays for the units at Orford Works?"),
        ("May the Castor Filtration group use them?", "May the Castor Filtration group use them?"),
        ("Is Marrow Hall insured?", "Is Marrow Hall insured?"),
    ],
)
def test_places_and_others_that_share_a_partys_name_are_no_party(
    tmp_path: Path, question: str, told: str
) -> None:
    path = tmp_path / "works.txt"
    path.write_text(WORKS, "utf-8")
    with Library.open(tmp_path / "one.db") as library:
        assert not add_files(
            library, [path], collection="room", encoder=None, settings=Settings(jobs=1)
        ).failed
        context = build_context(library, ["works.txt"])
        assert replace_party_names(question, [context.read_contract(context.documents[0])]) == told


def test_where_a_name_fits_few_contracts_parties_are_called_as_they_call_them(
    library: Library,
) -> None:
    documents = [entry.id for entry in library.documents()]
    context = build_context(library, documents)
    readings = [context.read_contract(each) for each in documents]
    assert replace_party_names("Can Quill end it?", readings) == "Can the Tenant end it?"
    assert (
        replace_party_names("Can Harbour Estates end it?", readings) == "Can the Landlord end it?"
    )


def test_a_party_that_a_letter_calls_you_is_a_party(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text(LETTER + "Nothing else is agreed.\n\n" * 300, "utf-8")
    with Library.open(tmp_path / "one.db") as library:
        assert not add_files(
            library, [path], collection="room", encoder=None, settings=Settings(jobs=1)
        ).failed
        asked = build_context(library, ["letter.txt"]).scope("When is Marrow paid?").question
    assert asked == "When is a party paid?"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When does the lease run out?", "When does the lease run out? (expire)"),
        ("Is its know-how kept secret?", "Is its know-how kept secret? (confidentiality)"),
        ("When does it expire if it runs out?", "When does it expire if it runs out?"),
        ("Who insures the goods?", "Who insures the goods?"),
        ("Is there a covenant not to sue?", "Is there a covenant not to sue?"),
        ("Can it turn our lorry away?", "Can it turn our lorry away? (refuse, vehicle)"),
    ],
)
def test_the_laws_words_are_added_to_everyday_ones(question: str, told: str) -> None:
    assert add_legal_terms(question) == told


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("May we end our licence?", "May the Supplier end the Supplier's licence?"),
        (
            "Can I assign it, and who tells us?",
            "Can the Supplier assign it, and who tells the Supplier?",
        ),
        (
            "What does Schedule I say of the US market?",
            "What does Schedule I say of the US market?",
        ),
    ],
)
def test_who_asks_is_named_as_the_contract_does(question: str, expected: str) -> None:
    assert replace_persons(question, "the Supplier") == expected


def test_a_contract_that_calls_its_party_we_is_left_alone() -> None:
    assert replace_persons("May we end it?", "we") == "May we end it?"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("May they end it early?", "May the Grower end it early?"),
        (
            "If they want us out, what is their notice?",
            "If the Grower want the Packer out, what is the Grower's notice?",
        ),
        ("If pallets break, must they be replaced?", "If pallets break, must they be replaced?"),
        ("Can the other side assign it?", "Can the Grower assign it?"),
        ("Must the pallets reach the counterparty?", "Must the pallets reach the Grower?"),
    ],
)
def test_the_only_other_party_is_they(question: str, expected: str) -> None:
    assert replace_persons(question, "Packer", "Grower") == expected


def test_they_are_left_alone_where_it_is_not_known_who_they_are() -> None:
    assert replace_persons("May they end it?", "Packer") == "May they end it?"
