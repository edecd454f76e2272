from __future__ import annotations

import pytest

from fourcorners.precedents.concepts import (
    DraftingSide,
    all_concepts,
    find_concept,
    plain_text,
    query_concepts,
)


def names(found: object) -> set[str]:
    assert isinstance(found, tuple)
    return {each.name for each in found}


def test_names_are_given_once_and_each_topic_can_be_asked_for() -> None:
    every = all_concepts()
    assert len({each.name for each in every}) == len(every)
    assert any(each.topic for each in every)
    assert any(not each.topic for each in every)


def test_a_query_is_read_by_topic_and_detail() -> None:
    asked = query_concepts("Fraud and gross negligence carve-outs to the mutual liability cap")
    assert names(asked.topics) == {"cap on liability"}
    assert {"fraud", "gross negligence"} <= names(asked.details)
    assert asked.carved is True
    assert asked.mutual is True
    assert asked.side is None
    assert "exceed" in asked.expansion


def test_what_is_refused_is_not_wanted() -> None:
    asked = query_concepts("indemnity that does not include hold harmless")
    assert names(asked.unwanted) == {"hold harmless"}
    assert "hold harmless" not in names(asked.details)
    assert query_concepts("liability cap without carveouts").carved is False
    assert query_concepts("unqualified as-is clause").carved is False


@pytest.mark.parametrize(
    ("query", "side"),
    [
        ("seller-favorable warranty disclaimer", DraftingSide.SELLER),
        ("customer friendly indemnity", DraftingSide.BUYER),
        ("liability cap", None),
    ],
)
def test_a_side_is_told(query: str, side: DraftingSide | None) -> None:
    assert query_concepts(query).side is side


def test_a_clause_tells_what_it_speaks_of() -> None:
    clause = (
        "Except for  FRAUD, in no event shall Provider's total\nliability exceed the fees paid in "
        "the twelve months before the claim."
    )
    found = {each.name: find_concept(plain_text(clause), each) for each in all_concepts()}
    assert found["cap on liability"]
    assert found["fraud"]
    assert found["twelve months of payment"]
    assert found["purchase price"]
    assert not found["indemnity"]
    assert not found["governing law"]


def test_nothing_is_read_into_other_words() -> None:
    asked = query_concepts("colour of the roof")
    assert asked.concepts == ()
    assert asked.expansion == ""
