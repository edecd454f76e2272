"""Learn a ranking from a firm's ratings of clauses.

Each provision of a bank is a query, and so is each of its tags that clauses of several sources
have; a clause of the provision has its stars there, any other none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.models.encoder.adapter import Adapter, TrainingQuery, learn_adapter
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.precedents.clause import normalised_words
from fourcorners.precedents.scoring.collection import ClauseCollection, Vectors
from fourcorners.precedents.scoring.score import Candidates, base_scores, select_candidates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNRATED = 3
"""The stars of an unrated clause that belongs to a provision."""
FEWEST_CLAUSES, FEWEST_SOURCES, FEWEST_QUERIES = 4, 3, 5


@dataclass(frozen=True, slots=True)
class RatedClause:
    """Words that a person has put under a query, or found not to belong there.

    Attributes:
        query: The name of a provision, or another phrase.
        stars: 1 to 5; 1 is what does not belong there.
        source: The contract or company it is from; empty if that is not known.
    """

    query: str
    text: str
    stars: int = UNRATED
    source: str = ""


@dataclass(slots=True)
class RatedItem:
    """A clause once, with its score (stars less one) for each query that it has any for."""

    text: str
    source: str
    gains: dict[str, int] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return sha256(self.text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class LearningRatings:
    """Clauses, and the queries that enough of them were rated for."""

    items: tuple[RatedItem, ...]
    queries: tuple[str, ...]

    @property
    def sources(self) -> list[str]:
        """Return the source of each clause; an unknown one is a separate source."""
        return [each.source or f"clause {at}" for at, each in enumerate(self.items)]


def bank_ratings(clauses: Iterable[BankClause]) -> list[RatedClause]:
    """Return what a bank says of its clauses, under their provisions and their tags."""
    rated = []
    for each in clauses:
        stars = UNRATED if each.stars is None else each.stars
        queries = dict.fromkeys((each.provision, *each.tags))
        rated += [RatedClause(query, each.text, stars, each.source) for query in queries]
    return rated


def merge_ratings(rated: Sequence[RatedClause]) -> LearningRatings:
    """Put together what was said of the same words, and keep the queries that can teach.

    Raises:
        ConfigError: If too few are left.
    """
    items: dict[str, RatedItem] = {}
    named: dict[str, str] = {}
    for each in rated:
        if not each.text.strip():
            continue
        query = named.setdefault(" ".join(each.query.casefold().split()), each.query)
        item = items.setdefault(normalised_words(each.text), RatedItem(each.text, each.source))
        item.gains[query] = max(item.gains.get(query, 0), each.stars - 1)
    held = LearningRatings(tuple(items.values()), ())
    sources: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for item, source in zip(held.items, held.sources, strict=True):
        for query, gain in item.gains.items():
            if gain:
                sources.setdefault(query, set()).add(source)
                counts[query] = counts.get(query, 0) + 1
    selected = tuple(
        query
        for query in dict.fromkeys(named.values())
        if counts.get(query, 0) >= FEWEST_CLAUSES
        and len(sources[query]) >= FEWEST_SOURCES
        and counts[query] < len(held.items)
    )
    if len(selected) < FEWEST_QUERIES:
        raise ConfigError(
            f"there is too little to learn from: {len(selected)} provisions or tags with "
            f"{FEWEST_CLAUSES} clauses from {FEWEST_SOURCES} sources, and other clauses.",
            remedy=f"Import or rate more; it takes at least {FEWEST_QUERIES}.",
        )
    return LearningRatings(held.items, selected)


QUERY_FOLDS, SOURCE_FOLDS = 5, 3
SAME_QUERY = 0.7
"""The cosine from which two queries are near-paraphrases, which share a fold."""
MAX_QUERY = 100
"""Clauses of a list to learn from: the better half has the most stars, the rest none."""
DEPTH = 10  # NDCG@10 decides whether what was learned is kept
SAMPLES = 2_000  # of the bootstrap
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class MeasureGain:
    """Figures over queries, each with its 95% interval; the gain is paired by query."""

    before: tuple[float, float, float]
    after: tuple[float, float, float]
    gain: tuple[float, float, float]

    @property
    def is_significant(self) -> bool:
        return self.gain[1] > 0


@dataclass(frozen=True, slots=True, eq=False)
class LearnedAdapter:
    """What was learned, and its measured gain.

    Attributes:
        matrices: On queries and sources held back.
        heads: On held-out sources, compared with what is kept without them.
        adapter: Of the parts that help; None where neither does.
        by_query: NDCG@10 of each query before and with what is kept (or both parts, where nothing
            is), on sources held back.
    """

    matrices: MeasureGain
    heads: MeasureGain
    adapter: Adapter | None
    by_query: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class RankedCase:
    """A query with its candidates, their scores so far and their stars less one."""

    query: str
    found: Candidates
    base: NDArray[np.float64]
    gains: NDArray[np.intp]

    def training_query(self, within: NDArray[np.bool_]) -> TrainingQuery:
        import numpy as np

        places = np.flatnonzero(within[self.found.rows])
        gains = self.gains[self.found.rows]
        if len(places) > MAX_QUERY:
            merit = np.lexsort((-self.base[places], -gains[places]))
            others = places[merit][(gains[places][merit] == 0)]
            best = places[merit][: max(MAX_QUERY // 2, MAX_QUERY - len(others))]
            places = np.union1d(best, others[: MAX_QUERY - len(best)])
        return TrainingQuery(
            self.query,
            self.found.query,
            self.found.vectors[places],
            self.base[places],
            gains[places],
        )


def learn_from_ratings(
    ratings: LearningRatings,
    encoder: Encoder,
    *,
    vectors: Vectors | None = None,
    on_progress: Progress = lambda _what, _done, _total: None,
) -> LearnedAdapter:
    import numpy as np

    collection = ClauseCollection([each.text for each in ratings.items], encoder, vectors=vectors)
    cases: list[RankedCase] = []
    for query in ratings.queries:
        found = select_candidates(query, collection)
        gains = np.array([each.gains.get(query, 0) for each in ratings.items], np.intp)
        cases.append(RankedCase(query, found, base_scores(found, encoder), gains))
        on_progress("Reading", len(cases), len(ratings.queries))
    by_source = assign_folds(ratings.sources, SOURCE_FOLDS)
    groups = group_queries(np.array([each.found.query for each in cases]))
    by_query = assign_folds([str(each) for each in groups], QUERY_FOLDS)
    folds = sorted(set(by_source.tolist()))
    before = [
        _mean(_measure_ranking(each, by_source == fold, None) for fold in folds) for each in cases
    ]

    def measure_parts(*, matrices: bool, heads: bool, unseen: bool) -> list[float]:
        return _out_of_fold(cases, by_query if unseen else None, by_source, matrices, heads, step)

    fits = len(set(by_query.tolist())) * len(set(by_source.tolist())) + 2 * SOURCE_FOLDS
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        on_progress("Trying", done, fits)

    general = measure_gain(before, measure_parts(matrices=True, heads=False, unseen=True))
    if general.is_significant:
        without = measure_parts(matrices=True, heads=False, unseen=False)
    else:
        without, done = before, done + SOURCE_FOLDS
    whole = measure_parts(matrices=general.is_significant, heads=True, unseen=False)
    own = measure_gain(without, whole)
    weights = whole if own.is_significant else without
    adapter = None
    if general.is_significant or own.is_significant:
        every = np.ones(len(ratings.items), np.bool_)
        lessons = [each.training_query(every) for each in cases]
        adapter = learn_adapter(lessons, matrices=general.is_significant, heads=own.is_significant)
    shown = weights if adapter else whole
    names = [each.query for each in cases]
    return LearnedAdapter(
        general, own, adapter, dict(zip(names, zip(before, shown, strict=True), strict=True))
    )


def assign_folds(names: Sequence[str], folds: int) -> NDArray[np.intp]:
    """Return a fold for each name: the same for the same, and folds of nearly one size."""
    import numpy as np

    sizes: dict[str, int] = {}
    for name in names:
        sizes[name] = sizes.get(name, 0) + 1
    order = list(sizes)
    np.random.default_rng(0).shuffle(order)
    held = [0] * folds
    fold = {}
    for name in sorted(order, key=lambda each: -sizes[each]):
        fold[name] = held.index(min(held))
        held[fold[name]] += sizes[name]
    return np.array([fold[name] for name in names], np.intp)


def group_queries(vectors: NDArray[np.float32]) -> list[int]:
    """Return a group for each query; those that are near, or near to a third one, share it."""
    group = list(range(len(vectors)))
    near = vectors @ vectors.T > SAME_QUERY
    for one in range(len(vectors)):
        for other in range(one):
            if near[one, other] and group[one] != group[other]:
                old, new = group[one], group[other]
                group = [new if each == old else each for each in group]
    return group


def _out_of_fold(
    cases: Sequence[RankedCase],
    by_query: NDArray[np.intp] | None,
    by_source: NDArray[np.intp],
    matrices: bool,
    heads: bool,
    step: Callable[[], None],
) -> list[float]:
    """Return NDCG@10 of each query, by adapters that saw neither its fold nor the sources'.

    Without `by_query` only sources are held back.
    """
    import numpy as np

    values: list[list[float | None]] = [[] for _ in cases]
    queries = [None] if by_query is None else sorted(set(by_query.tolist()))
    for source in sorted(set(by_source.tolist())):
        held_back = by_source == source
        for fold in queries:
            of_fold = np.ones(len(cases), np.bool_) if by_query is None else by_query == fold
            seen = [
                each
                for each, apart in zip(cases, of_fold, strict=True)
                if by_query is None or not apart
            ]
            lessons = [
                lesson for each in seen if _teaches(lesson := each.training_query(~held_back))
            ]
            adapter = (
                learn_adapter(lessons, matrices=matrices, heads=heads, seeds=(0,))
                if lessons
                else None
            )
            for at in np.flatnonzero(of_fold).tolist():
                values[at].append(_measure_ranking(cases[at], held_back, adapter))
            step()
    return [_mean(each) for each in values]


def _teaches(lesson: TrainingQuery) -> bool:
    """Tell whether a list has clauses of different worth."""
    return len(lesson.gains) > 1 and lesson.gains.min() < lesson.gains.max()


def _measure_ranking(
    case: RankedCase, within: NDArray[np.bool_], adapter: Adapter | None
) -> float | None:
    """Return NDCG@10 among some clauses of the collection; None where none of them has merit."""
    import numpy as np

    best = np.sort(case.gains[within])[::-1]
    if not len(best) or not best[0]:
        return None
    selected = within[case.found.rows]
    scores = case.base[selected]
    if adapter is not None and len(scores):
        scores = scores + adapter.score_gain(
            case.query, case.found.query, case.found.vectors[selected]
        )
    order = np.argsort(-scores, kind="stable")
    return _discounted(case.gains[case.found.rows][selected][order]) / _discounted(best)


def _discounted(gains: NDArray[np.intp]) -> float:
    top = gains[:DEPTH].tolist()
    return sum(float(gain) / math.log2(place + 1) for place, gain in enumerate(top, start=1))


def _mean(values: Iterable[float | None]) -> float:
    found = [each for each in values if each is not None]
    return mean(found) if found else 0.0


def measure_gain(before: Sequence[float], after: Sequence[float]) -> MeasureGain:
    """Return means over queries, and the paired gain, with 95% bootstrap intervals."""
    import numpy as np

    drawn = np.random.default_rng(0).integers(0, len(before), (SAMPLES, len(before)))

    def figure(values: NDArray[np.float64]) -> tuple[float, float, float]:
        low, high = np.quantile(values[drawn].mean(axis=1), (0.025, 0.975))
        return float(values.mean()), float(low), float(high)

    old, new = np.array(before, np.float64), np.array(after, np.float64)
    return MeasureGain(figure(old), figure(new), figure(new - old))
