"""`Hit`: a passage found, with its place, its matches and the parts of its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fourcorners.text.span import Span

MAX_SNIPPET = 240
"""Characters of a snippet, at most."""
MAX_WORD = 40  # characters by which a cut moves to a space
SIGNAL_PREFIX = "signal "
"""What the names of the parts begin with where a hit answers a question."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found.

    Attributes:
        ordinal: The position of the passage among its document's; of the best one if merged.
        span: Where it stands: `document.text[span] == words`.
        path: Label and heading of each node of the outline from the top down to the passage.
        scores: The parts of the score: `score`, on which hits are ranked; `lexical` with
            `lexical_rank`, and `term LABEL` for each leaf of the query (boost × BM25), which sum to
            it; `cosine` with `dense_rank`. What did not count is left out. For a hit that answers
            a question, `score` is how likely it answers, and `signal NAME` what each signal adds
            to its log-odds.
        matched: The exact places of the words that matched, disjoint and in order.
        snippet: The part of the span to show where there is little room.
    """

    document: str
    name: str
    ordinal: int
    span: Span
    words: str
    page: int | None
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
    answers = any(name.startswith(SIGNAL_PREFIX) for name in hit.scores)
    return [
        ScorePart(name, value, _says(name, answers=answers)) for name, value in hit.scores.items()
    ]


def _says(name: str, *, answers: bool) -> str:
    if answers:
        return (
            "what it adds to the log-odds"
            if name.startswith(SIGNAL_PREFIX)
            else "how likely it answers"
        )
    return _SAYS.get(name, "boost × BM25 of this term")


def snippet_span(text: str, span: Span, matched: Sequence[Span]) -> Span:
    """Return at most `SNIPPET` characters of the span, where most matches are, in whole words."""
    if len(span) <= MAX_SNIPPET:
        return span
    start = span.start
    if matched:
        first = max(matched, key=lambda one: (_followers(one, matched), -one.start))
        lead = MAX_SNIPPET // 4 if len(first) < MAX_SNIPPET // 2 else 0
        start = max(span.start, min(first.start - lead, span.end - MAX_SNIPPET))
    return _whole_words(text, Span(start, min(span.end, start + MAX_SNIPPET)), span)


def _followers(first: Span, matched: Sequence[Span]) -> int:
    """Count the matches that fit into a snippet beginning shortly before `first`."""
    end = first.start + MAX_SNIPPET * 3 // 4
    return sum(first.start <= one.start and one.end <= end for one in matched)


def _whole_words(text: str, window: Span, span: Span) -> Span:
    """Shrink a window by the words that it cuts, if they are no longer than words are."""
    start, end = window.start, window.end
    if start > span.start and not text[start - 1].isspace():
        start = next((at for at in range(start, start + MAX_WORD) if text[at].isspace()), start)
    if end < span.end and not text[end].isspace():
        end = next((at for at in range(end, end - MAX_WORD, -1) if text[at].isspace()), end)
    return Span(start, end).strip(text)
