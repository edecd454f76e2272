"""How well each clause of a collection suits a query, by each of the profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.models.reranker import Reranker, probabilities
from fourcorners.precedents.collection import Collection
from fourcorners.precedents.lexical import by_most
from fourcorners.precedents.profile import Profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS_WEIGHT = 0.3
"""Of BM25 as a share of the highest, beside a cosine: chosen beforehand, not fitted."""
RERANKED = 100
"""How many of the first are read again, as in ACORD's paper (section 4.1)."""
_RETRIEVED = {Profile.DENSE_RERANK: Profile.DENSE, Profile.BM25_RERANK: Profile.BM25}


def scores(
    wordings: Sequence[str],
    collection: Collection,
    *,
    profile: Profile = Profile.DEFAULT,
    rows: Sequence[int] | None = None,
    reranker: Reranker | None = None,
) -> NDArray[np.float64]:
    """Return one score a clause: the mean over the wordings of the query.

    Args:
        wordings: The query, perhaps in several ways.
        collection: The clauses.
        profile: The way to rank.
        rows: The clauses that are ranked, all by default. The others are still counted as what
            words are rare among; their scores say nothing.
        reranker: What the two profiles need that end in `rerank`.

    Raises:
        ConfigError: If one of those is asked for and there is no reranker.
    """
    import numpy as np

    each = [_of(one, collection, profile, rows, reranker) for one in wordings]
    mean: NDArray[np.float64] = np.mean(each, axis=0)
    return mean


def _of(
    query: str,
    collection: Collection,
    profile: Profile,
    rows: Sequence[int] | None,
    reranker: Reranker | None,
) -> NDArray[np.float64]:
    retrieved = _RETRIEVED.get(profile)
    if retrieved is not None:
        return _reranked(query, collection, retrieved, rows, reranker)
    if profile is Profile.BM25:
        return collection.lexical.scores(query)
    cosines = _cosines(query, collection)
    if profile is Profile.DENSE:
        return cosines
    return cosines + WORDS_WEIGHT * by_most(collection.lexical.scores(query))


def _cosines(query: str, collection: Collection) -> NDArray[np.float64]:
    import numpy as np

    vector = collection.encoder.encode([query])[0]
    cosines: NDArray[np.float64] = (collection.vectors @ vector).astype(np.float64)
    return cosines


def _reranked(
    query: str,
    collection: Collection,
    first: Profile,
    rows: Sequence[int] | None,
    reranker: Reranker | None,
) -> NDArray[np.float64]:
    import numpy as np

    if reranker is None:
        raise ConfigError(
            "this profile needs a reranker, and the settings name none.",
            remedy="Name a folder with model.onnx and tokenizer.json as path under [reranker].",
        )
    base = _of(query, collection, first, rows, None)
    kept = np.arange(len(base)) if rows is None else np.asarray(rows, np.intp)
    top = kept[np.argsort(-base[kept], kind="stable")[:RERANKED]]
    logits = reranker.scores(query, [collection.texts[row] for row in top])
    # Those that were not read stay below in their order: a probability is never below 0.
    after: NDArray[np.float64] = base - base.max(initial=0.0) - 1.0
    after[top] = probabilities(logits)
    return after
