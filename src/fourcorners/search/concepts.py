"""`Concept`: a common kind of clause; recognise which of them a question asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from fourcorners.search.query import Query
from fourcorners.search.query.match import find_matches
from fourcorners.text.stems import FRAME, IDLE, stem_tokens
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ARTICLES = frozenset(("a", "an", "the", "this", "and", "or", "of"))
_UNTOLD = frozenset(stem_tokens(sorted(FRAME | IDLE)))
_MEASURED = (
    *("amount", "date", "days", "deadline", "far", "fast", "long", "many", "months", "number"),
    *("often", "quickly", "soon", "time", "today", "week", "year", "years"),
)
_MEASURES = frozenset(stem_tokens(_MEASURED))
_SAME = {"contract": "agreement", "contracts": "agreements"}
MAX_GAP = 6
"""How many words of the question may separate the words of a name."""
MIN_WEIGHT = 0.6
"""A concept is dropped if its words have less than this share of the best one's rarity."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Concept:
    """A common kind of clause.

    Attributes:
        query: A query for the clause's words, with boosts.
        avoid: Similar clauses that must not count.
        examples: Vectors of clauses of the kind, one unit row each; by default those of `clauses`
            are computed when a question asks for the concept.
        asks: Questions that ask for it, in addition to its name and aliases.
        clauses: Example texts of such clauses.
    """

    id: str
    name: str
    aliases: tuple[str, ...]
    query: Query
    avoid: Query | None = None
    examples: NDArray[np.float32] | None = None
    asks: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()

    @property
    def phrases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.name, *self.aliases, *self.asks)))


@dataclass(frozen=True, slots=True)
class _Named:
    """A phrase of a concept in a question; `at` are the positions of its significant words."""

    concept: int
    at: frozenset[int]
    strength: float


def recognise_concepts(question: str, concepts: Sequence[Concept]) -> list[tuple[Concept, float]]:
    """Return the concepts that a question asks for, the most certain first, with weights up to 1.

    A concept is recognised if all significant words of its name, of an alias or of a question that
    asks for it are close together in the question, in any form and order. A name within a longer
    one does not count: a question about joint ownership is not about ownership. What the concept
    avoids is not evidence for it.
    """
    index = WordIndex(question)
    asked = _forms(index.words.tokens)
    telling = frozenset(at for at, stem in enumerate(asked) if stem not in _UNTOLD)
    place: dict[str, list[int]] = {}
    for at, stem in enumerate(asked):
        place.setdefault(stem, []).append(at)
    phrases = [[_stems(phrase) for phrase in concept.phrases] for concept in concepts]
    known = Counter(stem for named in phrases for stem in frozenset().union(*named))
    rarity = {stem: log(1 + len(concepts) / count) for stem, count in known.items()}
    found = [
        _Named(number, at & telling, sum(rarity[stem] for stem in phrase))
        for number, named in enumerate(phrases)
        for phrase in named
        for at in _find_tightest(phrase, place)
        if (at & telling or not telling) and not _avoided(concepts[number], index, at)
    ]
    best: dict[int, float] = {}
    for one in found:
        if not any(one.at < other.at for other in found if other.concept != one.concept):
            best[one.concept] = max(best.get(one.concept, 0.0), one.strength)
    most = max(best.values(), default=1.0)
    ordered = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [
        (concepts[number], strength / most)
        for number, strength in ordered
        if strength >= MIN_WEIGHT * most
    ]


@lru_cache(maxsize=4_096)
def _stems(phrase: str) -> frozenset[str]:
    """Return the words of a phrase that must be in a question: its significant words.

    If only one of several is left, it would match too much: in `termination at will` all words
    count. None are left of a question that could follow any other: `for how long?`.
    """
    tokens = [token for token in WordIndex(phrase).words.tokens if token not in ARTICLES]
    content_tokens = [token for token in tokens if token not in IDLE and token not in FRAME]
    if phrase.endswith("?") and set(_forms(content_tokens)) <= _MEASURES:
        return frozenset()
    return frozenset(_forms(content_tokens if len(content_tokens) > 1 else tokens))


def _forms(tokens: Sequence[str]) -> list[str]:
    return stem_tokens([_SAME.get(token, token) for token in tokens])


def _find_tightest(phrase: frozenset[str], place: dict[str, list[int]]) -> Iterator[frozenset[int]]:
    """Yield the tightest place with all words of a phrase, if it is tight enough."""
    if not phrase or not phrase <= place.keys():
        return
    ways = [
        frozenset(min(place[stem], key=lambda at: (abs(at - anchor), at)) for stem in phrase)
        for anchor in sorted({at for stem in phrase for at in place[stem]})
    ]
    closest = min(ways, key=lambda at: (max(at) - min(at), min(at)))
    if max(closest) - min(closest) < len(phrase) + MAX_GAP:
        yield closest


def _avoided(concept: Concept, index: WordIndex, at: frozenset[int]) -> bool:
    if concept.avoid is None:
        return False
    spans = [index.word_span(word) for word in at]
    return any(
        match.span.overlaps(span) for match in find_matches(concept.avoid, index) for span in spans
    )
