"""What speaks for each sentence of a document as the answer to a question, as numbers.

Some signals come from the question itself: its words (BM25 over stems, in the sentence, in the
passage around it and in the headings above) and its meaning (the cosine with the passage). Others
come from what is known of the kinds of clause it asks for: their queries and examples; what is a
look-alike of theirs does not count. Signals that brought nothing when they were measured are not
here: place in the document, boosts in headings and in neighbours, facts of the contract card.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from fourcorners.search.concepts import Concept
from fourcorners.search.query.match import QueryMatch, find_matches
from fourcorners.search.sentences.units import SentenceIndex
from fourcorners.text.span import Span, merge_spans
from fourcorners.text.stems import stems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
_SCALE = 10.0  # boosts of a sentence that clearly answers

ASKED = (
    "words",  # BM25 of the question's words in the sentence, as a share of the most possible
    "words_of_best",  # the same, as a share of the document's best sentence
    "passage_words_of_best",  # BM25 in the passage, as a share of the best passage's
    "heading_words",  # share of the question's words, by rarity, in the headings above
    "meaning",  # cosine of the passage with the question
    "meaning_of_best",  # how far that is below the document's best
    "length",  # log of the sentence's characters
)
KNOWN = (
    "known_words",  # root of the boosts of the parts of the concept's query that match in it
    "known_words_of_best",  # these boosts, as a share of the document's best sentence
    "known_passage_of_best",  # boosts that match in the passage, as a share of the best passage's
    "known_examples",  # cosine of the passage with the nearest example
    "known_examples_of_best",  # how far that is below the document's best
)


def signals(
    units: SentenceIndex,
    asked: str,
    vector: NDArray[np.float32] | None,
    concepts: Sequence[tuple[Concept, float]],
) -> NDArray[np.float32]:
    """Return an array (units, `ASKED` then `KNOWN`); what there is no sign of is 0."""
    import numpy as np

    known = np.zeros((len(units.units), len(KNOWN)), np.float32)
    if concepts:
        # The last signal is 0 for the best and negative for the rest: a weight would turn it round.
        weights = [np.array([*[weight] * (len(KNOWN) - 1), 1.0]) for _, weight in concepts]
        each = [_concept_scores(units, concept) for concept, _ in concepts]
        known = np.max([a * b for a, b in zip(each, weights, strict=True)], axis=0)
    return np.concatenate([_asked_signals(units, asked, vector), known], axis=1, dtype=np.float32)


def _asked_signals(
    units: SentenceIndex, asked: str, vector: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    import numpy as np

    wanted = list(dict.fromkeys(stems(asked)))
    words, most = _bm25(units, wanted, units.unit_at, len(units.units))
    around, _ = _bm25(units, wanted, units.passage_at, len(units.passages))
    heading = _in_headings(units, wanted)
    meaning = np.zeros(len(units.passages), np.float32)
    if units.vectors is not None and vector is not None:
        meaning = units.vectors @ vector
    of = units.passage_of
    return np.stack(
        [
            words / most,
            words / max(1e-6, float(words.max(initial=0.0))),
            (around / max(1e-6, float(around.max(initial=0.0))))[of],
            heading[of],
            meaning[of],
            (meaning - float(meaning.max(initial=0.0)))[of],
            np.log1p(units.lengths) / _SCALE,
        ],
        axis=1,
    ).astype(np.float32)


def _bm25(
    units: SentenceIndex, wanted: Sequence[str], holder: NDArray[np.intp], count: int
) -> tuple[NDArray[np.float32], float]:
    """Return BM25 of each of `count` texts, and the most that any text could have."""
    import numpy as np

    lengths = np.bincount(holder, minlength=count + 1)[:count].astype(np.float32)
    norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean()) if count else 1.0))
    total = np.zeros(count, np.float32)
    most = 0.0
    for stem in wanted:
        often = np.bincount(holder[units.places(stem)], minlength=count + 1)[:count]
        having = int(np.count_nonzero(often))
        rarity = float(np.log1p((count - having + 0.5) / (having + 0.5)))
        total += rarity * often * (K1 + 1) / (often + norm)
        most += rarity * (K1 + 1)
    return total, max(most, 1e-6)


def _in_headings(units: SentenceIndex, wanted: Sequence[str]) -> NDArray[np.float32]:
    """Return for each passage the share of the question's words that its headings hold."""
    import numpy as np

    ways, count = units.under.shape
    held = np.zeros((count + 1, len(wanted)), np.float32)
    rarity = np.zeros(len(wanted))
    for at, stem in enumerate(wanted):
        places = units.places(stem)
        often = len(np.unique(units.passage_at[places]))
        rarity[at] = np.log1p(len(units.passages) / (often + 0.5))
        held[units.heading_at[places], at] = 1
    shares = (units.under @ held[:count] > 0) @ rarity / (rarity.sum() or 1.0)
    return (shares if ways else np.zeros(0))[units.way_of].astype(np.float32)


def _concept_scores(units: SentenceIndex, concept: Concept) -> NDArray[np.float32]:
    """Return the signals of one concept; kept, because the next question may ask for it too."""
    key = _key(concept)
    if key not in units.cache:
        units.cache[key] = _compute_concept_scores(units, concept)
    return units.cache[key]


_KEYS: WeakKeyDictionary[Concept, tuple[str, str, str, bool]] = WeakKeyDictionary()


def _key(concept: Concept) -> tuple[str, str, str, bool]:
    """Return what tells a concept's signals from another's; its queries are long to write out."""
    key = _KEYS.get(concept)
    if key is None:
        key = (concept.id, str(concept.query), str(concept.avoid), concept.examples is None)
        _KEYS[concept] = key
    return key


def _compute_concept_scores(units: SentenceIndex, concept: Concept) -> NDArray[np.float32]:
    import numpy as np

    look_alikes = find_matches(concept.avoid, units.index) if concept.avoid else []
    matched = remove_lookalikes(find_matches(concept.query, units.index), look_alikes)
    words = _boosts(matched, [unit.span for unit in units.units])
    around = _boosts(matched, [passage.span for passage in units.passages])
    examples = np.zeros(len(units.passages), np.float32)
    if units.vectors is not None and concept.examples is not None:
        examples = (units.vectors @ concept.examples.T).max(axis=1)
    of = units.passage_of
    return np.stack(
        [
            np.sqrt(words / _SCALE),
            words / max(1.0, float(words.max(initial=0.0))),
            around[of] / max(1.0, float(around.max(initial=0.0))),
            examples[of],
            (examples - float(examples.max(initial=0.0)))[of],
        ],
        axis=1,
    ).astype(np.float32)


def remove_lookalikes(
    matched: Sequence[QueryMatch], look_alikes: Sequence[QueryMatch]
) -> list[QueryMatch]:
    """Leave out the matches that share words with a look-alike: `audit` in `audit committee`."""
    taken = merge_spans(match.span for match in look_alikes)
    starts = [span.start for span in taken]
    rows = []
    for match in matched:
        at = bisect_right(starts, match.span.end - 1) - 1
        if at < 0 or taken[at].end <= match.span.start:
            rows.append(match)
    return rows


def _boosts(matched: Sequence[QueryMatch], spans: Sequence[Span]) -> NDArray[np.float32]:
    """Add up the boosts of the distinct parts that match in each of disjoint spans, in order."""
    import numpy as np

    starts = [span.start for span in spans]
    boosts: dict[tuple[int, str], float] = {}
    for match in matched:
        at = bisect_right(starts, match.span.start) - 1
        if at >= 0 and match.span.end <= spans[at].end:
            boosts[at, match.label] = match.boost
    total = np.zeros(len(spans), np.float32)
    for (at, _), boost in boosts.items():
        total[at] += boost
    return total
