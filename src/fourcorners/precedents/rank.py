"""Rank clauses as precedents for a query, with the stars to be expected and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.precedents.clause import Clause, ClausePlace, normalised_words, shingles
from fourcorners.precedents.concepts import QueryConcepts, query_concepts
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.scoring.collection import ClauseCollection, Vectors, query_stems
from fourcorners.precedents.scoring.features import MAX_DISTANCE, ClauseFeatures
from fourcorners.precedents.scoring.score import DEFAULT_SCORING, Scoring, model_for, score_clauses
from fourcorners.precedents.terms import ClauseTerms, name_sides, query_terms
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHORT, LONG = 35, 400
"""Word counts below which a clause is called short, and above which long: a sixth of ACORD's."""
_WHO = frozenset({"either", "each", "both", "neither", "party", "parties"})
_CLEAR = 0.5  # of `ClauseFeatures.seller`, from which a clause favours a side; by hand
_MANY_TOPICS = 4  # from which a clause is said to speak of others; by hand


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons for and against a clause.

    Attributes:
        covers: What the query asks for and the clause covers.
        missing: What the query asks for and the clause does not cover.
        unwanted: What the query refuses and the clause covers.
        remarks: One-sidedness, length, exceptions, blanks.
    """

    covers: tuple[str, ...]
    missing: tuple[str, ...]
    unwanted: tuple[str, ...]
    remarks: tuple[str, ...]


def _explain_rank(query: str, wanted: QueryConcepts, reading: ClauseFeatures) -> Reasons:
    """Say how a clause meets a query; where no concept is recognised, by the query's words."""
    found = {each.name: bool(reading.concept_places(each)) for each in wanted.concepts}
    terms = query_terms(query)
    if not found:
        held = set(query_stems(reading.text))
        own = list(dict.fromkeys(terms.subject.lower().split()))
        found = {
            word: set(query_stems(word)) <= held
            for word in own
            if len(word) > 3 and not (terms.holder and word in _WHO)
        }
    covers = _widest(name for name, there in found.items() if there)
    missing = _widest(name for name, there in found.items() if not there)
    met = reading.terms.coverage(terms)
    return Reasons(
        covers=(*covers, *(name for name, there in met.items() if there)),
        missing=(*missing, *(name for name, there in met.items() if not there)),
        unwanted=_widest(each.name for each in wanted.unwanted if reading.concept_places(each)),
        remarks=tuple(_remarks(wanted, reading)),
    )


def _widest(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without those that another one says already, as "fraud" in "fraud or …"."""
    listed = list(names)
    words = [set(each.split()) for each in listed]
    return tuple(
        name
        for name, own in zip(listed, words, strict=True)
        if not any(own < each for each in words)
    )


def _remarks(wanted: QueryConcepts, reading: ClauseFeatures) -> list[str]:
    parts = []
    about = sorted(at for each in wanted.topics for at in reading.concept_places(each))
    carved = (
        reading.is_near(reading.exceptions, about, 2 * MAX_DISTANCE)
        if about
        else bool(reading.exceptions)
    )
    if wanted.carved is True:
        parts.append("has exceptions" if carved else "has no exception near the topic")
    elif wanted.carved is False and carved:
        parts.append("has exceptions, though none are wanted")
    if reading.terms.is_mutual:
        parts.append("speaks of both parties alike")
    elif not reading.terms.is_of_one:
        pass  # whom a clause favours is read from its words, which may be of either side
    elif reading.seller >= _CLEAR:
        parts.append("one-sided, for the seller")
    elif reading.seller <= -_CLEAR:
        parts.append("one-sided, for the buyer")
    if reading.words < SHORT:
        parts.append(f"short: {reading.words} words")
    elif reading.words > LONG:
        parts.append(f"long: {reading.words:,} words")
    others = reading.topics - len(wanted.topics)
    if others >= _MANY_TOPICS:
        parts.append(f"speaks of {others} other topics")
    if reading.blanks:
        parts.append("has blanks or redactions")
    return parts


MAX_RANKED = 400
"""Clauses that are given vectors: of more, those whose words speak for them most."""

NEAR_DUPLICATE = 0.9
"""The share of the runs of eight words of the shorter, or of the words of both, that makes two
clauses variants."""


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What a language model said of a clause, or why it said nothing.

    Attributes:
        stars: 1 to 5; None where clauses were compared, or there is no answer.
        reason: The model's own words: a claim.
        better: The number of compared clauses to which it was preferred, in both orders.
        worse: How many were preferred to it.
        undecided: How many comparisons depended on the order of the two.
        asked: How many questions were asked of it.
        failed: How many of them have no answer.
        failure: Why, of the first of these; empty if none failed.
    """

    stars: int | None = None
    reason: str = ""
    better: int = 0
    worse: int = 0
    undecided: int = 0
    asked: int = 0
    failed: int = 0
    failure: str = ""

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was answered: the clause then keeps its place."""
        return self.failed == self.asked


@dataclass(frozen=True, slots=True)
class Ranked:
    """A clause with how well it serves as a precedent.

    Attributes:
        row: Its place among the clauses there were to choose from.
        score: Higher is better; of one query alone.
        expected: The stars that a lawyer would give it, 1 to 5; None where nothing learned speaks.
        relevant: The chance of 3 stars or more; None likewise.
        variants: Clauses that come after it and have nearly all its words, or it has theirs.
        verdict: What a language model said of it; None if none was asked.
    """

    clause: Clause
    row: int
    score: float
    expected: float | None
    relevant: float | None
    reasons: Reasons
    variants: tuple[Clause, ...] = ()
    verdict: ModelVerdict | None = None


class ClauseStock:
    """Candidate clauses, prepared once for any number of queries."""

    def __init__(
        self, clauses: Sequence[Clause], encoder: Encoder, *, vectors: Vectors | None = None
    ) -> None:
        self.clauses = tuple(clauses)
        self.collection = ClauseCollection(
            [each.text for each in clauses], encoder, vectors=vectors
        )

    def likely_rows(self, query: str, expansion: str = "") -> NDArray[np.intp]:
        """Return a bounded number of rows, by their words and those that contracts use."""
        import numpy as np

        if len(self.clauses) <= MAX_RANKED:
            return self.collection.all_rows
        lexical = self.collection.lexical
        added = f"{query_concepts(query).expansion} {expansion}"
        found = lexical.scores(query) + lexical.scores(f"{query} {added}")
        rows: NDArray[np.intp] = np.sort(np.argsort(-found, kind="stable")[:MAX_RANKED])
        return rows


def rank_clauses(
    query: str,
    stock: ClauseStock,
    scoring: Scoring = DEFAULT_SCORING,
    *,
    longer: str | None = None,
    limit: int | None = None,
    every: bool = False,
) -> list[Ranked]:
    """Return the clauses, the best first; equal ones in the order given.

    The scores of `longer`, which is the query described at length, are averaged with its own.
    `every` also returns what is within, or around, a better clause of the same contract, and what
    has nearly the same words as a better one.
    """
    import numpy as np

    wordings = [each for each in (query, longer) if each and each.strip()]
    collection = stock.collection
    rows = stock.likely_rows(" ".join(filter(None, (query, longer))), scoring.expansion)
    found = score_clauses(wordings, collection, scoring, rows=rows.tolist())
    order = np.argsort(-found, kind="stable")
    taken = DisjointClauses()
    unique: list[tuple[int, Clause]] = []
    variants: dict[int, list[Clause]] = {}
    for at in order.tolist():
        clause = stock.clauses[int(rows[at])]
        left = clause if every else taken.remaining(clause)
        if left is None:
            continue
        wording = (
            None
            if every
            else ClauseWording.read(left.text, collection.reading(int(rows[at])).terms)
        )
        like = None if wording is None else taken.find_similar(wording)
        if like is not None:
            variants.setdefault(like, []).append(left)
        elif limit is None or len(unique) < limit:
            unique.append((at, left))
            if wording is not None:
                taken.add_wording(wording)
    uses_judge = scoring.profile in (Profile.DEFAULT, Profile.FULL)
    judge = model_for(collection.encoder) if uses_judge else None
    own = found[[at for at, _ in unique]]
    chances = judge.rating_probabilities(own) if judge is not None and unique else None
    asked = query_concepts(query)
    return [
        Ranked(
            clause=clause,
            row=int(rows[at]),
            score=float(found[at]),
            expected=None if chances is None else 1.0 + float(chances[place].sum()),
            relevant=None if chances is None else float(chances[place, 1]),
            reasons=_explain_rank(query, asked, collection.reading(int(rows[at]))),
            variants=tuple(variants.get(place, ())),
        )
        for place, (at, clause) in enumerate(unique)
    ]


@dataclass(frozen=True, slots=True)
class ClauseWording:
    """The words of a clause, to be compared with another's.

    Attributes:
        words: How often it has each, whatever a party's role is called.
        terms: For who acts first: a clause for the other side is another one.
    """

    runs: frozenset[int]
    words: Counter[str]
    terms: ClauseTerms

    @classmethod
    def read(cls, text: str, terms: ClauseTerms) -> ClauseWording:
        words = Counter(name_sides(normalised_words(text)).split())
        return cls(shingles(text), words, terms)

    def is_like(self, other: ClauseWording) -> bool:
        runs = min(len(self.runs), len(other.runs))
        both = self.words.total() + other.words.total()
        is_alike = (
            len(self.runs & other.runs) >= NEAR_DUPLICATE * runs
            or 2 * (self.words & other.words).total() >= NEAR_DUPLICATE * both
        )
        return is_alike and self.terms.first_holder is other.terms.first_holder


class DisjointClauses:
    """What is taken by clauses: places in contracts, within or around which, and words."""

    def __init__(self) -> None:
        self._taken: dict[str, list[Span]] = {}
        self._wordings: list[ClauseWording] = []

    def add_wording(self, wording: ClauseWording) -> None:
        self._wordings.append(wording)

    def find_similar(self, wording: ClauseWording) -> int | None:
        """Return the first clause taken that has nearly all words of this one, or the reverse."""
        return next((at for at, each in enumerate(self._wordings) if each.is_like(wording)), None)

    def remaining(self, clause: Clause) -> Clause | None:
        """Return a clause with the places that are free, and take them; None if none is."""
        free = tuple(place for place in clause.places if self._is_free(place))
        for place in free:
            if place.span is not None and place.document:
                self._taken.setdefault(place.document, []).append(place.span)
        if len(free) == len(clause.places):
            return clause
        return replace(clause, places=free) if free else None

    def _is_free(self, place: ClausePlace) -> bool:
        if place.span is None or not place.document:
            return True
        taken = self._taken.get(place.document, ())
        return not any(place.span.intersection(each) for each in taken)
