"""What a learned query gains: measured on clauses that it was not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.errors import ConfigError
from fourcorners.playbooks.learning.learn import QueryLearner, Sentence, group_folds
from fourcorners.playbooks.passages.ranking import match_boosts
from fourcorners.search.query import Query, parse_query
from fourcorners.search.query.match import find_matches
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex


@dataclass(frozen=True, slots=True)
class QueryGain:
    """How well sentences of a provision are ranked before all others, 0 to 1, by words alone.

    Attributes:
        before: Average precision of the playbook's own query; None where it has none.
        learned: Of the queries learned from the other folds.
        folds: How many folds held clauses of the provision.
    """

    provision: str
    clauses: int
    before: float | None
    learned: float
    folds: int


def cross_validate(
    learner: QueryLearner, provision: str, before: Query | None, *, seed: int = 0
) -> QueryGain | None:
    """Cross-validate one provision; None where single folds leave too little to learn from."""
    own: list[float] = []
    learned: list[float] = []
    for fold in group_folds(learner.groups, seed=seed):
        held = learner.held_out(fold)
        if not any(provision in each.provisions for each in held):
            continue
        try:
            query = learner.learn(provision, without=fold, centres=0)
        except ConfigError:
            continue
        if not query.terms:
            continue
        learned.append(_precision(held, provision, parse_query(query.query)))
        if before is not None:
            own.append(_precision(held, provision, before))
    if not learned:
        return None
    return QueryGain(
        provision,
        learner.clause_count(provision),
        sum(own) / len(own) if own else None,
        sum(learned) / len(learned),
        len(learned),
    )


def _precision(held: Sequence[Sentence], provision: str, query: Query) -> float:
    """Return the average precision of the ranking of sentences by the boosts that match."""
    spans: list[Span] = []
    at = 0
    for each in held:
        spans.append(Span(at, at + len(each.text)))
        at += len(each.text) + 1
    index = WordIndex("\n".join(each.text for each in held))
    scores = match_boosts(find_matches(query, index), spans)
    return average_precision(scores.tolist(), [provision in each.provisions for each in held])


def average_precision(scores: Sequence[float], relevant: Sequence[bool]) -> float:
    """Return average precision; those of equal score count as if spread evenly among each other."""
    total = sum(relevant)
    if not total:
        return 0.0
    by_score: dict[float, list[bool]] = {}
    for score, good in zip(scores, relevant, strict=True):
        by_score.setdefault(score, []).append(good)
    precision = 0.0
    seen = found = 0
    for score in sorted(by_score, reverse=True):
        tied = by_score[score]
        hits = sum(tied)
        for number in range(1, hits + 1):
            place = seen + number * len(tied) / hits
            precision += (found + number) / place
        seen += len(tied)
        found += hits
    return precision / total
