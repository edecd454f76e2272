from __future__ import annotations

from typing import Any

import pytest

from fourcorners.errors import LlmNotConfigured
from fourcorners.llm import Port
from fourcorners.precedents.clause import Clause, ClausePlace
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.rank import MAX_RANKED, ClauseStock, rank_clauses
from fourcorners.precedents.rerank import MAX_WORDING, MOST_TERMS, Expansion, expand_query
from fourcorners.precedents.scoring.collection import ClauseCollection
from fourcorners.precedents.scoring.score import Scoring, score_clauses
from tests.models.fake import HashEncoder
from tests.precedents.told import LATE, port

RACE = "The channel that feeds the wheel shall be kept clear of weeds."
LAW = "The courts of the valley alone decide upon this lease."


def expanded(said: Any) -> Expansion:
    asked, _ = port(lambda: said)
    with asked:
        return expand_query("mill race", asked, longer="who keeps the water open")


def test_terms_and_wordings_are_taken_once_and_bounded() -> None:
    many = [f"term {at}" for at in range(30)]
    found = expanded({"terms": ["weeds", " weeds. ", "", *many], "wordings": ["x " * 400, "Shall"]})
    assert found.terms[:2] == ("weeds", "term 0")
    assert len(found.terms) == MOST_TERMS
    assert len(found.wordings[0]) <= MAX_WORDING
    assert found.text.startswith("weeds, term 0")
    assert found.text.endswith(". Shall")


def test_a_failure_is_a_value_and_nothing_is_added() -> None:
    found = expanded(LATE)
    assert "timed out" in found.failure
    assert found.text == ""
    assert expanded({"terms": [], "wordings": []}) == Expansion()


def test_without_a_model_the_setting_is_named() -> None:
    with Port({}) as nothing, pytest.raises(LlmNotConfigured) as told:
        expand_query("mill race", nothing)
    assert "[llm]" in told.value.remedy


@pytest.mark.parametrize("profile", [Profile.BM25, Profile.DENSE, Profile.HYBRID, Profile.FULL])
def test_every_retriever_looks_for_what_was_added(profile: Profile) -> None:
    collection = ClauseCollection([RACE, LAW, "Rent is paid in silver."], HashEncoder(384))
    plain = score_clauses(["mill race"], collection, Scoring(profile=profile))
    found = score_clauses(
        ["mill race"], collection, Scoring(profile=profile, expansion="channel, weeds, wheel")
    )
    assert found.argmax() == 0
    assert found[0] - found[1] > plain[0] - plain[1]


def test_of_many_clauses_those_with_the_added_words_are_among_the_likeliest() -> None:
    texts = [*(f"Item {at} of the mill." for at in range(MAX_RANKED + 20)), RACE]
    stock = ClauseStock([Clause(text, (ClausePlace("lease"),)) for text in texts], HashEncoder(384))
    assert len(texts) - 1 not in stock.likely_rows("mill race")
    found = rank_clauses(
        "mill race", stock, Scoring(expansion="channel that feeds the wheel, weeds"), limit=1
    )
    assert found[0].clause.text == RACE
