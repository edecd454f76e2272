"""What is shown of the sentences that score: grown to what belongs together, and disjoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Shape:
    """How far a sentence that answers is extended within its clause.

    Attributes:
        room: Characters that a snippet may fill with its neighbours, the better one first.
        longest: Characters up to which it takes a neighbour that itself answers.
        share: A neighbour answers if its chance is at least this share of the sentence's.
        join: Characters that may stand between two snippets that become one in document order.
    """

    room: int = 500
    longest: int = 1_500
    share: float = 0.5
    join: int = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """Units `first` to `last` of a document, shown for the sake of `core`."""

    first: int
    last: int
    core: int


def grow(
    spans: Sequence[Span],
    clause: Sequence[int],
    chances: NDArray[np.float64],
    cores: Iterable[int],
    shape: Shape,
    limit: int,
) -> list[Piece]:
    """Return at most `limit` disjoint pieces around the cores, in the order of the cores.

    Args:
        spans: Of the units, in order.
        clause: For each unit a number; a piece stays within one clause.
        chances: For each unit how likely it answers.
        cores: Units, the best first; one that another piece took already is passed over.
        shape: How far to go.
        limit: How many pieces.
    """
    taken: set[int] = set()
    pieces: list[Piece] = []
    for core in cores:
        if core in taken:
            continue
        first = last = core
        while True:
            beside = [
                at
                for at in (first - 1, last + 1)
                if 0 <= at < len(spans) and at not in taken and clause[at] == clause[core]
            ]
            beside.sort(key=lambda at: (-chances[at], at))
            for at in beside:
                length = max(spans[last].end, spans[at].end) - min(
                    spans[first].start, spans[at].start
                )
                answers = chances[at] >= shape.share * chances[core]
                if length <= (shape.longest if answers else shape.room):
                    first, last = min(first, at), max(last, at)
                    break
            else:
                break
        taken.update(range(first, last + 1))
        pieces.append(Piece(first, last, core))
        if len(pieces) == limit:
            break
    return pieces
