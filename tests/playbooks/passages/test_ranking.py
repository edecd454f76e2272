from __future__ import annotations

import itertools
import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from fourcorners.outline.card.card import Card, Fact
from fourcorners.playbooks.passages.ranking import (
    ALWAYS,
    GROUPS,
    SIGNALS,
    Direction,
    RankedContract,
    RankingTarget,
    default_weights,
    match_boosts,
    ranking_signals,
    score_sentences,
    sentence_weights,
    weights_key,
)
from fourcorners.playbooks.playbook import CardField
from fourcorners.search.query import parse_query
from fourcorners.search.query.match import find_matches
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from fourcorners_bench.provisions.windows import choose_windows

TEXT = (
    "This deed is made on 3 May 2021. "
    "The keeper shall insure the barn against fire. "
    "The keeper shall feed the goats each day. "
    "No party may assign this deed to another."
)
HEADED = f"INSURANCE {TEXT}"


def contract(text: str = TEXT, heading: Span | None = None) -> RankedContract:
    start = len(text) - len(TEXT)
    spans = tuple(
        Span(start + found.start(), start + found.end())
        for found in re.finditer(r"[^.\s][^.]*\.", TEXT)
    )
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    path = (heading,) if heading else ()
    return RankedContract(
        text, Card(), spans, np.array([0, 0, 1, 1]), (path, ()), WordIndex(text), vectors
    )


def signal(rows: np.ndarray, name: str) -> list[float]:
    return [float(value) for value in rows[:, SIGNALS.index(name)]]


def test_a_sentence_collects_the_boosts_of_distinct_terms() -> None:
    made = contract()
    matched = find_matches(parse_query("[keeper^2, insure^3, fire]"), made.index)
    assert match_boosts(matched, made.spans).tolist() == [0, 6, 2, 0]
    twice = WordIndex("goat goat goat")
    assert match_boosts(find_matches(parse_query("[goat^2]"), twice), [Span(0, 14)]).tolist() == [2]
    assert match_boosts([], made.spans).tolist() == [0, 0, 0, 0]


def test_a_match_across_two_sentences_counts_in_neither() -> None:
    made = contract()
    matched = find_matches(parse_query('["fire keeper"~3]'), made.index)
    assert match_boosts(matched, made.spans).sum() == 0


def test_the_learned_query_speaks_for_neighbours_and_the_passage() -> None:
    rows = ranking_signals(contract(), RankingTarget(learned=parse_query("[insure^3, fire]")))
    assert signal(rows, "learned") == [0, 4, 0, 0]
    assert signal(rows, "learned_beside") == [4, 0, 4, 0]
    assert signal(rows, "learned_around") == [4, 4, 0, 0]
    others = set(SIGNALS) - set(GROUPS["learned"])
    assert all(set(signal(rows, name)) == {0} for name in others)


def test_the_query_by_hand_speaks_for_headings_but_not_for_look_alikes() -> None:
    made = contract(HEADED, Span(0, 9))
    rows = ranking_signals(made, RankingTarget(query=parse_query("[insur*^4, feed]")))
    assert signal(rows, "query_root") == [0, 2, 1, 0]
    assert signal(rows, "query_of_best") == [0, 1, 0.25, 0]
    assert signal(rows, "query_heading") == [2, 2, 0, 0]
    avoided = RankingTarget(
        query=parse_query("[insur*^4, feed]"), avoid=parse_query('"insure the barn"')
    )
    assert signal(ranking_signals(made, avoided), "query_root") == [0, 0, 1, 0]


def test_meaning_is_that_of_the_nearest_example() -> None:
    examples = np.array([[0, 1], [0.6, 0.8]], np.float32)
    rows = ranking_signals(contract(), RankingTarget(examples=examples))
    assert signal(rows, "meaning") == pytest.approx([0.6, 0.6, 1, 1])
    assert signal(rows, "meaning_of_best") == pytest.approx([-0.4, -0.4, 0, 0])


def test_direction_and_reader_give_their_log_odds() -> None:
    way = Direction(np.array([2, -1], np.float32), -0.5)
    heard = np.array([[0, 9], [0, 8], [0, 7], [0, 6]], np.float32)
    rows = ranking_signals(
        replace(contract(), reader_scores=heard), RankingTarget(direction=way, kind=1)
    )
    assert signal(rows, "direction") == [1.5, 1.5, -1.5, -1.5]
    assert signal(rows, "reader") == [9, 8, 7, 6]
    assert set(signal(ranking_signals(contract(), RankingTarget(kind=1)), "reader")) == {0}


def test_a_fact_of_the_card_speaks_for_its_sentence() -> None:
    fact = Fact(date(2021, 5, 3), Span(21, 31), 0.9)
    made = replace(contract(), card=Card(agreement_date=fact))
    rows = ranking_signals(made, RankingTarget(fact=CardField.AGREEMENT_DATE))
    assert signal(rows, "fact") == pytest.approx([0.9, 0, 0, 0])
    opening = signal(rows, "opening")
    assert opening[0] == 1
    assert opening == sorted(opening, reverse=True)
    law = ranking_signals(made, RankingTarget(fact=CardField.GOVERNING_LAW))
    assert set(signal(law, "fact") + signal(law, "opening")) == {0}


def test_what_is_known_names_the_weights() -> None:
    whole = RankingTarget(
        learned=parse_query("a"),
        query=parse_query("b"),
        examples=np.ones((1, 2), np.float32),
        direction=Direction(np.ones(2, np.float32), 0.0),
        kind=0,
    )
    made = replace(contract(), reader_scores=np.zeros((4, 1), np.float32))
    assert weights_key(made, whole) == "learned+query+meaning+direction+reader"
    assert weights_key(replace(made, vectors=None), whole) == "learned+query+reader"
    assert weights_key(contract(), RankingTarget(query=parse_query("b"))) == "query"
    assert weights_key(contract(), RankingTarget()) == ""


def test_every_set_of_signals_has_weights_for_those_and_no_others() -> None:
    weighings = default_weights()
    for size in range(len(GROUPS) + 1):
        for groups in itertools.combinations(GROUPS, size):
            names = {name for group in groups for name in GROUPS[group]}
            assert set(weighings["+".join(groups)]) == {"bias", *names, *ALWAYS}
    assert len(weighings) == 2 ** len(GROUPS)


def test_chances_are_logistic_in_the_signals() -> None:
    rows = np.zeros((2, len(SIGNALS)), np.float32)
    rows[1, SIGNALS.index("learned")] = 4
    found = score_sentences(rows, {"bias": -2.0, "learned": 0.5})
    assert found == pytest.approx([1 / (1 + np.exp(2)), 0.5])


def test_the_passage_that_bears_on_the_provision_comes_first() -> None:
    wanted = RankingTarget(query=parse_query("[insur*^5, fire^3]"))
    weighing = default_weights()[weights_key(contract(), wanted)]
    chance = score_sentences(ranking_signals(contract(), wanted), weighing)
    parts, worth = sentence_weights(contract(), chance, longest=60)
    (first,) = choose_windows(parts, worth, most=1, longest=60)
    assert first.span.text_in(TEXT).strip() == "The keeper shall insure the barn against fire."
    parts, worth = sentence_weights(contract(), chance)
    (whole,) = choose_windows(parts, worth, most=3)
    assert whole.span == Span(0, len(TEXT))


def test_parts_cover_the_text_and_their_worth_is_of_their_sentences() -> None:
    parts, worth = sentence_weights(contract(HEADED), np.array([0.1, 1.0, 0.0, 0.5]))
    assert (parts[0].start, parts[-1].end) == (0, len(HEADED))
    assert all(a.end == b.start for a, b in itertools.pairwise(parts))
    assert worth == pytest.approx([0.01, 1.0, 0.0, 0.25], abs=1e-6)
    assert worth.min() > 0
