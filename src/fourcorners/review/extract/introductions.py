"""The words that introduce a list: quoted with an item, which says nothing whole without them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from fourcorners.text.span import Span

MAX_ITEMS = 12  # sentences between an item and the words that introduce its list
MAX_LENGTH = 200  # characters of an introduction that is quoted for an item's sake
_ITEM = re.compile(
    r"\s*(?:\(?[a-zA-Z]\)|\(?[ivxIVX]{1,5}\)|\(?\d{1,2}\)|[a-zA-Z]\.|\d{1,2}\.|\d+(?:\.\d+)+\.?|"
    r"[•●\-–])\s"
)


def add_introductions(
    chosen: Sequence[tuple[Span, float]], sentences: Sequence[Span], text: str
) -> list[tuple[Span, float]]:
    """Return quotes of one document, and of each list item among them the words before the list.

    `sentences` are those of the document, in order; an introduction bears its item's probability.
    """
    starts = [sentence.start for sentence in sentences]
    quoted = {span.start for span, _ in chosen}
    found = list(chosen)
    for span, probability in chosen:
        before = _introduction(sentences, bisect_right(starts, span.start) - 1, text)
        if before is not None and before.start not in quoted:
            quoted.add(before.start)
            found.append((before, probability))
    return found


def _introduction(sentences: Sequence[Span], at: int, text: str) -> Span | None:
    """Return the sentence that ends in a colon and has only items between it and an item."""
    if at < 0 or not _is_item(sentences[at], text):
        return None
    for sentence in reversed(sentences[max(0, at - MAX_ITEMS) : at]):
        if sentence.text_in(text).endswith(":"):
            return sentence if len(sentence) <= MAX_LENGTH else None
        if not _is_item(sentence, text):
            return None
    return None


def _is_item(sentence: Span, text: str) -> bool:
    return _ITEM.match(text, sentence.start, sentence.end) is not None
