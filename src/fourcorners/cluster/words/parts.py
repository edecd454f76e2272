"""`Part`: some documents whose words are indexed together, and which of them count."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fourcorners.cluster.words.postings import Postings, merge_postings, pack_body, unpack_body
from fourcorners.cluster.words.visibility import VisibleRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEAD = struct.Struct("<IQQ")  # documents, bytes when unpacked, bytes of the generations


@dataclass(frozen=True, slots=True, eq=False)
class IndexPart:
    """Some documents, in the order of their rows, no two with the same row.

    Attributes:
        name: Of its blocks in the table; parts made later have later names.
        starts: The first row of each document.
        counts: How many rows each has.
        generations: Under which each was stored.
        lengths: Of each row of each document its words, and the filter tokens of its own.
        postings: The words, of a part that is in no table but in memory.
    """

    name: str
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    generations: Sequence[str]
    lengths: NDArray[np.int64]
    postings: Postings | None = None

    @property
    def offsets(self) -> NDArray[np.int64]:
        sums: NDArray[np.int64] = np.cumsum(self.counts)
        return sums - self.counts

    def pack(self) -> bytes:
        generations = "\n".join(self.generations).encode()
        numbers = (self.starts.astype("<i8"), self.counts.astype("<u4"))
        rest = (generations, self.lengths.astype("<u4").tobytes())
        body = b"".join((*(each.tobytes() for each in numbers), *rest))
        return pack_body(_HEAD.pack(len(self.generations), len(body), len(generations)), body)


def unpack_part(name: str, data: bytes) -> IndexPart:
    """Return the part that `Part.packed` gave.

    Raises:
        ValueError: If it is none.
    """
    (documents, _, letters), body = unpack_body("part", _HEAD, data, 1)
    starts = np.frombuffer(body, "<i8", documents).astype(np.int64)
    counts = np.frombuffer(body, "<u4", documents, 8 * documents).astype(np.int64)
    at = 12 * documents
    generations = body[at : at + letters].decode().split("\n") if documents else []
    lengths = np.frombuffer(body, "<u4", offset=at + letters).astype(np.int64)
    return IndexPart(name, starts, counts, generations, lengths)


@dataclass(frozen=True, slots=True, eq=False)
class LivePart:
    """Which documents of a part count, in one state of the library.

    Attributes:
        live_mask: Of each document whether it counts, and counts here.
        common: How many filter tokens each of its rows bears for the document as a whole.
    """

    part: IndexPart
    live_mask: NDArray[np.bool_]
    common: NDArray[np.int64]
    offsets: NDArray[np.int64]

    @property
    def passages(self) -> int:
        return int(self.part.counts[self.live_mask].sum())

    def document_places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self.part.starts, rows, side="right") - 1

    def lengths(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many words each row has, all its filter tokens among them."""
        own = self.part.lengths[self.offsets[places] + rows - self.part.starts[places]]
        found: NDArray[np.int64] = own + self.common[places]
        return found

    def live_postings(self, postings: Postings) -> Postings:
        if self.live_mask.all():
            return postings
        return postings.filter(self.live_mask[self.document_places(postings.rows)])


def live_parts(parts: Sequence[IndexPart], visible: VisibleRows) -> tuple[list[LivePart], set[str]]:
    """Return the parts that hold a document that counts, and the generations that none holds.

    A document may be in several parts: two processes may have indexed it, and parts are joined
    before the old ones are cleared away. It counts in the first part that holds it, so that it
    counts once for whoever reads the same parts; the caller orders them.
    """
    wanted = {each.generation: each for each in visible.documents}
    found = []
    for part in parts:
        alive = np.array([each in wanted for each in part.generations], dtype=np.bool_)
        if not alive.any():
            continue
        common = [
            wanted.pop(each).common if counts else 0
            for each, counts in zip(part.generations, alive.tolist(), strict=True)
        ]
        found.append(LivePart(part, alive, np.array(common, dtype=np.int64), part.offsets))
    return found, set(wanted)


def merge_parts(name: str, some: Sequence[LivePart]) -> IndexPart:
    starts = np.concatenate([each.part.starts[each.live_mask] for each in some])
    counts = np.concatenate([each.part.counts[each.live_mask] for each in some])
    generations = [
        generation
        for each in some
        for generation, alive in zip(each.part.generations, each.live_mask.tolist(), strict=True)
        if alive
    ]
    lengths = [
        each.part.lengths[offset : offset + count]
        for each in some
        for offset, count, alive in zip(
            each.offsets.tolist(), each.part.counts.tolist(), each.live_mask.tolist(), strict=True
        )
        if alive
    ]
    order = np.argsort(starts).tolist()
    return IndexPart(
        name,
        starts[order],
        counts[order],
        [generations[at] for at in order],
        np.concatenate([lengths[at] for at in order]),
    )


def merge_in_memory(name: str, some: Sequence[LivePart]) -> IndexPart:
    whole = merge_parts(name, some)
    words = merge_postings(
        [each.live_postings(each.part.postings) for each in some if each.part.postings is not None]
    )
    return replace(whole, postings=words)
