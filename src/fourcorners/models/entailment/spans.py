"""What may be evidence: sentences, cut into their list items and off their headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fourcorners.text.span import Span

_ITEM = r"\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,2}(?:\.\d{1,2})*)[.)]\s"
_ALSO = r"(?:\s*(?:and|or|and/or))?"
_TITLE = r"(?:(?:ARTICLE|Article|SECTION|Section)\s+)?\d{1,2}(?:\.\d{1,2})*\.?[ \t]+[^\n.;:,]{1,60}"
_CUTS = re.compile(
    rf"\n\s*(?=(?:{_ITEM})|[•·▪–-]\s)"  # a line that begins with a marker
    rf"|[:;]{_ALSO}\s*\n\s*"  # a line after a lead-in or an item
    rf"|(?<=\n){_TITLE}\n\s*"  # a heading alone on a line, with its number
    rf"|[:;,]{_ALSO}\s+(?={_ITEM})"  # an item in a sentence, after a lead-in or another item
    r"|(?<=[a-z])\s+(?=\((?:a|i|1)\)\s)"  # the first item in a sentence
)
_FEWEST = 2  # words of a piece


def split_items(text: str, spans: Iterable[Span]) -> list[Span]:
    """Cut spans of a text, in order, into what says one thing; what has a single word is left."""
    return [piece for span in spans for piece in _cut(text, span)]


def _cut(text: str, span: Span) -> Iterator[Span]:
    words = "\n" + span.text_in(text)
    start = 1
    for match in _CUTS.finditer(words, 1):
        yield from _plain(text, Span(span.start + start - 1, span.start + match.end() - 1))
        start = match.end()
    yield from _plain(text, Span(span.start + start - 1, span.end))


def _plain(text: str, span: Span) -> Iterator[Span]:
    words = span.text_in(text)
    if len(words.split()) < _FEWEST:
        return
    left = len(words) - len(words.lstrip())
    yield Span(span.start + left, span.start + len(words.rstrip()))
