"""Whether a contract without its answer still answers, on contracts of our own."""

from __future__ import annotations

import pytest

from fourcorners.text.span import Span
from fourcorners_bench.answers.leftovers import (
    ContractSentences,
    answer_signs,
    find_remaining_answers,
    is_visible,
)
from fourcorners_bench.extraction import loader as cuad

LAW = "This Agreement shall be governed by the laws of the State of Oregon."
CARRIAGE = "The Carrier shall bring the grain to the mill before the last day of each month."


def left(text: str, marked: str, category: str) -> list[str]:
    contract = ContractSentences(text)
    start = text.index(marked)
    cut = contract.overlapping_sentences([Span(start, start + len(marked))])
    return [each.text_in(text) for each in find_remaining_answers(contract, cut, category)]


def test_a_clause_that_stands_once_leaves_nothing() -> None:
    assert left(f"{CARRIAGE}\n\n{LAW}\n", LAW, "Governing Law") == []


def test_the_whole_sentence_is_cut_for_a_few_marked_words() -> None:
    contract = ContractSentences(f"{CARRIAGE}\n\n{LAW}\n")
    at = contract.text.index("Oregon")
    assert [
        each.text_in(contract.text) for each in contract.overlapping_sentences([Span(at, at + 6)])
    ] == [LAW]


def test_other_words_for_the_same_are_found() -> None:
    other = "The Schedules are to be construed under the laws of the State of Oregon."
    assert left(f"{CARRIAGE}\n\n{LAW}\n\n{other}\n", LAW, "Governing Law") == [other]


def test_a_heading_and_words_far_apart_are_no_answer() -> None:
    far = (
        "The laws that bind millers are many, and the Carrier, who has read them in the library "
        "of the guild at its own cost, says that no guild is governed."
    )
    assert left(f"Governing Law\n\n{LAW}\n\n{far}\n", LAW, "Governing Law") == []


def test_what_repeats_the_cut_words_is_found_for_any_question() -> None:
    once = "The Miller shall return seventeen empty sacks to the granary at Astoria."
    again = "The Miller shall return seventeen clean, empty sacks to the granary at Astoria."
    assert left(f"{once}\n\n{CARRIAGE}\n\n{again}\n", once, "Sacks") == [again]
    assert left(f"{once}\n\n{CARRIAGE}\n", once, "Sacks") == []


def test_the_words_are_of_kinds_that_experts_mark() -> None:
    assert set(answer_signs()) <= set(cuad.CATEGORIES)
    assert len(answer_signs()) == 35


@pytest.mark.parametrize("category", ["Cap On Liability", "Insurance", "Audit Rights"])
def test_words_of_a_kind_do_not_find_all(category: str) -> None:
    assert left(f"{CARRIAGE}\n\n{LAW}\n", LAW, category) == []


def test_an_answer_in_other_words_than_those_of_its_kind_is_told_apart() -> None:
    contract = ContractSentences(f"{CARRIAGE}\n\n{LAW}\n")
    carriage, law = contract.spans
    assert is_visible(contract, [law], "Governing Law")
    assert not is_visible(contract, [carriage], "Governing Law")
    assert is_visible(contract, [carriage], "Sacks")
