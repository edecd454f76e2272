"""Which sentences name the companies and papers of a question, and in what order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.search.filters import Filters
from fourcorners.search.mentions import find_mentions
from fourcorners.settings import Settings

SUPPLY = """SUPPLY AGREEMENT

This Supply Agreement is made on 3 March 2021 between Tarn Foundry Limited (the "Supplier") and \
Wold Engines Limited (the "Buyer").

1. GOODS
1.1 The Supplier shall deliver the castings within ten days of each order.
1.2 Nothing in this Agreement affects the Fellside Tooling Deed.
1.3 Wold Engines may inspect the foundry on two days' notice.
"""
CERTIFICATE = """CERTIFICATE OF AN OFFICER

This Certificate is given by Ghyll Castings Limited (the "Company"), a wholly owned subsidiary of \
Tarn Foundry Limited.

1. STATEMENTS
1.1 The Company has kept every promise of the Fellside Tooling Deed.
1.2 The accounts of the Company are true.
"""
LEASE = """LEASE

This Lease is made on 5 May 2021 between Scree Estates Limited (the "Landlord") and Moraine Works \
Limited (the "Tenant").

1. RENT
1.1 The Tenant shall pay the rent on each quarter day.
"""
FILES = {"supply": SUPPLY, "certificate": CERTIFICATE, "lease": LEASE}


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Yield a library with three contracts, and one of them in another collection, too."""
    folder = tmp_path_factory.mktemp("mentions")
    with Library.open(folder / "firm.db") as library:
        for collection, names in {"Fell": [*FILES], "Dale": ["supply"]}.items():
            files = [folder / f"{name}.txt" for name in names]
            for file in files:
                file.write_text(FILES[file.stem], "utf-8")
            report = add_files(
                library, files, collection=collection, encoder=None, settings=Settings(jobs=1)
            )
            assert not report.failed
        yield library


def ask(library: Library, question: str, filters: Filters | None = None) -> list[tuple[str, str]]:
    """Return the files and the words of what is found, of which each is a place of its text."""
    found = find_mentions(library, question, filters or Filters(collection="Fell"))
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    return [
        (
            library.entry(each.document).name.removesuffix(".txt"),
            each.span.text_in(library.text(each.document)),
        )
        for each in found
    ]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Whose subsidiary has certified something to Tarn Foundry?", "subsidiary of Tarn Foundry"),
        ("Which papers hang on the Fellside Tooling Deed?", "every promise of the Fellside"),
    ],
)
def test_what_only_names_another_is_found(firm: Library, question: str, sentence: str) -> None:
    found = ask(firm, question)
    assert {file for file, _ in found[:2]} == {"supply", "certificate"}
    assert any(sentence in words for file, words in found if file == "certificate")
    assert "lease" not in {file for file, _ in found}


def test_each_document_has_its_turn(firm: Library) -> None:
    found = ask(firm, "What do Wold Engines and Ghyll Castings promise to each other?")
    assert [file for file, _ in found[:2]] in (["supply", "certificate"], ["certificate", "supply"])
    assert "may inspect the foundry" in " ".join(words for _, words in found[2:])


def test_where_parties_are_named_comes_before_other_sentences(firm: Library) -> None:
    found = find_mentions(firm, "Who deals with Wold?", Filters(collection="Fell"))
    assert [each.is_party for each in found] == [True, False]
    assert all(each.names == ("Wold",) for each in found)


def test_a_question_without_names_finds_nothing(firm: Library) -> None:
    assert ask(firm, "Which contracts oblige a tenant to pay rent on a quarter day?") == []
    assert ask(firm, "Consider what the tenant must pay.") == []


@pytest.mark.parametrize("words", ["Fellside", "Fellside Tooling Deed", "the Fellside Deed"])
def test_a_bare_name_is_enough(firm: Library, words: str) -> None:
    assert {file for file, _ in ask(firm, words)} == {"supply", "certificate"}


def test_only_the_collection_and_the_documents_asked_for_are_read(firm: Library) -> None:
    question = "Which papers hang on the Fellside Tooling Deed?"
    assert [file for file, _ in ask(firm, question, Filters(collection="Dale"))] == ["supply"]
    (lease,) = [each.id for each in firm.documents("Fell") if each.name == "lease.txt"]
    assert ask(firm, question, Filters(collection="Fell", documents=(lease,))) == []
