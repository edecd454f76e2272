"""What is shown of the sentences that score: grown to what belongs together, and disjoint."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ExtensionLimits:
    """How far a sentence that answers is extended within its clause.

    Measured on LegalBench-RAG's CUAD and ContractNLI sets: each moves recall against the characters
    that are read.

    Attributes:
        characters: Characters that a snippet may fill with its neighbours, the better one first.
        step: The best snippet has this room, the second twice as much, up to `room`: the less sure
            a sentence is, the more the words around it may hold what it lacks.
        longest: Characters up to which it takes a neighbour that itself answers.
        share: A neighbour answers if its chance is at least this share of the sentence's.
        context: The share of the document from which on sentences are returned alone.
        most: The share of the document that is returned at most, but for the last snippet.
    """

    characters: int = 600
    step: int = 150
    longest: int = 1_500
    share: float = 0.3
    context: float = 0.4
    most: float = 0.72


@dataclass(frozen=True, slots=True)
class Piece:
    """Units `first` to `last` of a document, shown for the sake of `core`."""

    first: int
    last: int
    core: int


def extend_sentences(
    spans: Sequence[Span],
    clause: Sequence[Hashable],
    chances: NDArray[np.float64],
    cores: Iterable[int],
    shape: ExtensionLimits,
    limit: int,
    length: int,
) -> list[Piece]:
    """Return at most `limit` disjoint pieces around the cores, in the order of the cores.

    Args:
        spans: Of the units, in order.
        clause: For each unit what it has in common with those of its clause; a piece stays in one.
        chances: For each unit how likely it answers.
        cores: Units, the best first; one that another piece took already is passed over.
        shape: How far to go.
        limit: How many pieces.
        length: Characters of the document.
    """
    taken: set[int] = set()
    pieces: list[Piece] = []
    returned = 0
    for core in cores:
        if core in taken:
            continue
        piece = Piece(core, core, core)
        if returned < shape.context * length:
            room = min(shape.characters, shape.step * (len(pieces) + 1))
            piece = _grown(piece, spans, clause, chances, taken, room, shape)
        taken.update(range(piece.first, piece.last + 1))
        pieces.append(piece)
        returned += spans[piece.last].end - spans[piece.first].start
        if len(pieces) == limit or returned > shape.most * length:
            break
    return pieces


def _grown(
    piece: Piece,
    spans: Sequence[Span],
    clause: Sequence[Hashable],
    chances: NDArray[np.float64],
    taken: Collection[int],
    room: int,
    shape: ExtensionLimits,
) -> Piece:
    first, last, core = piece.first, piece.last, piece.core
    while True:
        beside = [
            at
            for at in (first - 1, last + 1)
            if 0 <= at < len(spans) and at not in taken and clause[at] == clause[core]
        ]
        for at in sorted(beside, key=lambda at: (-chances[at], at)):
            length = max(spans[last].end, spans[at].end) - min(spans[first].start, spans[at].start)
            answers = chances[at] >= shape.share * chances[core]
            if length <= (shape.longest if answers else room):
                first, last = min(first, at), max(last, at)
                break
        else:
            return Piece(first, last, core)
