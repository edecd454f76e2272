"""Words with their places, as the full-text index sees them.

The tokenizer is SQLite's own `unicode61 remove_diacritics 2`, called directly: what is matched in
memory and what is matched in the index cannot differ.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import accumulate, chain
from typing import cast

from fourcorners.text.span import Span

TOKENIZER = "unicode61"
TOKENIZER_ARGUMENTS = ("remove_diacritics", "2")
TOKENIZE = " ".join((TOKENIZER, *TOKENIZER_ARGUMENTS))
"""What an FTS5 table must name as its `tokenize` option to agree with this module."""

Tokenizer = Callable[[bytes], Sequence[tuple[int, int, str]]]

# Continuation bytes of UTF-8 begin no character; every other byte begins one.
_BEGINS = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))

_local = threading.local()


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text in order: folded, with start and end in Python string indices."""

    tokens: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[tuple[str, int, int]]:
        return zip(self.tokens, self.starts, self.ends, strict=True)


def words(text: str) -> Words:
    """Return the words of `text`: lower-case, without diacritics."""
    # A lone surrogate is no character; `?` separates words just as SQLite's U+FFFD does.
    raw = text.encode("utf-8", "replace")
    found = _tokenizer()(raw)
    tokens = [token for _, _, token in found]
    starts = array("L", (start for start, _, _ in found))
    ends = array("L", (end for _, end, _ in found))
    if len(raw) != len(text):
        before = array("L", chain((0,), accumulate(raw.translate(_BEGINS))))
        starts = array("L", (before[start] for start in starts))
        ends = array("L", (before[end] for end in ends))
    return Words(tokens, starts, ends)


def _tokenizer() -> Tokenizer:
    """Return this thread's tokenizer: a connection must not be entered by two threads at once."""
    made: Tokenizer | None = getattr(_local, "tokenizer", None)
    if made is None:
        import apsw

        tokenizer = apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER, list(TOKENIZER_ARGUMENTS))

        def made(raw: bytes) -> Sequence[tuple[int, int, str]]:
            found = tokenizer(raw, apsw.FTS5_TOKENIZE_DOCUMENT, None)
            return cast("Sequence[tuple[int, int, str]]", found)

        _local.tokenizer = made
    return made


class WordIndex:
    """Where each word of a text stands: word positions count words, from 0."""

    __slots__ = ("_positions", "_vocabulary", "words")

    def __init__(self, text: str) -> None:
        self.words = words(text)
        self._vocabulary: list[str] | None = None
        positions: dict[str, list[int]] = {}
        for position, token in enumerate(self.words.tokens):
            places = positions.get(token)
            if places is None:
                positions[token] = [position]
            else:
                places.append(position)
        self._positions = positions

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, token: str) -> bool:
        return token in self._positions

    def positions(self, token: str) -> Sequence[int]:
        """Return the word positions of a folded token, in order; empty where it never stands."""
        return self._positions.get(token, ())

    @property
    def vocabulary(self) -> Sequence[str]:
        """Return every distinct token, sorted."""
        if self._vocabulary is None:
            self._vocabulary = sorted(self._positions)
        return self._vocabulary

    def starting_with(self, prefix: str) -> list[str]:
        """Return the distinct tokens that start with a folded prefix, sorted."""
        vocabulary = self.vocabulary
        found = []
        for at in range(bisect_left(vocabulary, prefix), len(vocabulary)):
            if not vocabulary[at].startswith(prefix):
                break
            found.append(vocabulary[at])
        return found

    def prefix_positions(self, prefix: str) -> Sequence[int]:
        """Return the word positions of all tokens that start with a folded prefix, in order."""
        tokens = self.starting_with(prefix)
        if len(tokens) == 1:
            return self._positions[tokens[0]]
        return list(merge(*(self._positions[token] for token in tokens)))

    def span(self, position: int) -> Span:
        """Return the characters of the word at `position`."""
        return Span(self.words.starts[position], self.words.ends[position])

    def cover(self, first: int, last: int) -> Span:
        """Return the characters from the start of word `first` to the end of word `last`."""
        return Span(self.words.starts[first], self.words.ends[last])

    def within(self, span: Span) -> tuple[int, int]:
        """Return the half-open range of positions of the words that stand wholly in `span`."""
        first = bisect_left(self.words.starts, span.start)
        beyond = bisect_left(self.words.starts, span.end)
        if beyond > first and self.words.ends[beyond - 1] > span.end:
            beyond -= 1
        return first, max(first, beyond)
