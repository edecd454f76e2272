"""How well each clause of a collection suits a query, by each of the profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.models.encoder import Encoder
from fourcorners.models.reranker import Reranker, probabilities
from fourcorners.precedents.collection import Collection
from fourcorners.precedents.concepts import wanted
from fourcorners.precedents.features import NAMES, features
from fourcorners.precedents.judge import Judge, shipped
from fourcorners.precedents.lexical import by_most
from fourcorners.precedents.profile import Profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS_WEIGHT = 0.3
"""Of BM25 as a share of the highest, beside a cosine: chosen beforehand, not fitted."""
RERANKED = 100
"""How many of the first are read again, as in ACORD's paper (section 4.1)."""
JUDGED = 200
"""How many of the first the learned model sees; 98% of the clauses of 3 stars are among them."""
LEARNED = ("cosine", "cosine_expanded", "words", "words_expanded", *NAMES)
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
    if profile is Profile.DENSE:
        return _cosines(query, collection)
    judge = judge_for(collection.encoder) if profile is Profile.DEFAULT else None
    if judge is not None and collection.texts:
        found = candidates(query, collection, rows)
        return _below(found, judge.scores(found.features, found.query, found.vectors))
    words = by_most(collection.lexical.scores(query))
    return _cosines(query, collection) + WORDS_WEIGHT * words


def judge_for(encoder: Encoder) -> Judge | None:
    """Return the learned model if it is for this encoder."""
    judge = shipped()
    return judge if judge.encoder == encoder.name else None


def _cosines(query: str, collection: Collection) -> NDArray[np.float64]:
    import numpy as np

    vector = collection.encoder.encode([query])[0]
    cosines: NDArray[np.float64] = (collection.vectors @ vector).astype(np.float64)
    return cosines


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The clauses that the learned model sees of a collection.

    Attributes:
        rows: Their places in the collection, in order.
        features: A row each, as `LEARNED` names them.
        query: The query's vector.
        vectors: Those of the clauses.
        first: The score of every clause of the collection that chose them.
    """

    rows: NDArray[np.intp]
    features: NDArray[np.float64]
    query: NDArray[np.float32]
    vectors: NDArray[np.float32]
    first: NDArray[np.float64]


def candidates(query: str, collection: Collection, rows: Sequence[int] | None = None) -> Candidates:
    """Choose the first by words and meaning, of the query and of what contracts call it."""
    import numpy as np

    asked = wanted(query)
    expanded = f"{query}. {asked.expansion}" if asked.expansion else query
    vectors = collection.encoder.encode([query, expanded])
    cosines = (collection.vectors @ vectors.T).astype(np.float64)
    words = [by_most(collection.lexical.scores(each)) for each in (query, expanded)]
    base = np.column_stack([cosines, *words])
    first = base @ np.array([1.0, 1.0, WORDS_WEIGHT, WORDS_WEIGHT])
    kept = np.arange(len(first)) if rows is None else np.asarray(rows, np.intp)
    top = np.sort(kept[np.argsort(-first[kept], kind="stable")[:JUDGED]])
    own = np.array([features(collection.reading(row), asked) for row in top.tolist()])
    return Candidates(
        rows=top,
        features=np.hstack([base[top], own.reshape(len(top), len(NAMES))]),
        query=vectors[0],
        vectors=collection.vectors[top],
        first=first,
    )


def _below(found: Candidates, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a score for every clause: those that were not judged stay below in their order."""
    import numpy as np

    least = float(scores.min(initial=0.0)) - 1.0
    after: NDArray[np.float64] = found.first - found.first.max(initial=0.0) + least
    after[found.rows] = np.asarray(scores, np.float64)
    return after


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
