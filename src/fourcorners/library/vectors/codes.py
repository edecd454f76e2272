"""Codes of vectors: what a search scans in memory, in an eighth of the room of the vectors.

A code keeps two bits of each component, its sign and whether it is large, and one number a vector
that makes products of codes comparable. With a question's vector in three bits, products are
worked out by counting bits, as in RaBitQ (Gao and Long, SIGMOD 2024), of which this is the plain
form without a rotation: the components of our encoders need none. It is done in two steps, by the
signs of all and then by the whole codes of those that are left; what comes out are candidates,
whose own vectors decide.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import DamagedValue
from fourcorners.library.database import SqlReader, as_bytes, as_integer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Planes: TypeAlias = NDArray[np.uint64]

LARGE = 0.98
"""Standard deviations from which a component is large: Max's quantiser of a normal variable."""
BLOCK = 32_768  # vectors that are looked at together: what is worked out for them stays in a cache
STEP = 0.6  # standard deviations of a question's components between two of their four sizes
LEAST = 16_384  # vectors of which the whole code counts, at least
SHARE = 32  # one in so many is looked at by its whole code, where that is more
_AT_ONCE = 256  # documents whose codes are held in addition to the blocks made of them
_WORD = 64  # bits
_NEVER = 0xFFFF  # the farthest of 16 bits, which no distance of signs attains
_CODED = """
    SELECT v.document, v.crc32, d.first_passage, d.passage_count
    FROM vectors v JOIN documents d ON d.row = v.document WHERE d.passage_count > 0
"""
_CODES = """
    SELECT codes FROM vectors WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document
"""
_Coded: TypeAlias = tuple[int, int, int, int, bytes]


def pack_codes(matrix: NDArray[np.float32]) -> bytes:
    """Return the codes of some vectors: signs, sizes and scales, each of all of them."""
    import numpy as np

    width = matrix.shape[1]
    large = np.abs(matrix) > LARGE / np.sqrt(width)
    levels = np.where(large, 3.0, 1.0)
    along = (np.abs(matrix) * levels).sum(axis=1)  # the product of a vector with its own code
    scales = np.divide(1.0, along, out=np.zeros_like(along), where=along > 0)
    return b"".join((_pack(matrix > 0).tobytes(), _pack(large).tobytes(),
                     scales.astype("<f4").tobytes()))  # fmt: skip


def _pack(bits: NDArray[np.bool_]) -> Planes:
    """Return rows of bits as rows of words, the last of which zeros fill."""
    import numpy as np

    missing = -bits.shape[1] % _WORD
    packed = np.packbits(np.pad(bits, ((0, 0), (0, missing))), axis=1)
    words: Planes = packed.view("<u8")
    return words


@dataclass(frozen=True, slots=True, eq=False)
class CodeBlock:
    """The codes of some documents, a column a passage.

    Attributes:
        documents: Rows of the documents, each with the checksum of its vectors.
        firsts: The rowid of the first passage of each document.
        ends: Where the columns of each document end.
        signs: Which components are above zero, shape (words, passages).
        large: Which components are large, of the same shape.
        scales: What the product with a code is to be multiplied by.
    """

    documents: tuple[tuple[int, int], ...]
    firsts: NDArray[np.int64]
    ends: NDArray[np.int64]
    signs: Planes
    large: Planes
    scales: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.scales)

    @classmethod
    def load(cls, documents: Iterable[_Coded], dimension: int) -> CodeBlock:
        """Make one of (row, checksum, first passage, passages, codes).

        Raises:
            DamagedValue: If codes are not as long as their document has passages.
        """
        import numpy as np

        words = -(-dimension // _WORD)
        names, firsts, counts = [], [], []
        signs: list[Planes] = []
        large: list[Planes] = []
        scales = []
        for row, checksum, first, count, codes in documents:
            plane = count * words * 8
            if len(codes) != 2 * plane + 4 * count:
                error = DamagedValue(f"the codes of the vectors of document {row} are damaged.")
                error.row = row
                raise error
            names.append((row, checksum))
            firsts.append(first)
            counts.append(count)
            for planes, at in ((signs, 0), (large, plane)):
                bits = np.frombuffer(codes, "<u8", count * words, at)
                planes.append(bits.reshape(count, words).T)
            scales.append(np.frombuffer(codes, "<f4", count, 2 * plane))
        return cls(
            tuple(names),
            np.array(firsts, np.int64),
            np.array(list(accumulate(counts)), np.int64),
            np.ascontiguousarray(np.concatenate(signs, axis=1), np.uint64),
            np.ascontiguousarray(np.concatenate(large, axis=1), np.uint64),
            np.concatenate(scales).astype(np.float32),
        )

    def rowids(self, columns: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return the passages of some columns, or of all."""
        import numpy as np

        at = np.arange(len(self)) if columns is None else columns
        document = np.searchsorted(self.ends, at, side="right")
        begins = np.concatenate(([0], self.ends[:-1]))
        found: NDArray[np.int64] = self.firsts[document] + at - begins[document]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """A vector in three bits a component: its signs, and sizes of 1, 3, 5 or 7."""

    signs: Planes
    twos: Planes
    fours: Planes
    large: Planes
    total: int

    @classmethod
    def make(cls, vector: NDArray[np.float32]) -> _Question:
        import numpy as np

        sizes = np.abs(vector) / max(float(np.sqrt(np.mean(vector * vector))), 1e-12)
        steps = np.minimum(sizes / STEP, 3).astype(np.int64)
        planes = (vector > 0, steps & 1, steps >> 1, sizes > LARGE)
        signs, twos, fours, large = _pack(np.array(planes).astype(bool))
        return cls(signs, twos, fours, large, int((1 + 2 * steps).sum()))

    def distances(self, block: CodeBlock) -> NDArray[np.uint16]:
        """Return how far the signs of each column are from this: large components count thrice."""
        import numpy as np

        far = np.zeros(len(block), np.uint16)
        for word, signs in enumerate(block.signs):
            unlike = signs ^ self.signs[word]
            far += np.bitwise_count(unlike)
            unlike &= self.large[word]
            far += np.bitwise_count(unlike) * np.uint16(2)
        return far

    def products(self, block: CodeBlock, columns: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the product with each of some columns, by their whole codes."""
        import numpy as np

        found = np.full(len(columns), self.total, np.int32)
        for word, (signs, large) in enumerate(zip(block.signs, block.large, strict=True)):
            more = large[columns]
            unlike = signs[columns] ^ self.signs[word]
            found += 2 * (self._sizes(more, word) - self._sizes(unlike, word))
            found -= 4 * self._sizes(unlike & more, word)
        products: NDArray[np.float32] = found * block.scales[columns]
        return products

    def _sizes(self, bits: Planes, word: int) -> NDArray[np.int32]:
        """Return what the components that some bits name add up to in size."""
        import numpy as np

        found = np.bitwise_count(bits).astype(np.int32)
        found += 2 * np.bitwise_count(bits & self.twos[word]).astype(np.int32)
        found += 4 * np.bitwise_count(bits & self.fours[word]).astype(np.int32)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class VectorCodes:
    """The codes of all vectors of a library, as it was at some time."""

    blocks: tuple[CodeBlock, ...] = ()

    def __len__(self) -> int:
        return sum(map(len, self.blocks))

    def usable(self, documents: Collection[tuple[int, int]]) -> Iterator[CodeBlock]:
        """Yield the full blocks of which every document is still one of these."""
        for block in self.blocks:
            if len(block) >= BLOCK and all(each in documents for each in block.documents):
                yield block

    def candidates(
        self,
        vector: NDArray[np.float32],
        most: int,
        allowed: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return the passages whose vectors are likely to be the nearest to one.

        Args:
            vector: What they shall be near to.
            most: How many there shall be, about.
            allowed: The rowids that count; None for all.
        """
        import numpy as np

        question = _Question.make(vector)
        mask = None if allowed is None else self._mask(allowed)
        far = [self._distances(question, block, mask) for block in self.blocks]
        counts = np.zeros(_NEVER + 1, np.int64)
        for each in far:
            counts += np.bincount(each, minlength=_NEVER + 1)
        counts[_NEVER] = 0
        wanted = max(LEAST, most, len(self) // SHARE)
        limit = min(int(np.searchsorted(np.cumsum(counts), wanted)), _NEVER - 1)
        rows, products = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        for block, each in zip(self.blocks, far, strict=True):
            columns = np.flatnonzero(each <= limit)
            rows.append(block.rowids(columns))
            products.append(question.products(block, columns))
        found, near = np.concatenate(rows), np.concatenate(products)
        if len(found) <= most:
            return found
        best: NDArray[np.int64] = found[np.argpartition(-near, most - 1)[:most]]
        return best

    def scores(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return about what the product of each vector with one is, but for a common factor."""
        import numpy as np

        question = _Question.make(vector)
        each = [question.products(block, np.arange(len(block))) for block in self.blocks]
        return np.concatenate([np.empty(0, np.float32), *each])

    def _mask(self, allowed: NDArray[np.int64]) -> NDArray[np.bool_]:
        import numpy as np

        last = max((int(block.rowids()[-1]) for block in self.blocks), default=0)
        mask = np.zeros(max(last, int(allowed.max(initial=0))) + 1, np.bool_)
        mask[allowed] = True
        return mask

    @staticmethod
    def _distances(
        question: _Question, block: CodeBlock, mask: NDArray[np.bool_] | None
    ) -> NDArray[np.uint16]:
        far = question.distances(block)
        if mask is not None:
            far[~mask[block.rowids()]] = _NEVER
        return far


def _load_blocks(
    tables: SqlReader, known: VectorCodes, dimension: int, left_out: Collection[int]
) -> Iterator[CodeBlock]:
    """Yield what still counts of the blocks that are known, and the rest as it is stored."""
    stored = {
        (as_integer(row), as_integer(checksum)): (as_integer(first), as_integer(count))
        for row, checksum, first, count in tables.execute(_CODED)
        if row not in left_out
    }
    for block in known.usable(stored):
        yield block
        for each in block.documents:
            del stored[each]
    waiting: list[_Coded] = []
    held = 0
    for coded in _read_codes(tables, sorted(stored.items())):
        waiting.append(coded)
        held += coded[3]
        if held >= BLOCK:
            yield CodeBlock.load(waiting, dimension)
            waiting, held = [], 0
    if waiting:
        yield CodeBlock.load(waiting, dimension)


def _read_codes(
    tables: SqlReader, documents: Sequence[tuple[tuple[int, int], tuple[int, int]]]
) -> Iterator[_Coded]:
    for at in range(0, len(documents), _AT_ONCE):
        some = documents[at : at + _AT_ONCE]
        rows = tables.execute(_CODES, (json.dumps([row for (row, _), _ in some]),))
        for ((row, checksum), (first, count)), (codes,) in zip(some, rows, strict=True):
            yield row, checksum, first, count, as_bytes(codes)


class CurrentCodes:
    """The codes of a library as the connections of a process last saw it."""

    def __init__(self) -> None:
        self._version = ""
        self._codes = VectorCodes()
        self._lock = Lock()

    def get(
        self, tables: SqlReader, version: str, dimension: int, left_out: Collection[int] = ()
    ) -> VectorCodes:
        """Return the codes that a library has now; of full blocks only other documents are read.

        Args:
            tables: The library, as who asks sees it.
            version: Its `content_version`.
            dimension: Of its vectors.
            left_out: The rows of documents that do not count.
        """
        with self._lock:
            if version != self._version:
                blocks = _load_blocks(tables, self._codes, dimension, left_out)
                self._codes = VectorCodes(tuple(blocks))
                self._version = version
            return self._codes
