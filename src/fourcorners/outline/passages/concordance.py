"""`Concordance`: the words and sentences of a document with their places, stored as bytes.

Finding them takes a hundred times as long as loading them, and every question that a document may
answer needs them: so they are found once, when the document is added.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.outline.exclusions import Exclusion, ExclusionKind, blank_text
from fourcorners.outline.passages.cut import Unit, cut_units
from fourcorners.outline.tree import Passage
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 4
"""Increase it when words, sentences or the format change: stored ones are then recomputed."""

# Form; how many words, units, bytes of distinct words, and places that are excluded.
_HEAD = struct.Struct("<5I")
_FORM = struct.Struct("<I")
_KINDS = tuple(ExclusionKind)  # by their numbers in the bytes: a new kind comes last
_QUICK = 1  # compression level: a higher one saves a tenth and takes three times as long


@dataclass(frozen=True, slots=True, eq=False)
class Concordance:
    """The words and the units of a document, and the exclusions from both.

    Attributes:
        exclusions: In order and disjoint.
    """

    index: WordIndex
    units: tuple[Unit, ...]
    exclusions: tuple[Exclusion, ...] = ()

    @classmethod
    def build(
        cls, text: str, passages: Iterable[Passage], exclusions: Sequence[Exclusion] = ()
    ) -> Concordance:
        """Find the words and the units of a text whose passages are disjoint, in any order."""
        ordered = sorted(passages, key=lambda passage: passage.span)
        units = tuple(cut_units(text, ordered, exclusions))
        return cls(WordIndex(blank_text(text, exclusions)), units, tuple(exclusions))

    def dump(self) -> bytes:
        import numpy as np

        words = "\n".join(self.index.distinct_tokens).encode()
        spans = [unit.span for unit in self.units]
        columns = (
            *_steps(self.index.words.starts, self.index.words.ends),
            np.asarray(self.index.token_ids, np.uint32),
            *_steps([span.start for span in spans], [span.end for span in spans]),
            np.array([unit.passage for unit in self.units], np.uint32),
            *_steps(
                [each.span.start for each in self.exclusions], [e.span.end for e in self.exclusions]
            ),
            np.array([_KINDS.index(each.kind) for each in self.exclusions], np.uint32),
        )
        head = _HEAD.pack(
            FORMAT, len(self.index), len(self.units), len(words), len(self.exclusions)
        )
        body = b"".join((words, *(column.astype("<u4").tobytes() for column in columns)))
        return head + zlib.compress(body, _QUICK)

    @classmethod
    def load(cls, data: bytes) -> Concordance | None:
        """Load what `dump` wrote; None if it has another format.

        Raises:
            ValueError: If the bytes are damaged.
        """
        import numpy as np

        try:
            if _FORM.unpack_from(data)[0] != FORMAT:
                return None
            _, count, units, length, apart = _HEAD.unpack_from(data)
            body = zlib.decompress(memoryview(data)[_HEAD.size :])
            words = body[:length].decode()
            columns = np.frombuffer(body, "<u4", offset=length).astype(np.uint32)
            starts, lengths, numbers, *rest = np.split(
                columns, np.cumsum([count, count, count, units, units, units, apart, apart])
            )
        except (struct.error, zlib.error) as error:
            raise ValueError(f"a stored concordance is damaged ({error})") from error
        if [len(column) for column in rest] != [*3 * [units], *3 * [apart]]:
            raise ValueError("a stored concordance is damaged (its columns differ in length)")
        at, beyond = _places(starts, lengths)
        first, last = _places(rest[0], rest[1])
        index = WordIndex.from_arrays(words.split("\n") if words else [], numbers, at, beyond)
        spans = map(Span, first.tolist(), last.tolist())
        left, right = _places(rest[3], rest[4])
        places = map(Span, left.tolist(), right.tolist())
        kinds = [_KINDS[number] for number in rest[5].tolist()]
        return cls(
            index, tuple(map(Unit, spans, rest[2].tolist())), tuple(map(Exclusion, places, kinds))
        )


def _steps(
    starts: Sequence[int], ends: Sequence[int]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the distances between starts, and the lengths: small numbers."""
    import numpy as np

    at = np.asarray(starts, np.uint32)
    return np.diff(at, prepend=np.uint32(0)), np.asarray(ends, np.uint32) - at


def _places(
    steps: NDArray[np.uint32], lengths: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    import numpy as np

    starts = np.cumsum(steps, dtype=np.uint32)
    return starts, starts + lengths
