"""Learn the query and the examples of a provision from a bank of clauses.

The bank's most central clauses serve as examples for the search by meaning (a law firm's method:
answers look like answers more than questions do); the keyword query is mined from the bank's
sentences against all others. The weights of words and meaning are the same for all provisions
(`fourcorners.playbooks.passages.ranking`).
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.playbooks.learning.mining import QueryTerm, Sentences, terms_query
from fourcorners.playbooks.passages.ranking import match_boosts
from fourcorners.search.query import Query, parse_query
from fourcorners.search.query.match import find_matches
from fourcorners.text.normalisation import normalise_text
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

MIN_CLAUSES = 8
"""Of a provision, and two groups at least: from fewer nothing is learned that holds elsewhere."""
MAX_CENTRES = 4  # vectors of examples a provision
BACKGROUND = "background"
"""The groups of sentences that are of no clause: some are held back with each fold."""
FOLDS = 5  # of the clauses, by document
_SWAPS = 10  # rounds of exchanging centres; it stops sooner
_FEWEST_WORDS = 4  # of a sentence: what has fewer is a heading or a label
_EXAMPLE = 1_000  # characters of an example, at most: a model reads no more


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a bank.

    Attributes:
        group: Clauses of one contract, company or drafter share it; they are never on both sides of
            a validation.
        stars: How good an example it is, 1 to 5; None where nobody has said.
    """

    provision: str
    text: str
    group: str
    stars: int | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to learn from, and the provisions that it belongs to: none for the rest."""

    text: str
    group: str
    provisions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LearnedQuery:
    """What was learned of a provision.

    Attributes:
        terms: The keyword query, in the order in which the terms were chosen.
        examples: The most central clauses, the most central first; empty without an encoder.
    """

    provision: str
    terms: tuple[QueryTerm, ...]
    examples: tuple[str, ...]
    centres: NDArray[np.float32] | None

    @property
    def query(self) -> str:
        return terms_query(self.terms)


def label_sentences(clauses: Iterable[Clause], background: Iterable[str]) -> list[Sentence]:
    """Return the sentences of a bank and of the text around it.

    A background sentence that is also in a clause of the bank is left out: it would contradict
    itself.
    """
    found: dict[tuple[str, str], set[str]] = {}
    texts: dict[tuple[str, str], str] = {}
    known: set[str] = set()
    for clause in clauses:
        for text in _split_clause(clause.text):
            same = normalise_text(text).text.casefold()
            known.add(same)
            texts.setdefault((same, clause.group), text)
            found.setdefault((same, clause.group), set()).add(clause.provision)
    ours = [Sentence(text, key[1], frozenset(found[key])) for key, text in texts.items()]
    others = [
        Sentence(text, f"{BACKGROUND} {number % FOLDS}")
        for number, passage in enumerate(background)
        for text in _split_clause(passage)
        if normalise_text(text).text.casefold() not in known
    ]
    return ours + others


def mark_sentences(
    text: str, spans: Sequence[Span], marked: Mapping[str, Sequence[Span]], group: str
) -> list[Sentence]:
    """Return sentences with the provisions that at least half of them, or of a mark, lies in."""
    held: list[set[str]] = [set() for _ in spans]
    starts = [span.start for span in spans]
    for provision, places in marked.items():
        for place in places:
            first = max(0, bisect_right(starts, place.start) - 1)
            for at in range(first, bisect_left(starts, place.end)):
                both = spans[at].intersection(place)
                if both and len(both) >= 0.5 * min(len(spans[at]), len(place)):
                    held[at].add(provision)
    return [
        Sentence(span.text_in(text), group, frozenset(of))
        for span, of in zip(spans, held, strict=True)
    ]


def sentence_spans(text: str) -> list[Span]:
    """Return the spans of the sentences of a text, without headings and labels."""
    return [
        span for span in split_sentences(text) if len(span.text_in(text).split()) >= _FEWEST_WORDS
    ]


def _split_clause(text: str) -> list[str]:
    """Return the sentences of a clause, without headings and labels; the clause if none is left."""
    return [span.text_in(text) for span in sentence_spans(text)] or [text.strip()]


class QueryLearner:
    """A bank prepared for learning, any number of times and without any of its groups."""

    def __init__(
        self,
        given: Sequence[Sentence],
        clauses: Sequence[Clause],
        *,
        encoder: Encoder | None = None,
        vectors: NDArray[np.float32] | None = None,
    ) -> None:
        self._given = list(given)
        self._clauses = list(clauses)
        self._sentences = Sentences([each.text for each in given], [each.group for each in given])
        self._vectors = vectors
        if vectors is None and encoder is not None:
            self._vectors = encoder.encode([clause.text[:_EXAMPLE] for clause in clauses])

    @property
    def groups(self) -> list[str]:
        return sorted({each.group for each in self._given})

    def held_out(self, groups: AbstractSet[str]) -> list[Sentence]:
        return [each for each in self._given if each.group in groups]

    def clause_count(self, provision: str) -> int:
        return sum(clause.provision == provision for clause in self._clauses)

    def learn(
        self,
        provision: str,
        *,
        without: AbstractSet[str] = frozenset(),
        centres: int = MAX_CENTRES,
    ) -> LearnedQuery:
        """Learn one provision, from nothing that the groups `without` hold.

        Raises:
            ConfigError: If there are too few clauses, or nothing to tell them from.
        """
        import numpy as np

        at = [
            number
            for number, clause in enumerate(self._clauses)
            if clause.provision == provision and clause.group not in without
        ]
        groups = {self._clauses[number].group for number in at}
        if len(at) < MIN_CLAUSES or len(groups) < 2:
            raise ConfigError(
                f"there are too few clauses of {provision!r} to learn from: {len(at)} "
                f"from {len(groups)} sources.",
                remedy=f"Import at least {MIN_CLAUSES} from two contracts or more.",
            )
        of_kind = np.array([provision in each.provisions for each in self._given], np.bool_)
        within = np.array([each.group not in without for each in self._given], np.bool_)
        if not (within & ~of_kind).any():
            raise ConfigError(
                f"there is nothing to tell the clauses of {provision!r} from.",
                remedy="Import clauses of other provisions too, or add contracts to the library.",
            )
        terms = self._sentences.mine(of_kind, within)
        if self._vectors is None:
            return LearnedQuery(provision, tuple(terms), (), None)
        vectors = self._vectors[at]
        stars = np.array([self._clauses[number].stars or 3 for number in at], np.float64)
        best = central_rows(vectors, centres, weights=stars)
        return LearnedQuery(
            provision,
            tuple(terms),
            tuple(_short(self._clauses[at[place]].text) for place in best),
            vectors[best],
        )


def central_rows(
    vectors: NDArray[np.float32], most: int, *, weights: NDArray[np.float64] | None = None
) -> list[int]:
    """Return the rows to which all rows are nearest on the average: medoids by cosine.

    The first is the most central one, that with the highest mean cosine; each further one is what
    serves best those that the ones before it serve badly. Then single ones are exchanged for
    others as long as that improves the whole.
    """
    import numpy as np

    if not len(vectors):
        return []
    counted = np.ones(len(vectors)) if weights is None else weights / weights.mean()
    cosine = (vectors @ vectors.T).astype(np.float64)
    chosen: list[int] = []
    served = np.full(len(vectors), -1.0)
    for _ in range(min(most, len(vectors))):
        worth = np.maximum(cosine, served) @ counted
        worth[chosen] = -np.inf
        chosen.append(int(worth.argmax()))
        served = np.maximum(served, cosine[chosen[-1]])
    for _ in range(_SWAPS):
        before = list(chosen)
        for place in range(len(chosen)):
            rest = chosen[:place] + chosen[place + 1 :]
            served = cosine[rest].max(axis=0) if rest else np.full(len(vectors), -1.0)
            worth = np.maximum(cosine, served) @ counted
            worth[rest] = -np.inf
            if worth.max() > worth[chosen[place]] + 1e-9:
                chosen[place] = int(worth.argmax())
        if chosen == before:
            break
    return sorted(chosen, key=lambda row: -float(cosine[row] @ counted))


def _short(text: str) -> str:
    """Return the clause on one line, cut between words where it is longer than a model reads."""
    line = " ".join(text.split())
    if len(line) <= _EXAMPLE:
        return line
    return line[:_EXAMPLE].rsplit(" ", 1)[0] + " …"


def group_folds(groups: Sequence[str], *, k: int = FOLDS, seed: int = 0) -> list[frozenset[str]]:
    dealt = sorted(set(groups))
    random.Random(seed).shuffle(dealt)  # noqa: S311 - a split, not a secret
    found = [frozenset(dealt[start::k]) for start in range(k)]
    return [fold for fold in found if fold]


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


def cross_validate(learner: QueryLearner, provision: str, before: Query | None) -> QueryGain | None:
    own: list[float] = []
    learned: list[float] = []
    for fold in group_folds(learner.groups):
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
