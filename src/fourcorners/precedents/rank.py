"""Rank clauses as precedents for a query, with the stars to be expected and the reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.models.encoder import Encoder
from fourcorners.models.reranker import Reranker
from fourcorners.precedents.clause import Clause
from fourcorners.precedents.collection import Collection
from fourcorners.precedents.concepts import wanted
from fourcorners.precedents.lexical import Bm25
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.reasons import Reasons, reasons
from fourcorners.precedents.scoring import judge_for, scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 400
"""Clauses that are given vectors: of more, those whose words speak for them most."""

Vectors = Callable[[Sequence[str]], "NDArray[np.float32]"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A clause with how well it serves as a precedent.

    Attributes:
        score: Higher is better; of one query alone.
        expected: The stars that a lawyer would give it, 1 to 5; None where nothing learned speaks.
        relevant: The chance of 3 stars or more; None likewise.
    """

    clause: Clause
    score: float
    expected: float | None
    relevant: float | None
    reasons: Reasons


def rank(
    query: str,
    clauses: Sequence[Clause],
    encoder: Encoder,
    *,
    longer: str | None = None,
    limit: int | None = None,
    profile: Profile = Profile.DEFAULT,
    reranker: Reranker | None = None,
    vectors: Vectors | None = None,
) -> list[Ranked]:
    """Return the clauses, the best first; equal ones in the order given.

    Args:
        query: What is looked for, in a phrase.
        clauses: What there is to choose from.
        encoder: What makes the vectors.
        longer: The same described at length; scores are averaged.
        limit: How many are returned.
        profile: The way to rank.
        reranker: What the profiles need that end in `rerank`.
        vectors: What gives the vectors of clauses, if not the encoder itself.
    """
    import numpy as np

    wordings = [each for each in (query, longer) if each and each.strip()]
    few = _likely(" ".join(filter(None, (query, longer))), clauses)
    collection = Collection(
        [each.text for each in few],
        encoder,
        vectors=vectors([each.text for each in few]) if vectors is not None and few else None,
    )
    found = scores(wordings, collection, profile=profile, reranker=reranker)
    order = np.argsort(-found, kind="stable")[:limit]
    judge = judge_for(encoder) if profile is Profile.DEFAULT else None
    chances = judge.chances(found[order]) if judge is not None and len(order) else None
    asked = wanted(query)
    return [
        Ranked(
            clause=few[row],
            score=float(found[row]),
            expected=None if chances is None else 1.0 + float(chances[place].sum()),
            relevant=None if chances is None else float(chances[place, 1]),
            reasons=reasons(query, asked, collection.reading(row)),
        )
        for place, row in enumerate(order.tolist())
    ]


def _likely(query: str, clauses: Sequence[Clause]) -> Sequence[Clause]:
    """Return at most `MOST` clauses, by their words and those that contracts use, in order."""
    import numpy as np

    if len(clauses) <= MOST:
        return clauses
    words = Bm25([each.text for each in clauses])
    found = words.scores(query) + words.scores(f"{query} {wanted(query).expansion}")
    kept = np.sort(np.argsort(-found, kind="stable")[:MOST])
    return [clauses[row] for row in kept.tolist()]
