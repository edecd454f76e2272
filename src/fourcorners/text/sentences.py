"""Sentence boundaries with exact places: nupunkt's legal model, and blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fourcorners.text.span import Span

BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_MIN_SENTENCE = 80  # characters up to which a line before a blank line may be a heading
_WINDOW = 400  # characters before a blank line to look at
_ENDS = re.compile(r"[.;:!?,)\]”\"'*#|_\-–—\d]\s*$")


def split_sentences(text: str, within: Span | None = None) -> list[Span]:
    """Return the sentences of `text` (of `within`, if given), without surrounding white space.

    The spans are disjoint, in order, and cover every character that is not white space. A blank
    line ends a sentence, unless the words around it show that the sentence runs on over a page.
    """
    import nupunkt

    base = within or Span(0, len(text))
    words = base.text_in(text)
    if not words.strip():
        return []
    found = [Span(start, end).shift(base.start) for start, end in nupunkt.sent_spans(words)]
    parts = (part for sentence in found for part in _paragraphs(text, sentence))
    return [span for span in (part.strip(text) for part in parts) if span]


def _paragraphs(text: str, sentence: Span) -> Iterator[Span]:
    start = sentence.start
    for blank in BLANK_LINE.finditer(text, sentence.start, sentence.end):
        if blank.end() < sentence.end and _is_sentence_end(text, start, blank.start(), blank.end()):
            yield Span(start, blank.end())
            start = blank.end()
    yield Span(start, sentence.end)


def _is_sentence_end(text: str, start: int, end: int, after: int) -> bool:
    if text[after].islower():
        return False
    before = text[max(start, end - _WINDOW) : end].strip()
    return len(before) <= _MIN_SENTENCE or _ENDS.search(before) is not None
