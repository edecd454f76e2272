"""A document made ready for review: sentences, words and vectors, prepared once for all cells."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.documents.document import Document
from fourcorners.outline.card import Card
from fourcorners.outline.tree import Outline, Passage
from fourcorners.text.sentences import sentences
from fourcorners.text.span import Span
from fourcorners.text.words import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FEWEST_WORDS = 4  # of a sentence: what has fewer is a heading, a label or a signature


@dataclass(frozen=True, slots=True)
class Segment:
    """What may be quoted: a sentence, cut where a passage ends. `passage` is its ordinal."""

    span: Span
    passage: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A document with everything that scoring a provision in it needs.

    Attributes:
        passages: The passages in order of position; they are disjoint.
        vectors: One row for each passage (unit length), or None where the library has none.
        headings: For each passage, the spans of the headings it stands under.
    """

    document: Document
    outline: Outline
    card: Card
    passages: tuple[Passage, ...]
    vectors: NDArray[np.float32] | None
    segments: tuple[Segment, ...]
    index: WordIndex
    headings: tuple[tuple[Span, ...], ...]

    def segment_at(self, offset: int) -> int | None:
        """Return the position of the segment that covers the character at `offset`."""
        starts = [segment.span.start for segment in self.segments]
        at = bisect_right(starts, offset) - 1
        return at if at >= 0 and offset < self.segments[at].span.end else None


def read(
    document: Document,
    outline: Outline,
    card: Card,
    passages: list[Passage],
    vectors: NDArray[np.float32] | None,
) -> Reading:
    """Prepare a document for review."""
    ordered = sorted(passages, key=lambda passage: passage.span)
    segments = [
        Segment(span, ordinal)
        for ordinal, passage in enumerate(ordered)
        for span in sentences(document.text, passage.span)
        if len(span.of(document.text).split()) >= FEWEST_WORDS
    ]
    return Reading(
        document=document,
        outline=outline,
        card=card,
        passages=tuple(ordered),
        vectors=vectors,
        segments=tuple(segments),
        index=WordIndex(document.text),
        headings=tuple(_headings(outline, passage) for passage in ordered),
    )


def _headings(outline: Outline, passage: Passage) -> tuple[Span, ...]:
    if passage.node is None:
        return ()
    node = outline.nodes[passage.node]
    path = [*outline.ancestors(node), node]
    return tuple(step.heading for step in path if step.heading)
