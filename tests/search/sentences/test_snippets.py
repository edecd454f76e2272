from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.search.sentences.snippets import ExtensionLimits, Piece, extend_sentences
from fourcorners.text.span import Span

LENGTH = 600
SPANS = [Span(at * 100, at * 100 + 95) for at in range(6)]


def pieces(
    chances: list[float], shape: ExtensionLimits, clause: list[int] | None = None, limit: int = 10
) -> list[Piece]:
    array = np.array(chances)
    cores = np.argsort(-array, kind="stable").tolist()
    return extend_sentences(SPANS, clause or [0] * 6, array, cores, shape, limit, LENGTH)


def test_sentence_takes_the_neighbours_that_answer_too() -> None:
    found = pieces(
        [0.0, 0.5, 0.9, 0.6, 0.0, 0.0],
        ExtensionLimits(characters=0, context=1, most=1, longest=1_000, share=0.5),
    )
    assert found[0] == Piece(1, 3, 2)


def test_neighbours_of_another_clause_stay_out() -> None:
    shape = ExtensionLimits(characters=1_000, step=1_000, longest=1_000, share=0.5)
    found = pieces([0.1, 0.5, 0.9, 0.6, 0.1, 0.1], shape, clause=[0, 0, 1, 1, 2, 2])
    assert found[0] == Piece(2, 3, 2)


def test_little_ones_are_filled_up_to_their_room() -> None:
    found = pieces(
        [0.0, 0.0, 0.9, 0.1, 0.0, 0.0],
        ExtensionLimits(characters=200, step=200, longest=1_000, share=0.5),
    )
    assert found[0] == Piece(2, 3, 2)  # 195 characters; a third sentence would make it 295


def test_no_piece_is_longer_than_allowed_unless_one_sentence_is() -> None:
    found = pieces(
        [0.9] * 6, ExtensionLimits(characters=0, context=1, most=1, longest=200, share=0.5)
    )
    assert found[0] == Piece(0, 1, 0)
    assert pieces(
        [0.9] * 6, ExtensionLimits(characters=0, context=1, most=1, longest=10, share=0.5)
    )[0] == Piece(0, 0, 0)


def test_less_sure_ones_have_more_room() -> None:
    spans = [Span(at * 100, at * 100 + 95) for at in range(20)]
    chances = np.full(20, 0.0001)
    chances[[2, 10, 17]] = 0.9, 0.8, 0.7
    shape = ExtensionLimits(characters=300, step=100, longest=1_000, share=0.5, context=1, most=1)
    found = extend_sentences(spans, [0] * 20, chances, [2, 10, 17], shape, 3, 2_000)
    assert [piece.last - piece.first + 1 for piece in found] == [1, 2, 3]


def test_no_context_and_then_nothing_once_enough_of_a_document_is_returned() -> None:
    shape = ExtensionLimits(characters=200, step=200, longest=200, share=0.5, context=0.3, most=0.5)
    found = pieces([0.9, 0.0, 0.0, 0.8, 0.0, 0.7], shape)
    assert found == [Piece(0, 1, 0), Piece(3, 3, 3), Piece(5, 5, 5)]


@given(
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.integers(0, 400),
    st.integers(0, 400),
    st.integers(0, 700),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(1, 8),
)
def test_pieces_are_disjoint_hold_their_core_and_stay_in_one_clause(
    chances: list[float],
    clause: list[int],
    room: int,
    step: int,
    longest: int,
    share: float,
    context: float,
    most: float,
    limit: int,
) -> None:
    found = pieces(
        chances, ExtensionLimits(room, step, longest, share, context, most), sorted(clause), limit
    )
    assert 1 <= len(found) <= limit
    taken = [at for piece in found for at in range(piece.first, piece.last + 1)]
    assert len(taken) == len(set(taken))
    for piece in found:
        assert piece.first <= piece.core <= piece.last
        assert len({sorted(clause)[at] for at in range(piece.first, piece.last + 1)}) == 1
    best = max(range(6), key=lambda at: (chances[at], -at))
    assert found[0].core == best
