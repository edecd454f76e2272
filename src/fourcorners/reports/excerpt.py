"""A clause as a report shows it: its words with the quotes marked, and the words around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from fourcorners.text.span import Span, merge_spans

CONTEXT_LENGTH: Final = 400  # characters before and after a quote
# A clause by the outline is rarely longer; where it is (a whole schedule), the quotes are shown
# with this many characters on each side, and what is left out is counted.
MAX_LENGTH: Final = 9_000
_MAX_CLAUSE: Final = 1_500  # characters of the clause around a quote


@dataclass(frozen=True, slots=True)
class Run:
    """Words of a clause that the same provisions quote.

    Attributes:
        quoted: The columns, by position, whose quotes cover the run; empty for plain words.
        left_out: Instead of words: how many characters of the clause are not shown here.
    """

    words: str
    quoted: tuple[int, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A clause in runs, with up to `_MAX_CLAUSE` characters before and after it."""

    span: Span
    before: str
    runs: tuple[Run, ...]
    after: str


def cut_excerpt(text: str, clause: Span, quotes: Mapping[int, Sequence[Span]]) -> Excerpt:
    """Cut a clause into runs by the quotes, given by column.

    The words of the runs, one after another, are the clause, unless some runs are left out.
    """
    clause = _extend_to_quotes(clause, quotes)
    inside = {
        column: [both for span in spans if (both := span.intersection(clause))]
        for column, spans in quotes.items()
    }
    edges = {clause.start, clause.end}
    edges.update(edge for spans in inside.values() for s in spans for edge in (s.start, s.end))
    shown = _shown_spans(clause, [span for spans in inside.values() for span in spans])
    edges.update(edge for span in shown for edge in (span.start, span.end))
    ordered = sorted(edges)
    runs = []
    for start, end in pairwise(ordered):
        piece = Span(start, end)
        if any(span.contains(piece) for span in shown):
            columns = tuple(
                sorted(
                    column
                    for column, spans in inside.items()
                    if any(span.contains(piece) for span in spans)
                )
            )
            runs.append(Run(piece.text_in(text), columns))
        else:
            runs.append(Run("", left_out=len(piece)))
    return Excerpt(clause, _before(text, clause.start), tuple(runs), _text_after(text, clause.end))


def _extend_to_quotes(clause: Span, quotes: Mapping[int, Sequence[Span]]) -> Span:
    """Return the clause with the quotes that stick out of it."""
    touching = [s for spans in quotes.values() for s in spans if s.overlaps(clause)]
    return Span(
        min([clause.start, *(s.start for s in touching)]),
        max([clause.end, *(s.end for s in touching)]),
    )


def _shown_spans(clause: Span, quotes: Sequence[Span]) -> list[Span]:
    if len(clause) <= MAX_LENGTH:
        return [clause]
    near = [
        Span(max(clause.start, s.start - _MAX_CLAUSE), min(clause.end, s.end + _MAX_CLAUSE))
        for s in quotes
    ]
    return merge_spans(near or [Span(clause.start, clause.start + MAX_LENGTH)])


def _before(text: str, start: int) -> str:
    words = text[max(0, start - CONTEXT_LENGTH) : start]
    return words.lstrip() if start <= CONTEXT_LENGTH else _from_word(words)


def _text_after(text: str, end: int) -> str:
    words = text[end : end + CONTEXT_LENGTH]
    return words.rstrip() if end + CONTEXT_LENGTH >= len(text) else _to_word(words)


def _from_word(words: str) -> str:
    cut = words.find(" ")
    return words[cut + 1 :] if 0 <= cut < 40 else words


def _to_word(words: str) -> str:
    cut = words.rfind(" ")
    return words[:cut] if cut > len(words) - 40 else words
