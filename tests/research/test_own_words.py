from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.library.ingest import add
from fourcorners.library.store import Library
from fourcorners.research.desk import lay_out
from fourcorners.research.own_words import with_terms
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
    assert lay_out(library, ["lease.txt"]).scope(question).asked == told


def test_a_party_that_a_letter_calls_you_is_a_party(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text(LETTER + "Nothing else is agreed.\n\n" * 300, "utf-8")
    with Library.open(tmp_path / "one.db") as library:
        assert not add(
            library, [path], collection="room", encoder=None, settings=Settings(jobs=1)
        ).failed
        asked = lay_out(library, ["letter.txt"]).scope("When is Marrow paid?").asked
    assert asked == "When is a party paid?"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When does the lease run out?", "When does the lease run out? (expire)"),
        ("Is its know-how kept secret?", "Is its know-how kept secret? (confidentiality)"),
        ("When does it expire if it runs out?", "When does it expire if it runs out?"),
        ("Who insures the goods?", "Who insures the goods?"),
    ],
)
def test_the_laws_words_are_added_to_everyday_ones(question: str, told: str) -> None:
    assert with_terms(question) == told
