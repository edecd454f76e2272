from __future__ import annotations

import pytest

from fourcorners.text.span import Span
from fourcorners_bench.extraction.loader import CATEGORIES, AnnotatedContract, Extraction
from fourcorners_bench.extraction.precision_recall import (
    CONFIDENCE_STEPS,
    contract_tallies,
    distinct_words,
    pooled_curve,
    precision_recall_curve,
    tally_candidates,
)

TEXT = "Alder may audit the books. Birch pays rent. The books are open to Alder at any time."
AUDIT, RENT, BOOKS = Span(0, 26), Span(27, 43), Span(44, len(TEXT))


def contract(**marked: tuple[Span, ...]) -> AnnotatedContract:
    by_name = {name.replace("_", " "): spans for name, spans in marked.items()}
    return AnnotatedContract(
        "a.txt", "a", TEXT, {name: by_name.get(name, ()) for name in CATEGORIES}
    )


def answer(provision: str, *candidates: tuple[Span, float]) -> Extraction:
    return Extraction("a.txt", provision, (), 0.0, candidates)


def at(threshold: float) -> int:
    return CONFIDENCE_STEPS.index(threshold)


def test_words_are_compared_without_case_and_stops() -> None:
    assert distinct_words("The Books, and/or books.") == {"the", "books", "and", "or"}


def test_an_instance_is_hit_once_however_many_candidates_match_it() -> None:
    found = tally_candidates(
        contract(Audit_Rights=(AUDIT,)),
        answer("Audit Rights", (AUDIT, 0.9), (Span(0, 15), 0.6), (RENT, 0.3)),
    )
    assert found.instances == 1
    assert [found.hits[at(t)] for t in (0.95, 0.5, 0.0)] == [0, 1, 1]
    assert [found.wrong[at(t)] for t in (0.5, 0.2)] == [0, 1]


def test_a_score_must_lie_above_the_step() -> None:
    found = tally_candidates(contract(), answer("Audit Rights", (RENT, 0.5)))
    assert found.wrong[at(0.5)] == 0
    assert found.wrong[at(0.49)] == 1


def test_a_sentence_that_names_a_party_is_right_for_parties_alone() -> None:
    alder = (Span(0, 5),)
    parties = tally_candidates(contract(Parties=alder), answer("Parties", (AUDIT, 0.9)))
    title = tally_candidates(contract(Document_Name=alder), answer("Document Name", (AUDIT, 0.9)))
    assert (parties.hits[-1], parties.wrong[-1]) == (1, 0)
    assert (title.hits[-1], title.wrong[-1]) == (0, 1)


def test_the_curve_of_a_perfect_ranking_fills_its_square() -> None:
    perfect = tally_candidates(
        contract(Audit_Rights=(AUDIT, BOOKS)), answer("Audit Rights", (AUDIT, 0.9), (BOOKS, 0.8))
    )
    figures = precision_recall_curve([perfect])
    assert (figures.area, figures.at_80, figures.at_90) == (1.0, 1.0, 1.0)


def test_recall_that_is_never_reached_adds_nothing() -> None:
    half = tally_candidates(
        contract(Audit_Rights=(AUDIT, BOOKS)), answer("Audit Rights", (AUDIT, 0.9), (RENT, 0.8))
    )
    figures = precision_recall_curve([half])
    assert figures.area == pytest.approx(0.5)
    assert figures.at_80 == 0.0


def test_categories_are_pooled() -> None:
    one = contract(Audit_Rights=(AUDIT,))
    run = [answer("Audit Rights", (AUDIT, 0.9)), answer("Insurance", (RENT, 0.95))]
    found = contract_tallies([one], run)
    assert pooled_curve(found.values()).area == pytest.approx(0.5)
    assert pooled_curve(found.values(), ("Audit Rights",)).area == 1.0
