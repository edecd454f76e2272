"""Which sentences of a contract bear on a provision, and the passages to read for it.

A sentence collects the boosts of the terms that match in it, of the learned query and of the one
written by hand; the sentences beside it, the best of its passage, the headings above and the
nearness of its passage to the examples speak too. The weights were fitted on expert annotations
over 14 provisions together (a logistic model with a bias a provision), with queries learned from
other contracts than those they are asked of: so they hold for a query that is learned tomorrow.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.library.catalogue import Catalogue
from fourcorners.outline.card import Card
from fourcorners.playbooks.playbook import CardField
from fourcorners.playbooks.windows import LONGEST, Window, choose, tiles
from fourcorners.search.query import Query
from fourcorners.search.query.match import Match, matches
from fourcorners.search.signals import apart
from fourcorners.search.units import cut, headings
from fourcorners.text.span import Span
from fourcorners.text.words import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SIGNALS = (
    "learned",  # boosts of the learned query's terms in the sentence
    "learned_beside",  # the same of the better of the two sentences beside it
    "learned_around",  # the same of the best sentence of its passage
    "query_root",  # boosts of the query by hand in the sentence, dampened
    "query_of_best",  # the same, as a share of the document's best sentence
    "query_heading",  # boosts of the query by hand in the headings above, dampened
    "meaning",  # cosine of the passage with the nearest example
    "meaning_of_best",  # how far that is below the document's best
    "fact",  # how sure the contract card is of the provision's fact in the sentence
    "opening",  # how near to the start of the document, for facts that stand there
)
WEIGHTS: Mapping[str, float] = {
    "bias": -9.0,
    "learned": 0.48,
    "learned_beside": 0.19,
    "learned_around": 0.14,
    "query_root": 0.31,
    "query_of_best": 1.4,
    "query_heading": 0.73,
    "meaning": 3.1,
    "meaning_of_best": 2.1,
    "fact": 5.0,
    "opening": 2.6,
}
"""Where there are a learned query and one by hand."""
LEARNED_ALONE: Mapping[str, float] = {
    "bias": -9.1,
    "learned": 0.59,
    "learned_beside": 0.21,
    "learned_around": 0.16,
    "meaning": 3.5,
    "meaning_of_best": 2.6,
    "fact": 5.8,
    "opening": 2.6,
}
BY_HAND_ALONE: Mapping[str, float] = {
    "bias": -9.4,
    "query_root": 1.5,
    "query_of_best": 0.8,
    "query_heading": 1.1,
    "meaning": 8.3,
    "meaning_of_best": 2.6,
    "fact": 5.5,
    "opening": 3.9,
}
_OPENING = frozenset(
    {CardField.TITLE, CardField.PARTIES, CardField.AGREEMENT_DATE, CardField.EFFECTIVE_DATE}
)
_NEAR_START = 3_000.0  # characters
SHARPNESS = 1.5
"""The power of a sentence's chance that it is worth: many faint ones outweigh no clear one."""


@dataclass(frozen=True, slots=True, eq=False)
class Contract:
    """A contract made ready for ranking.

    Attributes:
        spans: Of its sentences, in order; they are disjoint.
        of: For each sentence, the place of its passage.
        headings: For each passage, the spans of the headings it stands under.
        vectors: One unit row a passage, or None where there are none.
    """

    text: str
    card: Card
    spans: tuple[Span, ...]
    of: NDArray[np.intp]
    headings: tuple[tuple[Span, ...], ...]
    index: WordIndex
    vectors: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for: a provision as far as ranking needs it.

    Attributes:
        learned: The mined query, if there is one.
        query: The query written by hand, if there is one.
        avoid: Look-alikes of the query by hand.
        examples: Vectors of example clauses, one unit row each.
        fact: The fact of the contract card that speaks for the provision, if there is one.
    """

    learned: Query | None = None
    query: Query | None = None
    avoid: Query | None = None
    examples: NDArray[np.float32] | None = None
    fact: CardField | None = None


def read(library: Catalogue, document: str) -> Contract:
    """Prepare a document of a library."""
    import numpy as np

    passages = library.passages(document)
    order = sorted(range(len(passages)), key=lambda at: passages[at].span)
    ordered = [passages[at] for at in order]
    matrix = library.vectors(document=document).matrix
    text, outline = library.text(document), library.outline(document)
    units = cut(text, ordered)
    return Contract(
        text=text,
        card=library.card(document),
        spans=tuple(unit.span for unit in units),
        of=np.array([unit.passage for unit in units], np.intp),
        headings=tuple(headings(outline, passage) for passage in ordered),
        index=WordIndex(text),
        vectors=matrix[np.array(order, np.intp)] if len(matrix) == len(passages) > 0 else None,
    )


def signals(contract: Contract, wanted: Wanted) -> NDArray[np.float32]:
    """Return an array (sentences, `SIGNALS`); what there is no sign of is 0."""
    import numpy as np

    spans, of = contract.spans, contract.of
    count = len(spans)
    learned = np.zeros(count, np.float32)
    by_hand, heading = np.zeros(count, np.float32), np.zeros(count, np.float32)
    if wanted.learned is not None:
        learned = boosts(matches(wanted.learned, contract.index), spans)
    if wanted.query is not None:
        look_alikes = matches(wanted.avoid, contract.index) if wanted.avoid else []
        matched = apart(matches(wanted.query, contract.index), look_alikes)
        by_hand = boosts(matched, spans)
        heading = _heading(contract, matched)[of]
    around = np.zeros(len(contract.headings), np.float32)
    np.maximum.at(around, of, learned)
    padded = np.concatenate([[0.0], learned, [0.0]])
    meaning = np.zeros(len(contract.headings), np.float32)
    if contract.vectors is not None and wanted.examples is not None:
        meaning = (contract.vectors @ wanted.examples.T).max(axis=1)
    known = np.zeros(count, np.float32)
    starts = [span.start for span in spans]
    for span, confidence in _facts(contract.card, wanted.fact):
        at = bisect_right(starts, span.start) - 1
        if at >= 0 and span.start < spans[at].end:
            known[at] = confidence
    opening = np.zeros(count, np.float32)
    if wanted.fact in _OPENING:
        opening = np.exp(-np.array([span.start for span in spans], np.float32) / _NEAR_START)
    return np.stack(
        [
            learned,
            np.maximum(padded[:-2], padded[2:]),
            around[of],
            np.sqrt(by_hand),
            by_hand / max(1.0, float(by_hand.max(initial=0.0))),
            np.sqrt(heading),
            meaning[of],
            meaning[of] - float(meaning.max(initial=0.0)),
            known,
            opening,
        ],
        axis=1,
    ).astype(np.float32)


def weights_of(wanted: Wanted) -> Mapping[str, float]:
    """Return the weights for what is known of a provision."""
    if wanted.learned is None:
        return BY_HAND_ALONE
    return LEARNED_ALONE if wanted.query is None else WEIGHTS


def chances(rows: NDArray[np.float32], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Return for each row of signals how likely the sentence belongs to the provision."""
    import numpy as np

    factors = np.array([weights.get(name, 0.0) for name in SIGNALS])
    odds = rows.astype(np.float64) @ factors + weights["bias"]
    chance: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-odds))
    return chance


def passages(
    contract: Contract,
    wanted: Wanted,
    *,
    most: int = 10,
    longest: int = LONGEST,
) -> list[Window]:
    """Return the passages of a contract to read for a provision, the best first; disjoint.

    A contract that fits in them is returned whole.
    """
    return select(
        contract, chances(signals(contract, wanted), weights_of(wanted)), most=most, longest=longest
    )


def select(
    contract: Contract, chance: NDArray[np.float64], *, most: int, longest: int = LONGEST
) -> list[Window]:
    """Return at most `most` disjoint stretches whose sentences together are worth most."""
    parts, worth = worths(contract, chance, longest=longest)
    return choose(parts, worth, most=most, longest=longest)


def worths(
    contract: Contract, chance: NDArray[np.float64], *, longest: int = LONGEST
) -> tuple[list[Span], NDArray[np.float64]]:
    """Return the text cut without gaps at its sentences, and what each part is worth.

    Besides the chance of its sentence a part is worth a little for its length: where nothing else
    counts, more text is better.
    """
    import numpy as np

    parts = tiles(contract.spans, len(contract.text), longest=longest)
    starts = np.array([part.start for part in parts], np.int64)
    worth = np.array([len(part) for part in parts], np.float64) * 1e-9
    for span, each in zip(contract.spans, chance.tolist(), strict=True):
        worth[int(np.searchsorted(starts, span.start, side="right")) - 1] += each**SHARPNESS
    return parts, worth


def boosts(matched: Sequence[Match], spans: Sequence[Span]) -> NDArray[np.float32]:
    """Add up the boosts of the distinct terms that match within each of disjoint spans."""
    import numpy as np

    total = np.zeros(len(spans), np.float32)
    if not matched or not spans:
        return total
    starts = np.array([span.start for span in spans], np.int64)
    places = np.array([match.span.start for match in matched], np.int64)
    counted: set[tuple[int, str]] = set()
    for at, match in zip(
        (np.searchsorted(starts, places, "right") - 1).tolist(), matched, strict=True
    ):
        if at >= 0 and match.span.end <= spans[at].end and (at, match.label) not in counted:
            counted.add((at, match.label))
            total[at] += match.boost
    return total


def _facts(card: Card, field: CardField | None) -> list[tuple[Span, float]]:
    if field is CardField.PARTIES:
        return [(party.span, party.confidence) for party in card.parties]
    if field is None:
        return []
    fact = {
        CardField.TITLE: card.title,
        CardField.AGREEMENT_DATE: card.agreement_date,
        CardField.EFFECTIVE_DATE: card.effective_date,
        CardField.EXPIRY_DATE: card.expiry_date,
        CardField.GOVERNING_LAW: card.governing_law,
    }[field]
    return [(fact.span, fact.confidence)] if fact else []


def _heading(contract: Contract, matched: Sequence[Match]) -> NDArray[np.float32]:
    import numpy as np

    spans = sorted({heading for path in contract.headings for heading in path})
    totals = dict(zip(spans, boosts(matched, spans).tolist(), strict=True))
    return np.array([sum(totals[span] for span in path) for path in contract.headings], np.float32)
