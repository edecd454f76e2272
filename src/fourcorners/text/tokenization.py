"""Words with their places, as the full-text index sees them.

The tokenizer is SQLite's own `unicode61 remove_diacritics 2`, called directly: what is matched in
memory and what is matched in the index cannot differ. Both see the text that `join_words` gives.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import accumulate, chain
from typing import TYPE_CHECKING, cast

from fourcorners.text.divided_words import join_words
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENIZER = "unicode61"
TOKENIZER_ARGUMENTS = ("remove_diacritics", "2")
TOKENIZE = " ".join((TOKENIZER, *TOKENIZER_ARGUMENTS))
"""What an FTS5 table must name as its `tokenize` option to agree with this module."""

Tokenizer = Callable[[bytes], Sequence[tuple[int, int, str]]]

# Continuation bytes of UTF-8 begin no character; every other byte begins one.
_CHARACTER_STARTS = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))

_PART = 1 << 20  # characters that are handed over at once

_local = threading.local()


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text in order: folded, with start and end in Python string indices."""

    tokens: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[tuple[str, int, int]]:
        return zip(self.tokens, self.starts, self.ends, strict=True)


def tokenize(text: str) -> Tokens:
    """Return the words of a text; one that a line's end divides is one word (`divided_words`)."""
    joined = join_words(text)
    if joined is None:
        return _tokenize(text)
    found = _tokenize(joined.text)
    starts = array("I", map(joined.source_start, found.starts))
    return Tokens(found.tokens, starts, array("I", map(joined.source_end, found.ends)))


def _tokenize(text: str) -> Tokens:
    if len(text) <= _PART:
        return _tokenize_part(text)
    tokens: list[str] = []
    starts, ends = array("I"), array("I")
    known: dict[str, str] = {}  # so that a word that occurs a thousand times is stored once
    for begin, end in _parts(text):
        found = _tokenize_part(text[begin:end])
        tokens += [known.setdefault(token, token) for token in found.tokens]
        starts.extend(begin + start for start in found.starts)
        ends.extend(begin + end for end in found.ends)
    return Tokens(tokens, starts, ends)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Yield stretches of a long text that end between words: the words of all would fill memory."""
    begin = 0
    while begin < len(text):
        blank = text.rfind(" ", begin, begin + _PART)
        if blank < 0:
            blank = text.find(" ", begin + _PART)
        end = blank + 1 if blank >= 0 else len(text)
        yield begin, end
        begin = end


def _tokenize_part(text: str) -> Tokens:
    # A lone surrogate is no character; `?` separates words just as SQLite's U+FFFD does.
    raw = text.encode("utf-8", "replace")
    found = thread_tokenizer(TOKENIZER, *TOKENIZER_ARGUMENTS)(raw)
    if not found:
        return Tokens([], array("I"), array("I"))
    first, beyond, tokens = zip(*found, strict=True)
    starts, ends = array("I", first), array("I", beyond)
    if len(raw) != len(text):
        before = array("I", chain((0,), accumulate(raw.translate(_CHARACTER_STARTS))))
        starts = array("I", map(before.__getitem__, starts))
        ends = array("I", map(before.__getitem__, ends))
    return Tokens(tokens, starts, ends)


def thread_tokenizer(name: str, *arguments: str) -> Tokenizer:
    """Return a tokenizer of this thread's: a connection must not be entered by two at once."""
    known: Tokenizer | None = getattr(_local, name, None)
    if known is not None:
        return known
    import apsw

    tokenizer = apsw.Connection(":memory:").fts5_tokenizer(name, list(arguments))

    def tokenize_text(raw: bytes) -> Sequence[tuple[int, int, str]]:
        found = tokenizer(raw, apsw.FTS5_TOKENIZE_DOCUMENT, None)
        return cast("Sequence[tuple[int, int, str]]", found)

    setattr(_local, name, tokenize_text)
    return tokenize_text


class WordIndex:
    def __init__(self, text: str) -> None:
        found = tokenize(text)
        # A contract's words number ten times its distinct ones: each is kept once, and the places
        # of all in one array, those of the first distinct word first.
        numbers: dict[str, int] = {}
        of = array("I", [numbers.setdefault(token, len(numbers)) for token in found.tokens])
        self._fill(numbers, of, found.starts, found.ends)

    @classmethod
    def from_arrays(
        cls,
        distinct: Sequence[str],
        numbers: NDArray[np.uint32],
        starts: NDArray[np.uint32],
        ends: NDArray[np.uint32],
    ) -> WordIndex:
        """Return an index from distinct tokens and, for each word, their number and its place."""
        made = cls.__new__(cls)
        each = {token: number for number, token in enumerate(distinct)}
        made._fill(each, numbers, array("I", starts.tobytes()), array("I", ends.tobytes()))
        return made

    def _fill(
        self,
        numbers: dict[str, int],
        of: array[int] | NDArray[np.uint32],
        starts: Sequence[int],
        ends: Sequence[int],
    ) -> None:
        import numpy as np

        self._numbers = numbers
        distinct = list(numbers)
        each = np.asarray(of, np.uint32)
        self.words = Tokens([distinct[number] for number in each.tolist()], starts, ends)
        counts = np.bincount(each, minlength=len(distinct))
        self._first = array("I", [0, *np.cumsum(counts).tolist()])
        self._order = array("I", np.argsort(each, kind="stable").astype(np.uint32).tobytes())

    @property
    def distinct_tokens(self) -> Sequence[str]:
        return list(self._numbers)

    @property
    def token_ids(self) -> Sequence[int]:
        """Return for each word which of the distinct tokens it is."""
        return [self._numbers[token] for token in self.words.tokens]

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, token: str) -> bool:
        return token in self._numbers

    def positions(self, token: str) -> Sequence[int]:
        """Return the word positions of a folded token, in order; empty if it does not occur."""
        number = self._numbers.get(token)
        if number is None:
            return ()
        return self._order[self._first[number] : self._first[number + 1]].tolist()

    @cached_property
    def vocabulary(self) -> Sequence[str]:
        return sorted(self._numbers)

    def tokens_with_prefix(self, prefix: str) -> list[str]:
        vocabulary = self.vocabulary
        found = []
        for at in range(bisect_left(vocabulary, prefix), len(vocabulary)):
            if not vocabulary[at].startswith(prefix):
                break
            found.append(vocabulary[at])
        return found

    def prefix_positions(self, prefix: str) -> Sequence[int]:
        """Return the word positions of all tokens that start with a folded prefix, in order."""
        tokens = self.tokens_with_prefix(prefix)
        if len(tokens) == 1:
            return self.positions(tokens[0])
        return list(merge(*map(self.positions, tokens)))

    def word_span(self, position: int) -> Span:
        return Span(self.words.starts[position], self.words.ends[position])

    def span_between(self, first: int, last: int) -> Span:
        return Span(self.words.starts[first], self.words.ends[last])

    def word_range(self, span: Span) -> tuple[int, int]:
        """Return the half-open range of positions of the words that are entirely in `span`."""
        first = bisect_left(self.words.starts, span.start)
        beyond = bisect_left(self.words.starts, span.end)
        if beyond > first and self.words.ends[beyond - 1] > span.end:
            beyond -= 1
        return first, max(first, beyond)
