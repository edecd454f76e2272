"""Score how well each clause of a collection suits a query, by each of the profiles.

The model learned from lawyers' stars belongs to one encoder: query and clause vectors are each
multiplied by a matrix (near the identity) before they are compared; the result and the features of
`features.py` are summed with weights. Its card says what it was trained on, and its out-of-fold
scores.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.models.card import load_card
from fourcorners.models.card_text import describe_model
from fourcorners.models.encoder.adapter import Adapter
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.registry import PRECEDENTS, WEIGHTS
from fourcorners.models.reranker.protocol import Reranker, probabilities
from fourcorners.precedents.concepts import query_concepts
from fourcorners.precedents.profile import RERANKED, Profile
from fourcorners.precedents.scoring.collection import ClauseCollection, scale_by_highest
from fourcorners.precedents.scoring.features import FEATURE_NAMES, clause_features
from fourcorners.precedents.terms import query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "model.npz"


@dataclass(frozen=True, slots=True)
class Scoring:
    """How clauses are scored.

    Attributes:
        adapter: What was learned from a bank.
        expansion: Words that contracts may use for it, searched together with the query; the
            learned profiles also search those that the rules know. A reranker does not see them.
    """

    profile: Profile = Profile.DEFAULT
    reranker: Reranker | None = None
    adapter: Adapter | None = None
    expansion: str = ""


DEFAULT_SCORING = Scoring()


@dataclass(frozen=True, slots=True, eq=False)
class PrecedentModel:
    """The model.

    Attributes:
        learned_from: The SHA-256 of each query and clause that it learned from.
        query_matrix: What a query's vector is multiplied with.
        clause_matrix: The same of a clause's.
        sharpness: What the difference counts that the two matrices make.
        weights: Of the features so standardised.
        levels: For 2, 3, 4 and 5 stars: scale and shift of the chance of so many.
    """

    name: str
    encoder: str
    learned_from: frozenset[str]
    query_matrix: NDArray[np.float32]
    clause_matrix: NDArray[np.float32]
    sharpness: float
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    weights: NDArray[np.float64]
    levels: NDArray[np.float64]

    def scores(
        self,
        features: NDArray[np.float64],
        query: NDArray[np.float32],
        clauses: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Return one score a clause.

        Args:
            features: A row a clause, as `LEARNED_FEATURES` names them; the first is the cosine.
            query: The query's unit vector.
            clauses: The clauses' unit vectors, a row each.
        """
        import numpy as np

        asked = self.query_matrix @ query
        held = clauses @ self.clause_matrix.T
        lengths = np.linalg.norm(held, axis=1) * np.linalg.norm(asked)
        moved = (held @ asked) / np.maximum(lengths, 1e-12) - clauses @ query
        standard = (features - self.mean) / self.spread
        found: NDArray[np.float64] = standard @ self.weights + self.sharpness * moved
        return found

    def rating_probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each score the chance of at least 2, 3, 4 and 5 stars: four columns."""
        import numpy as np

        scaled = np.outer(scores, self.levels[:, 0]) + self.levels[:, 1]
        chances = 1.0 / (1.0 + np.exp(-np.clip(scaled, -60.0, 60.0)))
        ordered: NDArray[np.float64] = np.minimum.accumulate(chances, axis=1)
        return ordered


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@cache
def default_model(folder: Path = WEIGHTS / PRECEDENTS) -> PrecedentModel:
    """Return the model that comes with the package, verified.

    Raises:
        ModelError: If its card or its file is missing or damaged.
    """
    import numpy as np

    info = load_card(folder)
    card = describe_model(folder)
    with np.load(io.BytesIO(info.read(FILE)), allow_pickle=False) as held:
        return PrecedentModel(
            name=info.identity,
            encoder=card.encoder,
            learned_from=frozenset(card.learned_from),
            query_matrix=held["query_matrix"].astype(np.float32),
            clause_matrix=held["clause_matrix"].astype(np.float32),
            sharpness=float(held["sharpness"]),
            mean=held["mean"].astype(np.float64),
            spread=held["spread"].astype(np.float64),
            weights=held["weights"].astype(np.float64),
            levels=held["levels"].astype(np.float64),
        )


WORDS_WEIGHT = 0.3
"""The weight of BM25, as a share of the highest, against a cosine: chosen beforehand."""
FIRST_STEP_WEIGHTS = (1.0, 1.0, WORDS_WEIGHT, WORDS_WEIGHT)
"""By what candidates are chosen: cosine and words of the query, plain and expanded."""
MAX_RERANKED = 100
"""How many of the first are read again, as in ACORD's paper (section 4.1)."""
MAX_JUDGED = 200
"""How many of the first the learned model sees; 98% of the clauses of 3 stars are among them."""
SIDE_WEIGHT, FIGURE_WEIGHT = 0.75, 0.75
"""What it adds to a clause's score that side and figures agree with the query; less if they differ.

By hand: next to one another clauses of one kind differ by less, those of another kind by more.
"""
HYBRID_SCALE = 20.0
"""What a hybrid score is multiplied with where an adapter is added to it."""
LEARNED_FEATURES = ("cosine", "cosine_expanded", "words", "words_expanded", *FEATURE_NAMES)
_LEARNED = frozenset({Profile.DEFAULT, Profile.FULL})


def score_clauses(
    wordings: Sequence[str],
    collection: ClauseCollection,
    scoring: Scoring = DEFAULT_SCORING,
    *,
    rows: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """Return one score a clause that is ranked: the mean over the wordings of the query.

    `rows` are ranked, all by default; the others still count as what words are rare among.

    Raises:
        ConfigError: If a reranker is needed and there is none.
    """
    import numpy as np

    selected = collection.all_rows if rows is None else np.asarray(rows, np.intp)
    each = [_build_features(one, collection, selected, scoring) for one in wordings]
    mean: NDArray[np.float64] = np.mean(each, axis=0)
    return mean


def _build_features(
    query: str, collection: ClauseCollection, rows: NDArray[np.intp], scoring: Scoring
) -> NDArray[np.float64]:
    profile, adapter, expansion = scoring.profile, scoring.adapter, scoring.expansion
    retrieved = RERANKED.get(profile)
    if retrieved is not None:
        first = _build_features(query, collection, rows, replace(scoring, profile=retrieved))
        return _reranked(query, collection, first, rows, scoring.reranker)
    if profile is Profile.BM25:
        return _words(query, collection, expansion)[rows]
    if profile is Profile.DENSE:
        return _cosines(query, collection, rows, expansion)
    learned = adapter is not None or model_for(collection.encoder) is not None
    if profile in _LEARNED and learned and len(rows):
        found = select_candidates(query, collection, rows, expansion=expansion)
        own = base_scores(found, collection.encoder) + _terms_agreement(
            query, collection, found.rows
        )
        if adapter is not None:
            own = own + adapter.score_gain(query, found.query, found.vectors)
        return found.merge_scores(own)
    words = scale_by_highest(_words(query, collection, expansion))[rows]
    scores = _cosines(query, collection, rows, expansion) + WORDS_WEIGHT * words
    if profile in _LEARNED:
        scores = scores + _terms_agreement(query, collection, rows) / HYBRID_SCALE
    return scores


def model_for(encoder: Encoder) -> PrecedentModel | None:
    judge = default_model()
    return judge if judge.encoder == encoder.name else None


def ranker_name(encoder: Encoder) -> str:
    """Name what an adapter is added to: the learned model, or `hybrid` where it does not fit."""
    judge = model_for(encoder)
    return Profile.HYBRID.value if judge is None else judge.name


def _terms_agreement(
    query: str, collection: ClauseCollection, rows: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return what is added to each clause's score for the side and the figures asked for."""
    import numpy as np

    wanted = query_terms(query)
    if not wanted:
        return np.zeros(len(rows))
    readings = [collection.reading(row).terms for row in rows.tolist()]
    return np.array(
        [
            SIDE_WEIGHT * each.side_agreement(wanted)
            + FIGURE_WEIGHT * each.figure_agreement(wanted)
            for each in readings
        ],
        np.float64,
    )


def _words(query: str, collection: ClauseCollection, expansion: str) -> NDArray[np.float64]:
    found = collection.lexical.scores(query)
    return found + collection.lexical.scores(f"{query} {expansion}") if expansion else found


def _cosines(
    query: str, collection: ClauseCollection, rows: NDArray[np.intp], expansion: str
) -> NDArray[np.float64]:
    import numpy as np

    asked = [query, f"{query}. {expansion}"] if expansion else [query]
    vectors = collection.encoder.encode(asked)
    cosines: NDArray[np.float64] = (
        (collection.vectors(rows) @ vectors.T).mean(axis=1).astype(np.float64)
    )
    return cosines


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The clauses that the learned model sees, of those that are ranked.

    Attributes:
        rows: Their places in the collection, in order.
        places: Their places among those that are ranked.
        features: A row each, as `LEARNED_FEATURES` names them.
        first: Of every clause that is ranked, the score that chose them.
    """

    rows: NDArray[np.intp]
    places: NDArray[np.intp]
    features: NDArray[np.float64]
    query: NDArray[np.float32]
    vectors: NDArray[np.float32]
    first: NDArray[np.float64]

    def merge_scores(self, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a score for every clause that is ranked, from the candidates' own.

        Those that were not judged stay below in their order.
        """
        import numpy as np

        least = float(own.min(initial=0.0)) - 1.0
        after: NDArray[np.float64] = self.first - self.first.max(initial=0.0) + least
        after[self.places] = np.asarray(own, np.float64)
        return after


def select_candidates(
    query: str,
    collection: ClauseCollection,
    rows: Sequence[int] | NDArray[np.intp] | None = None,
    *,
    chosen_by: Sequence[float] = FIRST_STEP_WEIGHTS,
    expansion: str = "",
) -> Candidates:
    """Choose the first by words and meaning, of the query and of what contracts call it."""
    import numpy as np

    asked = query_concepts(query)
    added = " ".join(filter(None, (asked.expansion, expansion)))
    expanded = f"{query}. {added}" if added else query
    vectors = collection.encoder.encode([query, expanded])
    selected = collection.all_rows if rows is None else np.asarray(rows, np.intp)
    held = collection.vectors(selected)
    cosines = (held @ vectors.T).astype(np.float64)
    words = [
        scale_by_highest(collection.lexical.scores(each))[selected] for each in (query, expanded)
    ]
    base = np.column_stack([cosines, *words])
    first = base @ np.array(chosen_by)
    top = np.sort(np.argsort(-first, kind="stable")[:MAX_JUDGED])
    own = np.array(
        [clause_features(collection.reading(row), asked) for row in selected[top].tolist()]
    )
    return Candidates(
        rows=selected[top],
        places=top,
        features=np.hstack([base[top], own.reshape(len(top), len(FEATURE_NAMES))]),
        query=vectors[0],
        vectors=held[top],
        first=first,
    )


def base_scores(found: Candidates, encoder: Encoder) -> NDArray[np.float64]:
    """Return the candidates' scores by the learned model, or as `hybrid` where none fits."""
    judge = model_for(encoder)
    if judge is not None:
        return judge.scores(found.features, found.query, found.vectors)
    cosine, words = LEARNED_FEATURES.index("cosine"), LEARNED_FEATURES.index("words")
    hybrid: NDArray[np.float64] = (
        found.features[:, cosine] + WORDS_WEIGHT * found.features[:, words]
    )
    return HYBRID_SCALE * hybrid


def _reranked(
    query: str,
    collection: ClauseCollection,
    first: NDArray[np.float64],
    rows: NDArray[np.intp],
    reranker: Reranker | None,
) -> NDArray[np.float64]:
    import numpy as np

    if reranker is None:
        raise ConfigError(
            "this profile needs a reranker, and there is none.",
            remedy="Name one under [reranker], or give the one that ships.",
        )
    top = np.argsort(-first, kind="stable")[:MAX_RERANKED]
    logits = reranker.scores(query, [collection.texts[row] for row in rows[top].tolist()])
    # Those that were not read stay below in their order: a probability is never below 0.
    after: NDArray[np.float64] = first - first.max(initial=0.0) - 1.0
    after[top] = probabilities(logits)
    return after
