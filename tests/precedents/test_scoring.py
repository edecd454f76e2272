from __future__ import annotations

import numpy as np
import pytest

from fourcorners.errors import ConfigError
from fourcorners.models.fake import HashEncoder, OverlapReranker
from fourcorners.precedents.collection import Collection
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.scoring import WORDS_WEIGHT, scores

TEXTS = (
    "The liability of Supplier is capped at the fees paid.",
    "This Agreement is governed by the laws of England.",
    "Liability for fraud is not capped.",
)


@pytest.fixture
def collection() -> Collection:
    return Collection(TEXTS, HashEncoder(384))


def test_hybrid_is_the_sum_of_meaning_and_words(collection: Collection) -> None:
    query = ["liability capped"]
    words = scores(query, collection, profile=Profile.BM25)
    meaning = scores(query, collection, profile=Profile.DENSE)
    both = scores(query, collection, profile=Profile.HYBRID)
    assert both.tolist() == pytest.approx((meaning + WORDS_WEIGHT * words / words.max()).tolist())


def test_wordings_are_averaged(collection: Collection) -> None:
    one, other = "liability capped", "laws of England"
    apart = [scores([each], collection, profile=Profile.HYBRID) for each in (one, other)]
    together = scores([one, other], collection, profile=Profile.HYBRID)
    assert together.tolist() == pytest.approx(np.mean(apart, axis=0).tolist())


def test_a_reranker_reads_the_rows_that_are_ranked_and_puts_them_first(
    collection: Collection,
) -> None:
    found = scores(
        ["fraud not capped"],
        collection,
        profile=Profile.BM25_RERANK,
        rows=[0, 2],
        reranker=OverlapReranker(),
    )
    assert len(found) == 2
    assert found[1] > found[0] > 0


def test_a_reranker_that_is_not_there_is_asked_for(collection: Collection) -> None:
    with pytest.raises(ConfigError, match="needs a reranker"):
        scores(["liability"], collection, profile=Profile.DENSE_RERANK)


def test_vectors_at_hand_must_fit() -> None:
    with pytest.raises(ValueError, match="2 clauses"):
        Collection(("a", "b"), HashEncoder(8), vectors=np.zeros((1, 8), np.float32))
