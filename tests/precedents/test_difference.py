from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.precedents.difference import Change, Piece, difference, joined, likeness

TEXT = st.lists(st.sampled_from(["cap", "the", "fees", ",", "(", ")", "paid", "."]), max_size=25)


def test_what_changes_is_told_word_by_word() -> None:
    pieces = difference(
        "Liability is capped at the fees.", "liability is limited to the fees paid."
    )
    assert pieces == [
        Piece(Change.SAME, "liability is"),
        Piece(Change.REMOVED, "capped at"),
        Piece(Change.ADDED, "limited to"),
        Piece(Change.SAME, "the fees"),
        Piece(Change.ADDED, "paid"),
        Piece(Change.SAME, "."),
    ]
    assert 0 < likeness(pieces) < 1


@given(TEXT, TEXT)
def test_both_texts_can_be_had_from_the_pieces(draft: list[str], precedent: list[str]) -> None:
    pieces = difference(" ".join(draft), " ".join(precedent))

    def without(change: Change) -> str:
        return " ".join(each.text for each in pieces if each.change is not change).replace(" ", "")

    assert without(Change.REMOVED) == joined(precedent).replace(" ", "")
    assert without(Change.ADDED) == joined(draft).replace(" ", "")
    assert likeness(difference(" ".join(draft), " ".join(draft))) == 1.0
