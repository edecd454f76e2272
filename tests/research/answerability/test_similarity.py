"""Words that were not taken for an answer: when they are near enough to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.research.answerability import similarity as near
from fourcorners.research.answerability.search import search_answer, similarity_features
from fourcorners.research.context import build_context
from fourcorners.search.concepts import Concept


def test_each_sign_speaks_for_words() -> None:
    rule = near.default_weights()
    assert set(rule.weights) == set(near.FEATURES)
    assert 0 < rule.least < 1
    none = near.SimilarityFeatures(chance=0.2, meaning=0.3, covered=0.2)
    for better in (
        near.SimilarityFeatures(chance=0.4, meaning=0.3, covered=0.2),
        near.SimilarityFeatures(chance=0.2, meaning=0.5, covered=0.2),
        near.SimilarityFeatures(chance=0.2, meaning=0.3, covered=0.8),
    ):
        assert better.likelihood > none.likelihood
    assert near.SimilarityFeatures(0.0, 0.0, 0.0).likelihood < rule.least
    assert near.SimilarityFeatures(1.0, 1.0, 1.0).likelihood > rule.least


@pytest.mark.parametrize(
    ("question", "is_near"),
    [
        ("Against what must the Landlord insure the ground floor of Quay Street?", None),
        ("Who repays what the fire and flood protection cost within thirty days?", True),
        ("May the Tenant keep tropical fish and parrots on the roof?", False),
    ],
)
def test_what_is_near_is_told_from_what_is_elsewhere(
    library: Library,
    encoder: Encoder,
    concepts: Sequence[Concept],
    question: str,
    is_near: bool | None,
) -> None:
    context = build_context(library, ["lease"], encoder=encoder, concepts=concepts)
    seen = similarity_features(context, question, context.scope(question))
    if is_near is None:
        assert seen is None  # a known kind of clause is asked for
        return
    assert seen is not None
    assert search_answer(replace(context, reader=None), question).may_answer is is_near
