from __future__ import annotations

import pytest

from fourcorners.errors import ConfigError
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.precedents.learning.learn import RatedClause, bank_ratings, merge_ratings


def enough(query: str) -> list[RatedClause]:
    return [RatedClause(query, f"{query} clause {at}", 4, f"source {at}") for at in range(4)]


MANY = [each for query in "ABCDE" for each in enough(query)]


def test_a_bank_rates_its_clauses_under_provisions_and_tags() -> None:
    rated = bank_ratings(
        [BankClause("Liability", "Words.", 5, "Elm", tags=("mutual", "Liability"))]
    )
    assert rated == [
        RatedClause("Liability", "Words.", 5, "Elm"),
        RatedClause("mutual", "Words.", 5, "Elm"),
    ]
    assert bank_ratings([BankClause("Liability", "Words.")])[0].stars == 3


def test_the_same_words_are_one_clause_with_its_best_score_for_each_query() -> None:
    given = merge_ratings(
        [*MANY, RatedClause("A", "B clause 0", 2, "z"), RatedClause("a", "1.  B CLAUSE 0", 5, "z")]
    )
    assert given.queries == ("A", "B", "C", "D", "E")
    assert len(given.items) == 20
    item = next(each for each in given.items if each.text == "B clause 0")
    assert item.gains == {"B": 3, "A": 4}
    assert item.source == "source 0"
    assert len(item.hash) == 64


def test_a_query_needs_clauses_of_several_sources_and_others_beside_them() -> None:
    one_source = [RatedClause("F", f"F clause {at}", 3, "one") for at in range(9)]
    few = [RatedClause("G", f"G clause {at}", 3, f"{at}") for at in range(3)]
    worthless = [RatedClause("H", f"H clause {at}", 1, f"{at}") for at in range(9)]
    assert merge_ratings([*MANY, *one_source, *few, *worthless]).queries == tuple("ABCDE")
    with pytest.raises(ConfigError, match="4 provisions or tags") as caught:
        merge_ratings([each for each in MANY if each.query != "E"])
    assert "at least 5" in caught.value.remedy


def test_clauses_of_no_known_source_stand_alone() -> None:
    given = merge_ratings(
        [*MANY, RatedClause("A", "of nowhere"), RatedClause("A", "of nowhere too")]
    )
    assert len(set(given.sources)) == 4 + 2
