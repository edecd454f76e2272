"""`Hit`: a passage found, disjoint from others, with its place, matches and score components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fourcorners.documents.document import Page, PageLabel, page_at
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.memory import VersionedCache
from fourcorners.library.tables.stored_json import PAGES, StoredNodes
from fourcorners.outline.tree import node_path
from fourcorners.text.span import Span, merge_spans

MAX_LENGTH = 4_000
"""Maximum characters of merged overlapping passages; beyond it, the worse one is cut."""
MAX_SNIPPET = 240
"""Maximum characters of a snippet."""
MAX_WORD = 40  # characters by which a cut may move to a space
SIGNAL_PREFIX = "signal "
"""The prefix of score components of a hit that answers a question."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found.

    Attributes:
        ordinal: The index of the passage in its document; that of the best one if merged.
        span: Its place: `document.text[span] == words`.
        path: Label and heading of each node of the outline from the top down to the passage.
        scores: The parts of the score: `score`, on which hits are ranked; `lexical` with
            `lexical_rank`, and `term LABEL` for each leaf of the query (boost × BM25), which sum to
            it; `cosine` with `dense_rank`. Components that did not count are left out. For a hit
            that answers a question, `score` is the probability that it answers, and `signal NAME`
            what each signal adds to its log-odds.
        matched: The exact places of the words that matched, disjoint and in order.
        snippet: The part of the span to show if there is little room.
    """

    document: str
    name: str
    ordinal: int
    span: Span
    words: str
    page: PageLabel | None
    path: tuple[str, ...]
    scores: Mapping[str, float]
    matched: tuple[Span, ...]
    snippet: Span

    @property
    def score(self) -> float:
        return self.scores["score"]


@dataclass(frozen=True, slots=True)
class ScorePart:
    name: str
    value: float
    description: str


_SAYS = {
    "score": "on which hits are ranked: each rank counts its weight / (60 + rank)",
    "lexical": "the sum of the terms",
    "lexical_rank": "by `lexical`, among the passages that match",
    "cosine": "how near the passage's meaning is to the question's, at most 1",
    "dense_rank": "by `cosine`",
}


def explain_score(hit: Hit) -> list[ScorePart]:
    says, others = _SAYS, "boost × BM25 of this term"
    if any(name.startswith(SIGNAL_PREFIX) for name in hit.scores):
        says, others = {"score": "how likely it answers"}, "what it adds to the log-odds"
    return [ScorePart(name, value, says.get(name, others)) for name, value in hit.scores.items()]


def snippet_span(text: str, span: Span, matched: Sequence[Span]) -> Span:
    """Return at most `MAX_SNIPPET` characters of the span, where most matches are: whole words."""
    if len(span) <= MAX_SNIPPET:
        return span
    start = span.start
    if matched:
        first = max(matched, key=lambda one: (_followers(one, matched), -one.start))
        lead = MAX_SNIPPET // 4 if len(first) < MAX_SNIPPET // 2 else 0
        start = max(span.start, min(first.start - lead, span.end - MAX_SNIPPET))
    return _whole_words(text, Span(start, min(span.end, start + MAX_SNIPPET)), span)


def _followers(first: Span, matched: Sequence[Span]) -> int:
    end = first.start + MAX_SNIPPET * 3 // 4
    return sum(first.start <= one.start and one.end <= end for one in matched)


def _whole_words(text: str, window: Span, span: Span) -> Span:
    """Shrink a window by the words that it cuts, if they are of normal length."""
    start, end = window.start, window.end
    if start > span.start and not text[start - 1].isspace():
        start = next((at for at in range(start, start + MAX_WORD) if text[at].isspace()), start)
    if end < span.end and not text[end].isspace():
        end = next((at for at in range(end, end - MAX_WORD, -1) if text[at].isspace()), end)
    return Span(start, end).strip(text)


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage found: its place, the exact matches, and its row if found by the index."""

    document: str
    ordinal: int
    node: int | None
    span: Span
    matched: tuple[Span, ...]
    row: int = 0


def add_disjoint(placed: list[FoundPassage], found: FoundPassage, text: str) -> None:
    """Add a passage to better ones, disjoint from them.

    It is merged with the best one of its document that it overlaps; if the whole would be too long,
    or touch a third, it is cut to the longer part outside. A passage inside a better one only adds
    its matches.
    """
    for at, better in enumerate(placed):
        if better.document != found.document or not better.span.overlaps(found.span):
            continue
        whole = Span(min(better.span.start, found.span.start), max(better.span.end, found.span.end))
        others = placed[:at] + placed[at + 1 :]
        touches = any(one.document == found.document and one.span.overlaps(whole) for one in others)
        if whole == better.span or (len(whole) <= MAX_LENGTH and not touches):
            matched = tuple(merge_spans((*better.matched, *found.matched)))
            placed[at] = replace(better, span=whole, matched=matched)
            return
        left = Span(found.span.start, max(found.span.start, better.span.start))
        right = Span(min(found.span.end, better.span.end), found.span.end)
        rest = max(left, right, key=len).strip(text)
        matched = tuple(one for one in found.matched if rest.contains(one))
        found = replace(found, span=rest, matched=matched)
        if not rest:
            return
    placed.append(found)


@dataclass(frozen=True, slots=True)
class DocumentPlaces:
    name: str
    pages: tuple[Page, ...]
    nodes: StoredNodes

    @classmethod
    def load(cls, library: Catalogue, document: str) -> DocumentPlaces:
        known: VersionedCache[DocumentPlaces] = library.memory.cache("places")
        with library.decoding(document, "pages or outline"):
            return known.get(
                library.content_version, document, lambda: cls._read(library, document)
            )

    @classmethod
    def _read(cls, library: Catalogue, document: str) -> DocumentPlaces:
        name, pages, outline = library.stored_place(document)
        return cls(name, PAGES.load(pages), StoredNodes(outline))

    def page_of(self, offset: int) -> PageLabel | None:
        """Return the page of a character as it is cited; None without pages."""
        page = page_at(self.pages, offset)
        return None if page is None else page.cited

    def path_of(self, node: int | None, text: str) -> tuple[str, ...]:
        if node is None:
            return ()
        return node_path(self.nodes.ancestors(node), text)

    def hit(
        self,
        found: FoundPassage,
        text: str,
        scores: Mapping[str, float],
    ) -> Hit:
        return Hit(
            document=found.document,
            name=self.name,
            ordinal=found.ordinal,
            span=found.span,
            words=found.span.text_in(text),
            page=self.page_of(found.span.start),
            path=self.path_of(found.node, text),
            scores=scores,
            matched=found.matched,
            snippet=snippet_span(text, found.span, found.matched),
        )
