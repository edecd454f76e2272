from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.search.snippets import Piece, Shape, grow
from fourcorners.text.span import Span

SPANS = [Span(at * 100, at * 100 + 95) for at in range(6)]


def pieces(
    chances: list[float], shape: Shape, clause: list[int] | None = None, limit: int = 10
) -> list[Piece]:
    array = np.array(chances)
    cores = np.argsort(-array, kind="stable").tolist()
    return grow(SPANS, clause or [0] * 6, array, cores, shape, limit)


def test_sentence_takes_the_neighbours_that_answer_too() -> None:
    found = pieces([0.0, 0.5, 0.9, 0.6, 0.0, 0.0], Shape(room=0, longest=1_000, share=0.5))
    assert found[0] == Piece(1, 3, 2)


def test_neighbours_of_another_clause_stay_out() -> None:
    shape = Shape(room=1_000, longest=1_000, share=0.5)
    found = pieces([0.1, 0.5, 0.9, 0.6, 0.1, 0.1], shape, clause=[0, 0, 1, 1, 2, 2])
    assert found[0] == Piece(2, 3, 2)


def test_little_ones_are_filled_up_to_their_room() -> None:
    found = pieces([0.0, 0.0, 0.9, 0.1, 0.0, 0.0], Shape(room=200, longest=1_000, share=0.5))
    assert found[0] == Piece(2, 3, 2)  # 195 characters; a third sentence would make it 295


def test_no_piece_is_longer_than_allowed_unless_one_sentence_is() -> None:
    found = pieces([0.9] * 6, Shape(room=0, longest=200, share=0.5))
    assert found[0] == Piece(0, 1, 0)
    assert pieces([0.9] * 6, Shape(room=0, longest=10, share=0.5))[0] == Piece(0, 0, 0)


@given(
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.integers(0, 400),
    st.integers(0, 700),
    st.floats(0, 1),
    st.integers(1, 8),
)
def test_pieces_are_disjoint_hold_their_core_and_stay_in_one_clause(
    chances: list[float],
    clause: list[int],
    room: int,
    longest: int,
    share: float,
    limit: int,
) -> None:
    found = pieces(chances, Shape(room, longest, share), sorted(clause), limit)
    assert 1 <= len(found) <= limit
    taken = [at for piece in found for at in range(piece.first, piece.last + 1)]
    assert len(taken) == len(set(taken))
    for piece in found:
        assert piece.first <= piece.core <= piece.last
        assert len({sorted(clause)[at] for at in range(piece.first, piece.last + 1)}) == 1
    best = max(range(6), key=lambda at: (chances[at], -at))
    assert found[0].core == best
