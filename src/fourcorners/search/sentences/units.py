"""A document made ready to answer: sentences, words, headings and vectors, prepared once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.memory import MAX_DOCUMENTS, VersionedCache
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.outline.clause import MAX_LENGTH
from fourcorners.outline.passages.concordance import Concordance
from fourcorners.outline.passages.cut import Unit
from fourcorners.outline.tree import NodeKind, Outline, Passage
from fourcorners.search.concepts import Concept
from fourcorners.search.stems import stem_tokens
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PARTIAL = frozenset({NodeKind.ITEM, NodeKind.PARAGRAPH})


_exclusion_start = attrgetter("span.start")


def passage_headings(outline: Outline, passage: Passage) -> tuple[Span, ...]:
    """Return the spans of the headings that a passage stands under, the outermost first."""
    if passage.node is None:
        return ()
    node = outline.nodes[passage.node]
    path = [*outline.ancestors(node), node]
    return tuple(step.heading for step in path if step.heading)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedDocument:
    """A document with everything that scoring its sentences needs.

    Attributes:
        passages: In order of position; they are disjoint.
        vectors: One row for each passage (unit length), or None where the library has none.
        headings: For each passage, the spans of the headings it stands under.
        text: With white space for what is no evidence.
        clause_of: For each passage a number that the passages of one clause share.
        exclusions_before: For each unit, how many places that are no evidence stand before it.
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


def prepare_document(
    document: str,
    name: str,
    text: str,
    outline: Outline,
    passages: Iterable[Passage],
    vectors: NDArray[np.float32] | None,
    concordance: Concordance,
) -> PreparedDocument:
    """Prepare a document; `vectors` are in the order of `passages`, which must be in position."""
    import numpy as np

    ordered = tuple(passages)
    units, index = concordance.units, concordance.index
    tokens = index.vocabulary
    forms: dict[str, list[str]] = {}
    for token, stem in zip(tokens, stem_tokens(tokens), strict=True):
        forms.setdefault(stem, []).append(token)
    above = tuple(passage_headings(outline, passage) for passage in ordered)
    spans, under, way_of = _ways(above)
    return PreparedDocument(
        document=document,
        name=name,
        text=text,
        outline=outline,
        passages=ordered,
        vectors=vectors,
        units=units,
        index=index,
        headings=above,
        clause_of=np.array(_clauses(outline, ordered), np.intp),
        exclusions_before=tuple(
            bisect_right(concordance.exclusions, unit.span.start, key=_exclusion_start)
            for unit in units
        ),
        passage_of=np.array([unit.passage for unit in units], np.intp),
        unit_at=_holding(index, [unit.span for unit in units]),
        passage_at=_holding(index, [passage.span for passage in ordered]),
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


class DocumentCache:
    """The documents of one library that were asked last, prepared."""

    def __init__(self, size: int = MAX_DOCUMENTS) -> None:
        self._units: VersionedCache[PreparedDocument] = VersionedCache(size)
        self._examples: dict[tuple[str, tuple[str, ...]], NDArray[np.float32]] = {}
        self._ready: WeakKeyDictionary[Concept, tuple[str, Concept]] = WeakKeyDictionary()

    def get(self, library: Catalogue, document: str) -> PreparedDocument:
        # Documents that come and go beside this one leave it as it is.
        key = document, library.state_of(document)
        return self._units.get("", key, lambda: _read(library, document))

    def with_examples(self, concept: Concept, encoder: Encoder) -> Concept:
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


def document_cache(library: Catalogue) -> DocumentCache:
    return library.memory.get_or_make("documents", lambda: DocumentCache(library.memory.documents))


def _read(library: Catalogue, document: str) -> PreparedDocument:
    import numpy as np

    passages = library.passages(document)
    order = sorted(range(len(passages)), key=lambda at: passages[at].span)
    vectors = library.vectors(document=document).matrix
    name = library.execute("SELECT name FROM documents WHERE id = ?", (document,))[0][0]
    return prepare_document(
        document,
        str(name),
        library.evidence_text(document),
        library.outline(document),
        [passages[at] for at in order],
        vectors[np.array(order, np.intp)] if len(vectors) == len(passages) > 0 else None,
        library.concordance(document),
    )
