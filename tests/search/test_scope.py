"""Which contract a question names, and what is left to ask."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from hashlib import sha256

import pytest

from fourcorners.documents.document import Document, Page
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import Outline, Passage, View
from fourcorners.search.filters import Filters
from fourcorners.search.names import name_index
from fourcorners.search.scope import match_cards, route_question
from fourcorners.text.span import Span

Make = Callable[..., str]


@pytest.fixture
def make(library: Library) -> Make:
    """Add a contract of which the card knows title and parties; return its id."""

    def one(
        name: str,
        title: str,
        *parties: str,
        text: str = "This is what the parties have agreed.",
        collection: str = "Larch",
        kind: str = "",
        day: date | None = None,
        law: str = "",
    ) -> str:
        body = f"{title}\n{text}"
        digest = sha256(f"{name}{body}".encode()).hexdigest()
        whole = Span(0, len(body))
        document = Document(
            id=digest[:16],
            name=name,
            path=f"room/{name}",
            sha256=digest,
            media_type="text/plain",
            reader="plain/1",
            text=body,
            pages=(Page(1, whole, 595.0, 842.0),),
        )
        card = Card(
            title=Fact(title, Span(0, len(title)), 0.9),
            type=Fact(kind, whole, 0.9) if kind else None,
            parties=tuple(Fact(Party(each), whole, 0.9) for each in parties),
            agreement_date=Fact(day, whole, 0.9) if day else None,
            governing_law=Fact(law, whole, 0.9) if law else None,
        )
        passages = [Passage(0, whole, View.WINDOW)]
        library.add(document, Outline((), 0.9), card, passages, None, collection=collection)
        return library.document_with(document.sha256, collection) or ""

    return one


@pytest.fixture
def room(make: Make) -> dict[str, str]:
    return {
        "supply": make("a.txt", "Supply Agreement", "Larch Supply Ltd.", "Borealis GmbH"),
        "services": make("b.txt", "Master Services Agreement", "Acme Corp.", "Larch Supply Ltd."),
        "lease": make("c.txt", "Lease", "Acme Corp.", "Tamarack Estates LLP", day=date(2019, 3, 4)),
        "licence": make("d.txt", "License Agreement", "Quince Software, Inc.", "Borealis GmbH"),
        "other": make("e.txt", "Supply Agreement", "Foxglove SA", "Hazel & Sons"),
    }


@pytest.mark.parametrize(
    ("question", "named", "asked"),
    [
        (
            "Consider the Supply Agreement of Larch Supply and Borealis; Who insures the goods?",
            "supply",
            "Who insures the goods?",
        ),
        ("In the Acme MSA, what is the liability cap?", "services", "what is the liability cap?"),
        ("What is the liability cap in the Acme MSA?", "services", "What is the liability cap?"),
        ("Can Tamarack terminate the lease early?", "lease", "Can a party terminate it early?"),
        (
            "Does the agreement between Quince and Borealis renew automatically?",
            "licence",
            "Does it renew automatically?",
        ),
        ("Under the 2019 Acme lease, who repairs the roof?", "lease", "who repairs the roof?"),
        (
            "Regarding the Foxglove supply contract: is it exclusive?",
            "other",
            "is it exclusive?",
        ),
    ],
)
def test_the_named_contract_is_found_and_its_name_left_out(
    library: Library, room: dict[str, str], question: str, named: str, asked: str
) -> None:
    scope = route_question(library, question)
    assert scope.documents[0][0] == room[named]
    assert scope.is_certain
    assert scope.question == asked
    assert scope.naming in question or all(word in question for word in scope.naming.split())


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize(
    "question",
    ["Is there an anti-assignment clause?", "Which suppliers have exclusivity?", "assign*", ""],
)
def test_a_question_that_names_nothing_keeps_every_document(
    library: Library, question: str
) -> None:
    scope = route_question(library, question)
    assert scope.documents == ()
    assert scope.question == question
    assert not scope.is_certain


def test_what_fits_two_contracts_is_not_sure(library: Library, make: Make) -> None:
    first = make("one.txt", "Lease", "Acme Corp.", "Tamarack LLP", text="Version one.")
    second = make("two.txt", "Lease", "Acme Corp.", "Tamarack LLP", text="Version two.")
    make("three.txt", "Supply Agreement", "Foxglove SA")
    scope = route_question(library, "In the lease between Acme and Tamarack, who pays the rent?")
    assert {document for document, _ in scope.documents[:2]} == {first, second}
    assert not scope.is_certain
    assert set(scope.candidates) == {first, second}
    assert scope.question == "who pays the rent?"


def test_parties_that_the_card_missed_are_read_at_the_head(library: Library, make: Make) -> None:
    meant = make("x.txt", "Agency Agreement", text="Made between Wisteria plc and the agent.")
    make("y.txt", "Agency Agreement", text="Made between Bergamot plc and the agent.")
    scope = route_question(
        library, "Consider the Agency Agreement with Wisteria plc; can it be assigned?"
    )
    assert scope.documents[0][0] == meant
    assert scope.is_certain


def test_a_misspelt_party_is_found(library: Library, room: dict[str, str]) -> None:
    scope = route_question(
        library, "Consider the Licence with Qince Software, Inc.; what is licensed?"
    )
    assert scope.documents[0][0] == room["licence"]


@pytest.mark.usefixtures("room")
def test_an_unknown_contract_leaves_the_question_without_its_name(library: Library) -> None:
    scope = route_question(library, "Consider the Zinnia Charter of Yarrow; who is bound?")
    assert scope.question == "who is bound?"
    assert not scope.is_certain


def test_filters_leave_documents_out(library: Library, room: dict[str, str], make: Make) -> None:
    elsewhere = make("f.txt", "Master Services Agreement", "Acme Corp.", collection="Birch")
    question = "In the Acme MSA, what is the liability cap?"
    scope = route_question(library, question, Filters(collection="Birch"))
    assert [document for document, _ in scope.documents] == [elsewhere]
    scope = route_question(library, question, Filters(documents=(room["services"],)))
    assert [document for document, _ in scope.documents] == [room["services"]]


@pytest.mark.usefixtures("room")
def test_names_follow_the_library(library: Library, make: Make) -> None:
    assert not name_index(library).is_party_word("juniper")
    make("g.txt", "Lease", "Juniper Ltd.")
    assert name_index(library).is_party_word("juniper")
    assert name_index(library) is name_index(library)


@pytest.mark.usefixtures("room")
def test_probabilities_are_shares(library: Library) -> None:
    scope = route_question(library, "Consider the Supply Agreement; who insures?")
    assert scope.documents
    assert sum(probability for _, probability in scope.documents) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    "asked",
    [
        "Which contracts under English law cap liability?",
        "Which contracts cap liability under the law of Scotland, Texas or England?",
    ],
)
def test_contracts_under_the_laws_that_are_named_are_found(
    library: Library, make: Make, asked: str
) -> None:
    under = {
        make("a.txt", "Lease", "Acme Corp.", law="England and Wales"),
        make("b.txt", "Licence", "Hazel & Sons", law="England"),
    }
    make("c.txt", "Supply Agreement", "Texas Instruments", "Borealis GmbH", law="New York")
    found = match_cards(library, asked)
    assert set(found.documents) == under
    assert found.by_law
    assert not found.by_party


def test_contracts_with_the_party_and_the_law_come_before_those_with_either(
    library: Library, room: dict[str, str], make: Make
) -> None:
    both = make("f.txt", "Side Letter", "Acme Corp.", law="Delaware")
    make("g.txt", "Guaranty", "Foxglove SA", law="Delaware")
    found = match_cards(library, "Which contracts has Acme signed under Delaware law?")
    assert found.documents == (both,)
    assert set(match_cards(library, "What has Acme signed?").documents) == {
        room["services"],
        room["lease"],
        both,
    }


def test_laws_and_parties_of_other_collections_are_not_found(library: Library, make: Make) -> None:
    here = make("a.txt", "Lease", "Acme Corp.", law="Delaware")
    make("b.txt", "Licence", "Acme Corp.", law="Delaware", collection="Elsewhere")
    for asked in ("What is under Delaware law?", "What has Acme signed?"):
        assert match_cards(library, asked, Filters(collection="Larch")).documents == (here,)
