from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.precedents.concepts import query_concepts
from fourcorners.precedents.scoring.features import FEATURE_NAMES, ClauseFeatures, clause_features

CAP = "In no event shall either party's total liability exceed the fees paid under this Agreement."
CARVED = CAP + " The foregoing shall not apply to fraud or gross negligence."
LAW = "This Agreement is governed by the laws of the State of New York."


def of(clause: str, query: str) -> dict[str, float]:
    return dict(
        zip(
            FEATURE_NAMES,
            clause_features(ClauseFeatures(clause), query_concepts(query)),
            strict=True,
        )
    )


def test_a_clause_on_the_topic_has_it_and_another_has_not() -> None:
    assert of(CAP, "cap on liability")["topics"] == 1.0
    assert of(CAP, "cap on liability")["whole"] == 1.0
    assert of(LAW, "cap on liability")["topics"] == 0.0
    assert of(LAW, "cap on liability")["whole"] == 0.0


def test_an_exception_counts_where_it_is_asked_for() -> None:
    query = "fraud carveout to liability cap"
    assert of(CARVED, query)["details_carved"] == 1.0
    assert of(CARVED, query)["carved"] == 1.0
    assert of(CAP, query)["details"] == 0.0
    assert of(CARVED, "liability cap")["carved"] == 0.0
    assert of(CARVED, "liability cap without carveouts")["carved_unasked"] == 1.0
    assert of(CAP, "liability cap without carveouts")["carved_unasked"] == 0.0


def test_mutuality_counts_where_it_is_asked_for() -> None:
    one = "In no event shall Supplier's total liability exceed the fees paid."
    assert of(CAP, "mutual liability cap")["mutual"] == 1.0
    assert of(one, "mutual liability cap")["mutual"] == -1.0
    assert of(one, "unilateral liability cap")["one_sided"] == 1.0
    assert of(one, "liability cap")["mutual"] == 0.0
    assert of(one, "seller-favorable liability cap")["seller"] > 0


def test_blanks_and_length_are_seen() -> None:
    assert of(CAP + " [***]", "cap")["redacted"] == pytest.approx(math.log(2))
    assert of(CAP * 20, "cap")["length"] > of(CAP, "cap")["length"]


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_has_finite_features(clause: str, query: str) -> None:
    found = clause_features(ClauseFeatures(clause), query_concepts(query))
    assert len(found) == len(FEATURE_NAMES)
    assert all(math.isfinite(each) for each in found)
