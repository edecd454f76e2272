"""`Postings`: which rows bear each word, and how often, as arrays and as blocks of bytes.

A block holds the words of one stretch of the alphabet. It is small enough that a question reads a
few of them, however many words the library has. Rows are written as steps from one to the next, and
all numbers byte by byte (first bytes, second bytes, …), since then they shrink to about two bytes
an entry.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOKEN_PREFIX = "#"  # noqa: S105
"""What a filter token begins with, so that it is no word of a text."""
BEFORE_ALL, AFTER_ALL = "", "\U0010ffff"
_ENTRIES = 16_384  # of a block, unless one word has more
_HEAD = struct.Struct("<IQQI")  # words, base, bytes when unpacked, bytes of the words
_CODEC = pa.Codec("zstd", compression_level=1)


@dataclass(frozen=True, slots=True)
class Postings:
    """Words in order, each with its rows in order.

    Attributes:
        terms: The words, sorted by code points.
        bounds: The entries of word `n` are those from `bounds[n]` to `bounds[n + 1]`.
        rows: The row of each entry.
        often: How often the word stands in that row.
    """

    terms: Sequence[str]
    bounds: NDArray[np.int64]
    rows: NDArray[np.int64]
    often: NDArray[np.int64]

    def rows_of(self, first: str, until: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return rows and numbers of the words from `first` on and before `until`.

        A row stands there once for each of these words that it bears.
        """
        found = self.term_range(first, until)
        return found.rows, found.often

    def filter(self, keep: NDArray[np.bool_]) -> Postings:
        """Return these without the entries that are not to be kept; no word is left bare."""
        if keep.all():
            return self
        ids = np.repeat(np.arange(len(self.terms)), np.diff(self.bounds))[keep]
        return _arranged(self.terms, ids, self.rows[keep], self.often[keep])

    def term_range(self, first: str, until: str) -> Postings:
        low, high = bisect_left(self.terms, first), bisect_left(self.terms, until)
        found = slice(self.bounds[low], self.bounds[high])
        bounds = self.bounds[low : high + 1] - self.bounds[low]
        return Postings(self.terms[low:high], bounds, self.rows[found], self.often[found])


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the alphabet: all words from `first` on and before `until`."""

    first: str
    until: str
    data: bytes


def count_postings(rows: Sequence[int], texts: Iterable[str], marks: Iterable[str]) -> Postings:
    """Return the postings of rows.

    Args:
        rows: Their rowids, in order.
        texts: Folded words of each, separated by spaces.
        marks: Filter tokens of each, separated by spaces.
    """
    known: dict[str, int] = {}
    numbers: list[int] = []
    counts: list[int] = []
    for text, tokens in zip(texts, marks, strict=True):
        own = [*text.split(), *(f"{TOKEN_PREFIX}{token}" for token in tokens.split())]
        numbers += [known.setdefault(word, len(known)) for word in own]
        counts.append(len(own))
    terms = sorted(known)
    rank = np.empty(len(known), dtype=np.int64)
    rank[[known[word] for word in terms]] = np.arange(len(terms))
    where = np.repeat(np.arange(len(rows)), counts)
    keys, often = np.unique(
        rank[np.array(numbers, dtype=np.int64)] * max(1, len(rows)) + where, return_counts=True
    )
    ids, where = np.divmod(keys, max(1, len(rows)))
    bounds = np.searchsorted(ids, np.arange(len(terms) + 1))
    return Postings(terms, bounds, np.asarray(rows, dtype=np.int64)[where], often)


def merge_postings(some: Sequence[Postings]) -> Postings:
    """Return several postings, no two with an entry of the same word and row, as one."""
    terms = sorted(set().union(*(each.terms for each in some)))
    number = {word: at for at, word in enumerate(terms)}
    ids = [
        np.repeat(
            np.array([number[word] for word in each.terms], dtype=np.int64), np.diff(each.bounds)
        )
        for each in some
    ]
    none = np.empty(0, dtype=np.int64)
    return _arranged(
        terms,
        np.concatenate([none, *ids]),
        np.concatenate([none, *(each.rows for each in some)]),
        np.concatenate([none, *(each.often for each in some)]),
    )


def _arranged(
    terms: Sequence[str],
    ids: NDArray[np.int64],
    rows: NDArray[np.int64],
    often: NDArray[np.int64],
) -> Postings:
    there = np.unique(ids)
    order = np.lexsort((rows, ids))
    bounds = np.searchsorted(ids[order], np.append(there, len(terms)))
    return Postings([terms[at] for at in there.tolist()], bounds, rows[order], often[order])


def pack_postings(
    postings: Postings, first: str = BEFORE_ALL, until: str = AFTER_ALL, entries: int = _ENTRIES
) -> Iterator[Block]:
    """Yield the blocks of a stretch of the alphabet, in which all the words are; one at least."""
    low = 0
    while True:
        goal = postings.bounds[low] + entries
        high = max(low + 1, int(np.searchsorted(postings.bounds, goal, side="right")) - 1)
        high = min(high, len(postings.terms))
        end = postings.terms[high] if high < len(postings.terms) else until
        yield Block(first, end, _pack(postings, low, high))
        if high >= len(postings.terms):
            return
        low, first = high, end


def _pack(postings: Postings, low: int, high: int) -> bytes:
    terms = "\n".join(postings.terms[low:high]).encode()
    bounds = postings.bounds[low : high + 1]
    rows = postings.rows[bounds[0] : bounds[-1]]
    often = postings.often[bounds[0] : bounds[-1]]
    base = int(rows.min()) if len(rows) else 0
    steps = np.diff(rows, prepend=0)
    starts = bounds[:-1] - bounds[0]
    steps[starts] = rows[starts] - base
    body = b"".join((terms, _planes(np.diff(bounds)), _planes(steps), _planes(often)))
    return pack_body(_HEAD.pack(high - low, base, len(body), len(terms)), body)


def pack_body(head: bytes, body: bytes) -> bytes:
    return head + bytes(_CODEC.compress(body, asbytes=True))


def unpack_body(
    what: str, head: struct.Struct, data: bytes, size_at: int
) -> tuple[list[int], bytes]:
    """Return the numbers of a head, of which one is the size of the body, and the body.

    Raises:
        ValueError: If the bytes are none that `pack_body` gave.
    """
    try:
        numbers = list(head.unpack_from(data))
        return numbers, _CODEC.decompress(data[head.size :], numbers[size_at], asbytes=True)
    except (struct.error, pa.ArrowException, OSError) as error:
        raise ValueError(f"this is no {what}: {error}") from error


def unpack_postings(data: bytes) -> Postings:
    """Return what a block holds.

    Raises:
        ValueError: If it is no block.
    """
    (words, base, _, letters), body = unpack_body("block of postings", _HEAD, data, 2)
    terms = body[:letters].decode().split("\n") if words else []
    counts = _plain(body, letters, words)
    entries = int(counts.sum())
    steps = _plain(body, letters + 4 * words, entries)
    often = _plain(body, letters + 4 * (words + entries), entries)
    bounds = np.concatenate(([0], np.cumsum(counts)))
    # Of each word the first step counts from the base: what the words before add up to is taken off
    sums = np.cumsum(steps)
    starts = bounds[:-1]
    rows = sums - np.repeat(sums[starts] - steps[starts], counts) + base
    return Postings(terms, bounds, rows, often)


def _planes(numbers: NDArray[np.int64]) -> bytes:
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= 2**32):
        raise ValueError("numbers of postings have 32 bits")
    planes: NDArray[np.uint8] = numbers.astype("<u4").view(np.uint8).reshape(-1, 4)
    return planes.T.tobytes()


def _plain(body: bytes, start: int, count: int) -> NDArray[np.int64]:
    planes = np.frombuffer(body, dtype=np.uint8, count=4 * count, offset=start).reshape(4, count)
    return np.ascontiguousarray(planes.T).view("<u4").reshape(-1).astype(np.int64)
