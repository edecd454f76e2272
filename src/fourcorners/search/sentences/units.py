"""`SentenceIndex`: the sentences of a contract, prepared once to be scored for questions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from fourcorners.library.contract import Contract
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.outline.clause import MAX_LENGTH
from fourcorners.outline.passages.cut import Unit
from fourcorners.outline.tree import NodeKind, Outline, Passage
from fourcorners.search.concepts import Concept
from fourcorners.text.span import Span
from fourcorners.text.stems import stem_tokens
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PARTIAL = frozenset({NodeKind.ITEM, NodeKind.PARAGRAPH})


_exclusion_start = attrgetter("span.start")


@dataclass(frozen=True, slots=True, eq=False)
class SentenceIndex:
    """The sentences of a contract with everything that scoring them needs.

    Attributes:
        passages: In order of position; they are disjoint.
        vectors: One row for each passage (unit length), or None where the library has none.
        headings: For each passage, the spans of the headings above it.
        text: With white space for what is no evidence.
        clause_of: For each passage a number that the passages of one clause share.
        exclusions_before: For each unit, how many places that are no evidence precede it.
        passage_of: For each unit, the place of its passage.
        unit_at: For each word of the index, the unit that holds it, or the number of units.
        passage_at: The same for passages.
        heading_at: The same for the distinct headings, in order.
        under: Which of the distinct headings each way through the outline passes: a row of 0 and 1
            for each way, a column for each heading.
        way_of: For each passage, the row of its way.
    """

    document: str
    name: str
    text: str
    outline: Outline
    passages: tuple[Passage, ...]
    vectors: NDArray[np.float32] | None
    units: tuple[Unit, ...]
    index: WordIndex
    headings: tuple[tuple[Span, ...], ...]
    clause_of: NDArray[np.intp]
    exclusions_before: tuple[int, ...]
    passage_of: NDArray[np.intp]
    unit_at: NDArray[np.intp]
    passage_at: NDArray[np.intp]
    heading_at: NDArray[np.intp]
    under: NDArray[np.float32]
    way_of: NDArray[np.intp]
    lengths: NDArray[np.float32]
    forms: dict[str, list[str]]
    cache: dict[Hashable, NDArray[np.float32]] = field(default_factory=dict)

    def places(self, stem: str) -> NDArray[np.intp]:
        """Return the positions of all words with a stem, in no order."""
        import numpy as np

        found = [self.index.positions(token) for token in self.forms.get(stem, ())]
        return np.array([at for positions in found for at in positions], np.intp)


def sentence_index(contract: Contract) -> SentenceIndex:
    """Return the index of a contract's sentences, prepared once."""
    return contract.compute("sentence index", lambda: _index_sentences(contract))


def _index_sentences(contract: Contract) -> SentenceIndex:
    import numpy as np

    passages, units, index = contract.passages, contract.sentences, contract.index
    tokens = index.vocabulary
    forms: dict[str, list[str]] = {}
    for token, stem in zip(tokens, stem_tokens(tokens), strict=True):
        forms.setdefault(stem, []).append(token)
    spans, under, way_of = _ways(contract.headings)
    return SentenceIndex(
        document=contract.id,
        name=contract.name,
        text=contract.text,
        outline=contract.outline,
        passages=passages,
        vectors=contract.vectors,
        units=units,
        index=index,
        headings=contract.headings,
        clause_of=np.array(_clauses(contract.outline, passages), np.intp),
        exclusions_before=tuple(
            bisect_right(contract.concordance.exclusions, unit.span.start, key=_exclusion_start)
            for unit in units
        ),
        passage_of=np.array([unit.passage for unit in units], np.intp),
        unit_at=_holding(index, [unit.span for unit in units]),
        passage_at=_holding(index, [passage.span for passage in passages]),
        heading_at=_holding(index, spans),
        under=under,
        way_of=way_of,
        lengths=np.array([len(unit.span) for unit in units], np.float32),
        forms=forms,
    )


def _clauses(outline: Outline, passages: Sequence[Passage]) -> list[int]:
    """Number the clauses: items and paragraphs belong to the section above, if it is not long."""
    top: dict[int, int] = {}
    numbers: list[int] = []
    for place, passage in enumerate(passages):
        if passage.node is None:
            numbers.append(-1 - place)
            continue
        if passage.node not in top:
            node = outline.nodes[passage.node]
            while node.kind in _PARTIAL and node.parent is not None:
                above = outline.nodes[node.parent]
                if len(above.span) > MAX_LENGTH:
                    break
                node = above
            top[passage.node] = node.id
        numbers.append(top[passage.node])
    return numbers


def _ways(
    above: Sequence[tuple[Span, ...]],
) -> tuple[list[Span], NDArray[np.float32], NDArray[np.intp]]:
    """Return the distinct headings, which of them each distinct way passes, and each one's way."""
    import numpy as np

    spans = sorted({heading for way in above for heading in way})
    place = {span: at for at, span in enumerate(spans)}
    ways = list(dict.fromkeys(above))
    number = {way: at for at, way in enumerate(ways)}
    under = np.zeros((len(ways), len(spans)), np.float32)
    for at, way in enumerate(ways):
        under[at, [place[heading] for heading in way]] = 1
    return spans, under, np.array([number[way] for way in above], np.intp)


def _holding(index: WordIndex, spans: Sequence[Span]) -> NDArray[np.intp]:
    """Return for each word the place of the span that holds it, or the number of spans."""
    import numpy as np

    starts = np.array([span.start for span in spans], np.int64)
    ends = np.array([span.end for span in spans], np.int64)
    first = np.array(index.words.starts, np.int64)
    if not len(spans):
        return np.zeros(len(first), np.intp)
    at = np.searchsorted(starts, first, side="right") - 1
    held = (at >= 0) & (np.array(index.words.ends, np.int64) <= ends[np.maximum(at, 0)])
    return np.where(held, at, len(spans)).astype(np.intp)


class ExampleVectors:
    """The vectors of concepts' examples, by encoder."""

    def __init__(self) -> None:
        self._examples: dict[tuple[str, tuple[str, ...]], NDArray[np.float32]] = {}
        self._ready: WeakKeyDictionary[Concept, tuple[str, Concept]] = WeakKeyDictionary()

    def add_to(self, concept: Concept, encoder: Encoder) -> Concept:
        """Return a concept with the vectors of its examples."""
        if concept.examples is not None or not concept.clauses:
            return concept
        ready = self._ready.get(concept)
        if ready is None or ready[0] != encoder.name:
            key = (encoder.name, concept.clauses)
            if key not in self._examples:
                self._examples[key] = encoder.encode(concept.clauses)
            ready = encoder.name, replace(concept, examples=self._examples[key])
            self._ready[concept] = ready
        return ready[1]
