"""Where words and changes are in the open document."""

from __future__ import annotations

from fourcorners.documents.docx.body_paragraphs import BodyParagraph
from fourcorners.redline.proposal import Extent, ProposedChange, Source
from fourcorners.server.word.placement import WordEdit, place_change, place_replacement, place_words
from fourcorners.text.span import Span
from fourcorners.text.word_differences import diff_words

TEXT = "1. The Seller pays in ten days.\n\n2. The Buyer pays at once.\n\n[1] A note."
PARAGRAPHS = (
    BodyParagraph(4, "The Seller pays in ten days.", (Span(3, 31),)),
    BodyParagraph(6, "The Buyer pays at once.", (Span(36, 47), Span(47, 59))),
)


def change(start: int, end: int, after: str) -> ProposedChange:
    span = Span(start, end)
    edits = tuple(diff_words(span.text_in(TEXT), after))
    return ProposedChange(
        *("payment", "Payment", Extent.WORDS, span, edits, "", "preferred", ""),
        *((), (), Source("ours")),
    )


def edits(made: ProposedChange) -> list[tuple[int, int, int, str]]:
    found = place_change(PARAGRAPHS, made, "id", "why")
    assert (found.id, found.comment) == ("id", "why")
    return [_plain(each) for each in found.edits]


def _plain(edit: WordEdit) -> tuple[int, int, int, str]:
    return edit.place.paragraph, edit.place.start, edit.place.end, edit.added


def test_words_are_placed_by_paragraph() -> None:
    start = TEXT.index("Buyer")
    place = place_words(PARAGRAPHS, Span(start, start + 10))
    assert place is not None
    assert (place.paragraph, place.start, place.end) == (6, 4, 14)
    assert place.text[place.start : place.end] == "Buyer pays"


def test_a_number_that_word_computes_is_left_out() -> None:
    place = place_words(PARAGRAPHS, Span(0, 13))
    assert place is not None
    assert place.text[place.start : place.end] == "The Seller"


def test_words_outside_the_body_have_no_place() -> None:
    assert place_words(PARAGRAPHS, Span(TEXT.index("A note"), len(TEXT))) is None
    assert place_words(PARAGRAPHS, None) is None


def test_each_difference_is_one_edit() -> None:
    start = TEXT.index("The Seller")
    made = change(start, start + 28, "The Purchaser pays in ten months.")
    assert edits(made) == [(4, 4, 10, "Purchaser"), (4, 23, 27, "months")]


def test_words_that_only_come_or_only_go() -> None:
    start = TEXT.index("The Buyer")
    assert edits(change(start, start + 14, "The Buyer promptly pays")) == [(6, 10, 10, "promptly ")]
    assert edits(change(start, start + 14, "The pays")) == [(6, 4, 10, "")]


def test_words_that_come_first_in_a_paragraph_are_in_it() -> None:
    start = TEXT.index("The Seller")
    assert edits(change(start, start, "Subject to this, ")) == [(4, 0, 0, "Subject to this, ")]


def test_a_change_over_the_end_of_a_paragraph_is_refused() -> None:
    start = TEXT.index("ten days")
    found = place_change(PARAGRAPHS, change(start, start + 15, "time"), "id", "")
    assert found.edits == []
    assert "several paragraphs" in found.obstacle


def test_words_are_put_back_in_the_place_of_others() -> None:
    start = TEXT.index("ten")
    found = place_replacement(PARAGRAPHS, Span(start, start + 3), "sixty", "Rejected.")
    assert [_plain(each) for each in found.edits] == [(4, 19, 22, "sixty")]
    gone = place_replacement(PARAGRAPHS, Span(start, start), "some ", "")
    assert [_plain(each) for each in gone.edits] == [(4, 19, 19, "some ")]
    assert place_replacement(PARAGRAPHS, Span(start, start + 3), "a\n\nb", "").obstacle
