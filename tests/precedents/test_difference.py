from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.precedents.difference import (
    Change,
    DifferencePiece,
    join_words,
    similarity,
    word_difference,
)

TEXT = st.lists(st.sampled_from(["cap", "the", "fees", ",", "(", ")", "paid", "."]), max_size=25)


def test_what_changes_is_told_word_by_word() -> None:
    pieces = word_difference(
        "Liability is capped at the fees.", "liability is limited to the fees paid."
    )
    assert pieces == [
        DifferencePiece(Change.SAME, "liability is"),
        DifferencePiece(Change.REMOVED, "capped at"),
        DifferencePiece(Change.ADDED, "limited to"),
        DifferencePiece(Change.SAME, "the fees"),
        DifferencePiece(Change.ADDED, "paid"),
        DifferencePiece(Change.SAME, "."),
    ]
    assert 0 < similarity(pieces) < 1


@given(TEXT, TEXT)
def test_both_texts_can_be_had_from_the_pieces(draft: list[str], precedent: list[str]) -> None:
    pieces = word_difference(" ".join(draft), " ".join(precedent))

    def without(change: Change) -> str:
        return " ".join(each.text for each in pieces if each.change is not change).replace(" ", "")

    assert without(Change.REMOVED) == join_words(precedent).replace(" ", "")
    assert without(Change.ADDED) == join_words(draft).replace(" ", "")
    assert similarity(word_difference(" ".join(draft), " ".join(draft))) == 1.0
