"""Which contracts have what, by what a review found; a plain question, and what was made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, QueryError
from fourcorners.library.store import Library
from fourcorners.outline.build import build
from fourcorners.outline.cards import read_card
from fourcorners.outline.passages import passages
from fourcorners.playbooks.load import load
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.conditions import All, Has, Lacks, Some
from fourcorners.review.find import find
from fourcorners.review.finding import CellState, Evidence, Finding, ReviewState
from fourcorners.review.understand import understand
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.review.conftest import TEXT, document

BOOK = load("due-diligence")
E, I, M = Has("exclusivity"), Has("insurance"), Has("minimum-commitment")  # noqa: E741
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
        outline = build(added)
        card = read_card(added, outline)
        library.add(added, outline, card, passages(added, outline), None, collection="Larch")
        span = Span(0, 16)
        quote = Quote(span.of(added.text), span, Match.EXACT)
        evidence = Evidence(quote, span, (), None, 0.9)
        store.save(
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
    from fourcorners.review.find import Answered

    return [one.entry.name for one in answered if isinstance(one, Answered)]


def test_found_others_and_not_reviewed(library: Library, fill: Fill) -> None:
    fill("both.txt", {"exclusivity": F, "insurance": F})
    fill("one.txt", {"exclusivity": F, "insurance": N})
    fill("half.txt", {"exclusivity": F})
    fill("failed.txt", {"exclusivity": F, "insurance": X})
    fill("neither.txt", {"exclusivity": N})
    fill("never.txt", {})
    selection = find(library, BOOK, All((E, I)))
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
    assert [quote.span.of(text) for quote in quotes if quote.span] == [
        quote.words for quote in quotes
    ]


def test_what_was_not_reviewed_is_never_said_to_lack(library: Library, fill: Fill) -> None:
    fill("never.txt", {})
    fill("lacks.txt", {"insurance": N})
    selection = find(library, BOOK, Lacks(I))
    assert names(selection.found) == ["lacks.txt"]
    assert names(selection.open) == ["never.txt"]


def test_the_review_with_another_playbook_does_not_count(library: Library, fill: Fill) -> None:
    fill("old.txt", {"insurance": F}, book=replace(BOOK, hash="another"))
    assert names(find(library, BOOK, I).open) == ["old.txt"]


def test_what_a_person_rejected_is_not_found(library: Library, fill: Fill) -> None:
    fill("rejected.txt", {"insurance": F}, review=ReviewState.REJECTED)
    assert names(find(library, BOOK, I).others) == ["rejected.txt"]


def test_types_and_parties(library: Library, fill: Fill) -> None:
    fill("alder.txt", {"insurance": F})
    fill(
        "cedar.txt",
        {"insurance": F},
        TEXT.replace("Alder Components", "Cedar Mills")
        .replace("SUPPLY AGREEMENT", "LEASE")
        .replace("This Supply Agreement", "This Lease"),
    )
    assert names(find(library, BOOK, I, party="cedar mills").found) == ["cedar.txt"]
    assert names(find(library, BOOK, I, types=("supply",)).found) == ["alder.txt"]
    with pytest.raises(ConfigError, match="Oak"):
        find(library, BOOK, I, party="Oak")
    with pytest.raises(ConfigError, match="Charter"):
        find(library, BOOK, I, types=("Charter",))
    with pytest.raises(ConfigError, match="Firs"):
        find(library, BOOK, I, collection="Firs")


def test_files_that_nobody_could_read_are_told(library: Library, fill: Fill) -> None:
    fill("one.txt", {"insurance": F})
    library.fail("room/scan.pdf", "it has no text", collection="Larch")
    assert [each.path for each in find(library, BOOK, I).unread] == ["room/scan.pdf"]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("which suppliers have both exclusivity and minimum purchase?", All((E, M))),
        ("contracts with a take or pay or insurance", Some((M, I))),
        ("which agreements have exclusivity but no insurance?", All((E, Lacks(I)))),
        ("who does not have insurance", Lacks(I)),
        ("which ones don't have insurance", Lacks(I)),
        ("contracts without exclusivity or insurance", All((Lacks(E), Lacks(I)))),
        ("contracts without insurance but with exclusivity", All((Lacks(I), E))),
        (
            "which can be terminated without cause and lack insurance?",
            All((Has("termination-for-convenience"), Lacks(I))),
        ),
        ("which have neither insurance nor exclusivity", All((Lacks(I), Lacks(E)))),
        ("exclusivity", E),
        ("insurance NOT exclusivity", All((I, Lacks(E)))),
    ],
)
def test_a_plain_question(library: Library, fill: Fill, question: str, wanted: object) -> None:
    fill("one.txt", {})
    assert understand(library, question, BOOK).condition == wanted


def test_what_was_understood_is_named(library: Library, fill: Fill) -> None:
    fill("alder.txt", {})
    asked = understand(
        library, "which supply agreements with Birch have exclusivity and a purple elephant?", BOOK
    )
    assert asked.says == "exclusivity"
    assert asked.types == ("Supply",)
    assert asked.party == "Birch"
    assert asked.unknown == ("purple", "elephant")
    assert understand(library, "which suppliers have insurance?", BOOK).role == "supplier"


def test_nothing_understood_is_an_error_that_lists_what_there_is(library: Library) -> None:
    for question in ("hello world", "", "让我看看", "'; DROP TABLE documents; --"):
        with pytest.raises(QueryError) as raised:
            understand(library, question, BOOK)
        assert "exclusivity" in raised.value.remedy
