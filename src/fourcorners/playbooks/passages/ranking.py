"""Rank the sentences of a contract for a provision, and choose the passages to read.

A sentence collects the boosts of its matching terms, from the learned and the handwritten query;
adjacent sentences, the best of its passage, the headings above, the similarity of its passage to
the examples and a clause reader's score count too. The weights (`passage_weights.json`, by
`training.passages.train`) were fitted on expert annotations over 14 provisions together, with
queries learned from other contracts than those they are asked of: so they hold for a query that is
learned tomorrow.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict

from fourcorners.library.contract import Contract
from fourcorners.outline.card.card import Card
from fourcorners.playbooks.playbook import CardField, card_facts
from fourcorners.search.query import Query
from fourcorners.search.query.match import QueryMatch, find_matches
from fourcorners.search.sentences.signals import remove_lookalikes
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """The log-odds that a passage is of a kind: `bias` + its unit vector times `vector`."""

    vector: NDArray[np.float32]
    bias: float

    def log_odds(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = vectors @ self.vector + self.bias
        return found


MAX_LENGTH = 3_500
"""Characters of a window, at most: the chunk that the law firm found best."""


def tile_spans(spans: Sequence[Span], length: int, *, longest: int = MAX_LENGTH) -> list[Span]:
    """Extend ordered, disjoint spans so that they cover a text of `length` without gaps.

    A tile that is longer than `longest` is cut.
    """
    starts = [0, *(span.start for span in spans[1:]), length]
    whole = [Span(start, end) for start, end in itertools.pairwise(starts) if start < end]
    return [
        Span(start, min(start + longest, tile.end))
        for tile in whole
        for start in range(tile.start, tile.end, longest)
    ]


SIGNALS = (
    "learned",  # boosts of the learned query's terms in the sentence
    "learned_beside",  # the same of the better of the two adjacent sentences
    "learned_around",  # the same of the best sentence of its passage
    "query_root",  # boosts of the query by hand in the sentence, dampened
    "query_of_best",  # the same, as a share of the document's best sentence
    "query_heading",  # boosts of the query by hand in the headings above, dampened
    "meaning",  # cosine of the passage with the nearest example
    "meaning_of_best",  # how far that is below the document's best
    "direction",  # log-odds by the learned direction of meaning that the passage is of the kind
    "reader",  # log-odds by the words, as a clause reader was taught
    "fact",  # how sure the contract card is of the provision's fact in the sentence
    "opening",  # how near to the start of the document, for facts that are there
)
GROUPS: Mapping[str, tuple[str, ...]] = {
    "learned": ("learned", "learned_beside", "learned_around"),
    "query": ("query_root", "query_of_best", "query_heading"),
    "meaning": ("meaning", "meaning_of_best"),
    "direction": ("direction",),
    "reader": ("reader",),
}
"""The signals that are there or missing together; the other ones are always there."""
ALWAYS = ("fact", "opening")
FILE = Path(__file__).with_name("passage_weights.json")
Weighing: TypeAlias = Mapping[str, float]
"""The weight of each signal, and the bias."""
Weighings: TypeAlias = Mapping[str, Weighing]
"""By what is known: the names of the groups, joined by +."""
_OPENING = frozenset(
    {CardField.TITLE, CardField.PARTIES, CardField.AGREEMENT_DATE, CardField.EFFECTIVE_DATE}
)
_NEAR_START = 3_000.0  # characters
SHARPNESS = 2.0
"""The power of a sentence's chance that it is worth: many faint ones outweigh no clear one."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedContract:
    """A contract prepared for ranking.

    Attributes:
        spans: Of its sentences, in order; they are disjoint.
        principal_of: For each sentence, the place of its passage.
        headings: For each passage, the spans of the headings above it.
        vectors: One unit row a passage, or None where there are none.
        reader_scores: Log-odds (sentences, kinds) of a clause reader by its words, or None.
    """

    text: str
    card: Card
    spans: tuple[Span, ...]
    principal_of: NDArray[np.intp]
    headings: tuple[tuple[Span, ...], ...]
    index: WordIndex
    vectors: NDArray[np.float32] | None
    reader_scores: NDArray[np.float32] | None = None

    @classmethod
    def build(cls, contract: Contract) -> RankedContract:
        import numpy as np

        return cls(
            text=contract.text,
            card=contract.card,
            spans=tuple(each.span for each in contract.sentences),
            principal_of=np.array([each.passage for each in contract.sentences], np.intp),
            headings=contract.headings,
            index=contract.index,
            vectors=contract.vectors,
        )


@dataclass(frozen=True, slots=True)
class RankingTarget:
    """What ranking needs of a provision.

    Attributes:
        examples: Vectors of example clauses, one unit row each.
        kind: The column of the provision in the clause reader's scores, if it knows it.
    """

    learned: Query | None = None
    query: Query | None = None
    avoid: Query | None = None
    examples: NDArray[np.float32] | None = None
    direction: Direction | None = None
    kind: int | None = None
    fact: CardField | None = None


def ranking_signals(contract: RankedContract, wanted: RankingTarget) -> NDArray[np.float32]:
    """Return an array (sentences, `SIGNALS`); what there is no sign of is 0."""
    import numpy as np

    spans, of = contract.spans, contract.principal_of
    count = len(spans)
    learned = np.zeros(count, np.float32)
    by_hand, heading = np.zeros(count, np.float32), np.zeros(count, np.float32)
    if wanted.learned is not None:
        learned = match_boosts(find_matches(wanted.learned, contract.index), spans)
    if wanted.query is not None:
        look_alikes = find_matches(wanted.avoid, contract.index) if wanted.avoid else []
        matched = remove_lookalikes(find_matches(wanted.query, contract.index), look_alikes)
        by_hand = match_boosts(matched, spans)
        heading = heading_boosts(contract.headings, matched)[of]
    around = np.zeros(len(contract.headings), np.float32)
    np.maximum.at(around, of, learned)
    padded = np.concatenate([[0.0], learned, [0.0]])
    meaning = np.zeros(len(contract.headings), np.float32)
    if contract.vectors is not None and wanted.examples is not None:
        meaning = (contract.vectors @ wanted.examples.T).max(axis=1)
    way = np.zeros(len(contract.headings), np.float32)
    if contract.vectors is not None and wanted.direction is not None:
        way = wanted.direction.log_odds(contract.vectors)
    reader_column = np.zeros(count, np.float32)
    if contract.reader_scores is not None and wanted.kind is not None:
        reader_column = contract.reader_scores[:, wanted.kind]
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
            way[of],
            reader_column,
            *_place_signals(contract, wanted.fact),
        ],
        axis=1,
    ).astype(np.float32)


def _place_signals(contract: RankedContract, fact: CardField | None) -> list[NDArray[np.float32]]:
    import numpy as np

    spans = contract.spans
    known = np.zeros(len(spans), np.float32)
    starts = [span.start for span in spans]
    for span, confidence in card_facts(contract.card, fact):
        at = bisect_right(starts, span.start) - 1
        if at >= 0 and span.start < spans[at].end:
            known[at] = confidence
    opening = np.zeros(len(spans), np.float32)
    if fact in _OPENING:
        opening = np.exp(-np.array(starts, np.float32) / _NEAR_START)
    return [known, opening]


class _WeighingFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    bias: float
    weights: dict[str, float]


class _WeightsFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    provenance: dict[str, str | int | float]
    weighings: dict[str, _WeighingFile]


@cache
def default_weights() -> Weighings:
    """Return the weights that come with the package; their file says how they were fitted."""
    content = _WeightsFile.model_validate_json(FILE.read_text(encoding="utf-8"))
    return {known: {"bias": each.bias, **each.weights} for known, each in content.weighings.items()}


def weights_key(contract: RankedContract, wanted: RankingTarget) -> str:
    with_vectors = contract.vectors is not None
    held = {
        "learned": wanted.learned is not None,
        "query": wanted.query is not None,
        "meaning": with_vectors and wanted.examples is not None,
        "direction": with_vectors and wanted.direction is not None,
        "reader": contract.reader_scores is not None and wanted.kind is not None,
    }
    return "+".join(group for group in GROUPS if held[group])


def score_sentences(rows: NDArray[np.float32], weights: Weighing) -> NDArray[np.float64]:
    import numpy as np

    factors = np.array([weights.get(name, 0.0) for name in SIGNALS], np.float64)
    odds = rows.astype(np.float64) @ factors + weights["bias"]
    chance: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-odds))
    return chance


def sentence_weights(
    contract: RankedContract,
    chance: NDArray[np.float64],
    *,
    longest: int = MAX_LENGTH,
    parts: Sequence[Span] | None = None,
) -> tuple[Sequence[Span], NDArray[np.float64]]:
    """Return the text split without gaps at its sentences, and the value of each part.

    In addition to the probability of its sentence, a part has a small value for its length: other
    things being equal, more text is better. `parts` are the tiles of the contract, if they are
    known already.
    """
    import numpy as np

    if parts is None:
        parts = tile_spans(contract.spans, len(contract.text), longest=longest)
    starts = np.array([part.start for part in parts], np.int64)
    worth = np.array([part.end - part.start for part in parts], np.float64) * 1e-9
    places = np.array([span.start for span in contract.spans], np.int64)
    np.add.at(worth, np.searchsorted(starts, places, side="right") - 1, chance**SHARPNESS)
    return parts, worth


def match_boosts(matched: Sequence[QueryMatch], spans: Sequence[Span]) -> NDArray[np.float32]:
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


def heading_boosts(
    headings: Sequence[Sequence[Span]], matched: Sequence[QueryMatch]
) -> NDArray[np.float32]:
    """Add up, for each passage, the boosts that match in the headings above it."""
    import numpy as np

    spans = sorted({heading for path in headings for heading in path})
    totals = dict(zip(spans, match_boosts(matched, spans).tolist(), strict=True))
    return np.array([sum(totals[span] for span in path) for path in headings], np.float32)
