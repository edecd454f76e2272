from __future__ import annotations

import numpy as np
import pytest

from fourcorners.errors import ConfigError
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.scoring.collection import ClauseCollection
from fourcorners.precedents.scoring.score import WORDS_WEIGHT, Scoring, score_clauses
from tests.models.fake import HashEncoder, OverlapReranker

TEXTS = (
    "The liability of Supplier is capped at the fees paid.",
    "This Agreement is governed by the laws of England.",
    "Liability for fraud is not capped.",
)


@pytest.fixture
def collection() -> ClauseCollection:
    return ClauseCollection(TEXTS, HashEncoder(384))


def test_hybrid_is_the_sum_of_meaning_and_words(collection: ClauseCollection) -> None:
    query = ["liability capped"]
    words = score_clauses(query, collection, Scoring(profile=Profile.BM25))
    meaning = score_clauses(query, collection, Scoring(profile=Profile.DENSE))
    both = score_clauses(query, collection, Scoring(profile=Profile.HYBRID))
    assert both.tolist() == pytest.approx((meaning + WORDS_WEIGHT * words / words.max()).tolist())


def test_wordings_are_averaged(collection: ClauseCollection) -> None:
    one, other = "liability capped", "laws of England"
    apart = [
        score_clauses([each], collection, Scoring(profile=Profile.HYBRID)) for each in (one, other)
    ]
    together = score_clauses([one, other], collection, Scoring(profile=Profile.HYBRID))
    assert together.tolist() == pytest.approx(np.mean(apart, axis=0).tolist())


def test_a_reranker_reads_the_rows_that_are_ranked_and_puts_them_first(
    collection: ClauseCollection,
) -> None:
    found = score_clauses(
        ["fraud not capped"],
        collection,
        Scoring(profile=Profile.BM25_RERANK, reranker=OverlapReranker()),
        rows=[0, 2],
    )
    assert len(found) == 2
    assert found[1] > found[0] > 0


def test_a_reranker_that_is_not_there_is_asked_for(collection: ClauseCollection) -> None:
    with pytest.raises(ConfigError, match="needs a reranker"):
        score_clauses(["liability"], collection, Scoring(profile=Profile.DENSE_RERANK))


def test_vectors_at_hand_must_fit() -> None:
    with pytest.raises(ValueError, match="2 clauses"):
        ClauseCollection(("a", "b"), HashEncoder(8), vectors=np.zeros((1, 8), np.float32))
