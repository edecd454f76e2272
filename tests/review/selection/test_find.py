"""Which contracts have what, by what a review found; a plain question, and what was made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, QueryError
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import CellState, Evidence, Finding, ReviewState
from fourcorners.review.people.review_actions import NewAnnotation, annotate_finding
from fourcorners.review.selection.conditions import (
    AllConditions,
    AnyCondition,
    HasProvision,
    NotCondition,
)
from fourcorners.review.selection.find import find_contracts, parse_selection
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.review.conftest import TEXT, document

BOOK = load_playbook("due-diligence")
E, I, M = HasProvision("exclusivity"), HasProvision("insurance"), HasProvision("minimum-commitment")  # noqa: E741
F, N, X = CellState.FOUND, CellState.NOT_FOUND, CellState.FAILED

Fill = Callable[..., str]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


@pytest.fixture
def fill(library: Library) -> Fill:
    """Add a contract with these cells; return its id."""

    def one(
        name: str,
        cells: dict[str, CellState],
        text: str = TEXT,
        book: Playbook = BOOK,
        review: ReviewState = ReviewState.PROPOSED,
    ) -> str:
        added = document(f"{text}\n{name}\n", name)
        outline = build_outline(added)
        card = read_card(added, outline)
        library.add(added, outline, card, cut_passages(added, outline), None, collection="Larch")
        span = Span(0, 16)
        quote = Quote(span.text_in(added.text), span, Match.EXACT)
        evidence = Evidence(quote, span, (), None, 0.9)
        store.save_findings(
            library,
            book,
            "engine",
            [
                Finding(
                    added.id,
                    provision,
                    state,
                    evidence=(evidence,) if state is F else (),
                    error="it crashed" if state is X else "",
                    review=review,
                )
                for provision, state in cells.items()
            ],
        )
        return added.id

    return one


def names(answered: tuple[object, ...]) -> list[str]:
    from fourcorners.review.selection.find import ContractMatch

    return [one.entry.name for one in answered if isinstance(one, ContractMatch)]


def test_found_others_and_not_reviewed(library: Library, fill: Fill) -> None:
    fill("both.txt", {"exclusivity": F, "insurance": F})
    fill("one.txt", {"exclusivity": F, "insurance": N})
    fill("half.txt", {"exclusivity": F})
    fill("failed.txt", {"exclusivity": F, "insurance": X})
    fill("neither.txt", {"exclusivity": N})
    fill("never.txt", {})
    selection = find_contracts(library, BOOK, AllConditions((E, I)))
    assert names(selection.found) == ["both.txt"]
    assert names(selection.others) == ["neither.txt", "one.txt"]
    assert names(selection.open) == ["failed.txt", "half.txt", "never.txt"]
    assert [one.missing for one in selection.open] == [
        ("insurance",),
        ("insurance",),
        ("exclusivity", "insurance"),
    ]
    [both] = selection.found
    quotes = [finding.evidence[0].quote for _, finding in both.findings if finding]
    text = library.text(both.entry.id)
    assert [quote.span.text_in(text) for quote in quotes if quote.span] == [
        quote.words for quote in quotes
    ]


def test_what_was_not_reviewed_is_never_said_to_lack(library: Library, fill: Fill) -> None:
    fill("never.txt", {})
    fill("lacks.txt", {"insurance": N})
    selection = find_contracts(library, BOOK, NotCondition(I))
    assert names(selection.found) == ["lacks.txt"]
    assert names(selection.open) == ["never.txt"]


def test_the_review_with_another_playbook_does_not_count(library: Library, fill: Fill) -> None:
    fill("old.txt", {"insurance": F}, book=replace(BOOK, hash="another"))
    assert names(find_contracts(library, BOOK, I).open) == ["old.txt"]


def test_what_a_person_rejected_is_not_found(library: Library, fill: Fill) -> None:
    fill("rejected.txt", {"insurance": F})
    document = library.resolve("rejected.txt").id
    by = {"by": "Ann", "state": ReviewState.REJECTED}
    annotate_finding(library, BOOK, document, "insurance", NewAnnotation(**by))  # type: ignore[arg-type]
    assert names(find_contracts(library, BOOK, I).others) == ["rejected.txt"]


def test_types_and_parties(library: Library, fill: Fill) -> None:
    fill("alder.txt", {"insurance": F})
    fill(
        "cedar.txt",
        {"insurance": F},
        TEXT.replace("Alder Components", "Cedar Mills")
        .replace("SUPPLY AGREEMENT", "LEASE")
        .replace("This Supply Agreement", "This Lease"),
    )
    assert names(find_contracts(library, BOOK, I, party="cedar mills").found) == ["cedar.txt"]
    assert names(find_contracts(library, BOOK, I, types=("supply",)).found) == ["alder.txt"]
    with pytest.raises(ConfigError, match="Oak"):
        find_contracts(library, BOOK, I, party="Oak")
    with pytest.raises(ConfigError, match="Charter"):
        find_contracts(library, BOOK, I, types=("Charter",))
    with pytest.raises(ConfigError, match="Firs"):
        find_contracts(library, BOOK, I, collection="Firs")


def test_files_that_nobody_could_read_are_told(library: Library, fill: Fill) -> None:
    fill("one.txt", {"insurance": F})
    library.fail("room/scan.pdf", "it has no text", collection="Larch")
    assert [each.path for each in find_contracts(library, BOOK, I).unread] == ["room/scan.pdf"]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("which suppliers have both exclusivity and minimum purchase?", AllConditions((E, M))),
        ("contracts with a take or pay or insurance", AnyCondition((M, I))),
        (
            "which agreements have exclusivity but no insurance?",
            AllConditions((E, NotCondition(I))),
        ),
        ("who does not have insurance", NotCondition(I)),
        ("which ones don't have insurance", NotCondition(I)),
        (
            "contracts without exclusivity or insurance",
            AllConditions((NotCondition(E), NotCondition(I))),
        ),
        ("contracts without insurance but with exclusivity", AllConditions((NotCondition(I), E))),
        (
            "which can be terminated without cause and lack insurance?",
            AllConditions((HasProvision("termination-for-convenience"), NotCondition(I))),
        ),
        (
            "which have neither insurance nor exclusivity",
            AllConditions((NotCondition(I), NotCondition(E))),
        ),
        ("all contracts but those with insurance", NotCondition(I)),
        ("contracts other than those with insurance", NotCondition(I)),
        (
            "all contracts with exclusivity but without insurance",
            AllConditions((E, NotCondition(I))),
        ),
        (
            "all contracts that have exclusivity but lack insurance",
            AllConditions((E, NotCondition(I))),
        ),
        ("contracts except those without insurance", I),
        (
            "contracts with exclusivity except those with insurance",
            AllConditions((E, NotCondition(I))),
        ),
        ("exclusivity -insurance", AllConditions((E, NotCondition(I)))),
        ("!insurance", NotCondition(I)),
        ("contracts that do not lack insurance", I),
        ("exclusivity", E),
        ("insurance NOT exclusivity", AllConditions((I, NotCondition(E)))),
    ],
)
def test_a_plain_question(library: Library, fill: Fill, question: str, wanted: object) -> None:
    fill("one.txt", {})
    assert parse_selection(library, question, BOOK).condition == wanted


def test_what_was_understood_is_named(library: Library, fill: Fill) -> None:
    fill("alder.txt", {})
    asked = parse_selection(
        library, "which supply agreements with Birch have exclusivity and a purple elephant?", BOOK
    )
    assert asked.description == "exclusivity"
    assert asked.types == ("Supply",)
    assert asked.party == "Birch"
    assert asked.unknown == ("purple", "elephant")
    assert parse_selection(library, "which suppliers have insurance?", BOOK).role == "supplier"


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("cap on liability > £5m", (">", "£5m")),
        ("effective date before 31/02/2024", ("before", "31/02/2024")),
        ("contracts with insurance of 5m or exclusivity after 2020", ("5m", "after", "2020")),
        ("terminated without cause within 30 days?", ("30", "days")),
        ("do our suppliers have minimum purchases?", ()),
        ("contracts with only exclusivity", ("only",)),
        ("exclusivity or insurance, but not both", ("but not both",)),
        ("exclusivity type:lease", ("type:lease",)),
    ],
)
def test_a_value_is_no_condition(library: Library, question: str, left: tuple[str, ...]) -> None:
    assert parse_selection(library, question, BOOK).unknown == left


def test_a_word_that_is_not_understood_leaves_no_contract_out(library: Library) -> None:
    for question in ("not governed by the law of England", "exclusivity without insurance of 5m"):
        with pytest.raises(QueryError, match="cannot be left out by"):
            parse_selection(library, question, BOOK)


def test_nothing_understood_is_an_error_that_lists_what_there_is(library: Library) -> None:
    for question in ("hello world", "", "让我看看", "'; DROP TABLE documents; --"):
        with pytest.raises(QueryError) as raised:
            parse_selection(library, question, BOOK)
        assert "exclusivity" in raised.value.remedy
