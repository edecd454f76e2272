"""A document prepared for review: sentences, words and vectors, computed once for all cells."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.documents.document import Document
from fourcorners.outline.card.card import Card
from fourcorners.outline.clause import enclosing_clause
from fourcorners.outline.exclusions import (
    Exclusion,
    ExclusionKind,
    blank_text,
    document_exclusions,
    longest_shown,
    shown_parts,
)
from fourcorners.outline.passages.concordance import Concordance
from fourcorners.outline.passages.cut import Unit
from fourcorners.outline.tree import Outline, Passage
from fourcorners.review.finding import Evidence
from fourcorners.review.parties import UNKNOWN_SIDE, Side
from fourcorners.search.sentences.units import passage_headings
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with everything that scoring a provision in it needs.

    Attributes:
        document: The document, with white space in place of excluded text.
        source: The document as it was read.
        passages: The passages in order of position; they are disjoint.
        vectors: One row for each passage (unit length), or None where the library has none.
        headings: For each passage, the spans of the headings above it.
        side: Whom it is read for.
        exclusions: The parts of the text that are not evidence, in order and disjoint.
    """

    document: Document
    source: Document
    outline: Outline
    card: Card
    passages: tuple[Passage, ...]
    vectors: NDArray[np.float32] | None
    segments: tuple[Unit, ...]
    index: WordIndex
    headings: tuple[tuple[Span, ...], ...]
    side: Side = UNKNOWN_SIDE
    exclusions: tuple[Exclusion, ...] = ()

    @property
    def unseen(self) -> list[Span]:
        """Return the exclusions except tables of contents, for naming places."""
        return [each.span for each in self.exclusions if each.kind is not ExclusionKind.CONTENTS]

    def segment_at(self, offset: int) -> int | None:
        """Return the position of the segment that covers the character at `offset`."""
        at = bisect_right(self.segments, offset, key=lambda segment: segment.span.start) - 1
        return at if at >= 0 and offset < self.segments[at].span.end else None

    def quote(self, span: Span) -> Quote:
        """Return the words at a span, verified: the longest part without exclusions."""
        shown = longest_shown(span, self.exclusions, self.source.text)
        quote = evidence.quote_span(self.source.text, shown)
        evidence.verify_quote(quote, self.source.text)
        return quote

    def evidence_within(
        self, span: Span, score: float, quote: Quote | None = None
    ) -> list[Evidence]:
        """Return the words at a span as evidence, verified: each part without exclusions."""
        parts = shown_parts(span, self.exclusions, self.source.text)
        if parts == [span]:
            return [self.evidence_at(span, score, quote)]
        return [self.evidence_at(part, score) for part in parts]

    def evidence_at(self, span: Span, score: float, quote: Quote | None = None) -> Evidence:
        """Return the words at a span as evidence, verified; `quote` is a part of them, if given."""
        document, outline, text = self.source, self.outline, self.source.text
        quote = quote or evidence.quote_span(text, span)
        evidence.verify_quote(quote, text)
        node = outline.node_at(span.start)
        first = document.page_of(span.start)
        last = document.page_of(max(span.start, span.end - 1))
        sure = document.confidence(span)
        return Evidence(
            quote=quote,
            clause=enclosing_clause(outline, text, span),
            path=outline.path(node, text) if node else (),
            pages=None if first is None or last is None else (first, last),
            score=round(score, 4),
            ocr=None if sure is None else round(sure, 4),
        )


def prepare_document(
    document: Document,
    outline: Outline,
    card: Card,
    passages: list[Passage],
    vectors: NDArray[np.float32] | None,
    side: Side = UNKNOWN_SIDE,
    concordance: Concordance | None = None,
) -> PreparedDocument:
    """Prepare a document for review; compute its words and sentences if they are not given."""
    ordered = sorted(passages, key=lambda passage: passage.span)
    if concordance is None:
        exclusions = document_exclusions(document, outline)
        concordance = Concordance.build(document.text, ordered, exclusions)
    return PreparedDocument(
        document=replace(document, text=blank_text(document.text, concordance.exclusions)),
        source=document,
        outline=outline,
        card=card,
        passages=tuple(ordered),
        vectors=vectors,
        segments=concordance.units,
        index=concordance.index,
        exclusions=concordance.exclusions,
        headings=tuple(passage_headings(outline, passage) for passage in ordered),
        side=side,
    )
