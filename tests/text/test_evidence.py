"""Quotes: found exactly, as print differs, nearly, or not at all; and checked."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fourcorners.errors import EvidenceError
from fourcorners.text.evidence import align_quote, quote_span, verify_quote
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

TEXT = (
    "7.1 The Supplier shall not assign this Agreement\nwithout the prior written con-\nsent of the "
    "Customer.\n7.2 The \u201cFee\u201d is due within thirty (30) days.\n"
    "8.1 The Fee is not refundable. The parties act in good faith.\n"
    "9.1 The Fee is not refundable.\n"
)
SECOND = TEXT.index("9.1 ")


def test_exact_words_are_found() -> None:
    found = align_quote("within thirty (30) days", TEXT)
    assert (found.match, found.score) == (Match.EXACT, 100.0)
    assert found.span is not None
    assert found.span.text_in(TEXT) == found.words == "within thirty (30) days"


def test_words_as_print_changed_them_are_found() -> None:
    found = align_quote('without the  prior written consent of the Customer.\n7.2 The "Fee"', TEXT)
    assert found.match is Match.NORMALISED
    assert found.words.startswith("without the prior written con-\nsent")
    assert found.words.endswith("\u201cFee\u201d")


def test_words_that_are_nearly_there_are_found_and_the_text_speaks() -> None:
    found = align_quote(
        "The Supplier shall not asign this Agreement without the prior writen consent "
        "of the Customer.",
        TEXT,
    )
    assert found.match is Match.FUZZY
    assert 95 <= found.score < 100
    assert found.words.startswith("The Supplier shall not assign")
    assert found.words.endswith("of the Customer.")


ASSIGNMENT = (
    "The Supplier shall not assign this Agreement without the prior written consent of the "
    "Customer, which shall not be unreasonably withheld, within thirty (30) days of the request, "
    "for a fee of $5,000 and not before the third year."
)


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("shall not assign", "shall assign"),
        ("shall not assign", "will not assign"),
        ("shall not be", "shall be"),
        ("unreasonably", "reasonably"),
        ("without the", "with the"),
        ("thirty (30)", "thirty (60)"),
        ("thirty (30)", "thirteen (30)"),
        ("30", "30 or more"),
        ("$5,000", "$6,000"),
        ("$5,000", "€5,000"),
        ("third year", "first year"),
        ("days", "weeks"),
    ],
)
def test_a_near_match_changes_no_denial_no_number_and_no_modal_verb(
    said: str, instead: str
) -> None:
    claim = ASSIGNMENT.replace(said, instead, 1)
    assert claim != ASSIGNMENT
    for words, text in ((claim, ASSIGNMENT), (ASSIGNMENT, claim)):
        assert align_quote(words, text).match is Match.UNVERIFIED
    slip = ASSIGNMENT.replace("written", "writen")
    assert align_quote(slip, ASSIGNMENT).match is Match.FUZZY


def test_a_claim_shorter_than_the_text_is_found_whole() -> None:
    """A window of the claim's length is less like it than the passage with its extra words."""
    passage = (
        "The Centre is at 4321 North Ballard Road, Appleton, Wisconsin, and all notices go there."
    )
    text = f"Before that. {passage} And so it ends, in the usual way, with a signature."
    found = align_quote(passage.replace("Ballard ", ""), text)
    assert found.match is Match.FUZZY
    assert found.words == passage


@pytest.mark.parametrize(
    "words",
    [
        "The Supplier shall indemnify the Customer against all losses.",
        "The Supplier shall not assign ... within thirty (30) days",  # not contiguous
        "due in 30 d",
        "",
        " \n",
        "\u200b",
    ],
)
def test_what_the_text_does_not_say_is_unverified(words: str) -> None:
    found = align_quote(words, TEXT)
    assert found == Quote(words, None, Match.UNVERIFIED, 0.0)
    assert not found.verified


def test_short_words_never_match_nearly() -> None:
    assert align_quote("thirty (31)", TEXT).match is Match.UNVERIFIED


def test_a_claim_longer_than_the_text_is_unverified() -> None:
    assert (
        align_quote("The Fee is not refundable. " * 3, "The Fee is not").match is Match.UNVERIFIED
    )


def test_the_first_place_counts_unless_another_is_asked_for() -> None:
    words = "The Fee is not refundable."
    first = align_quote(words, TEXT)
    second = align_quote(words, TEXT, within=Span(SECOND, len(TEXT)))
    assert first.span is not None
    assert second.span is not None
    assert first.span.start < SECOND <= second.span.start
    assert align_quote(words, TEXT, within=Span(0, 20)) == first


@pytest.mark.parametrize("words", ["The  Fee is not\nrefundable.", "The Fees is not refundable."])
def test_the_place_asked_for_counts_at_every_stage(words: str) -> None:
    found = align_quote(words, TEXT, within=Span(SECOND, len(TEXT)))
    assert found.span is not None
    assert found.span.start >= SECOND
    assert found.match is not Match.EXACT


def test_a_whole_word_goes_before_a_part_of_one() -> None:
    found = align_quote("act", "The contract says: act now.")
    assert found.span == Span(19, 22)
    assert align_quote("tract", "The contract.").span == Span(7, 12)


@given(st.text(min_size=1, max_size=80), st.data())
def test_words_of_the_text_are_always_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assume(text[start:end].strip())
    found = align_quote(text[start:end], text)
    assert found.match is Match.EXACT
    assert found.words == text[start:end].strip()
    verify_quote(found, text)


@given(st.text(st.sampled_from("ab cd\n-\u00a0\u00ad\u201c'")), st.text("ab cd-\"'\n", max_size=30))
def test_whatever_is_returned_verifies(text: str, words: str) -> None:
    found = align_quote(words, text)
    verify_quote(found, text)
    if found.span is not None:
        assert found.span.text_in(text) == found.words


def test_a_quote_is_of_words_that_are_there() -> None:
    assert quote_span(TEXT, Span(0, 3)).words == "7.1"
    for span in (Span(3, 3), Span(len(TEXT) - 1, len(TEXT) + 1)):
        with pytest.raises(EvidenceError, match="no words at"):
            quote_span(TEXT, span)


@pytest.mark.parametrize(
    "wrong",
    [
        Quote("7.2", Span(0, 3), Match.EXACT),
        Quote("", Span(0, 0), Match.EXACT),
        Quote("x", Span(len(TEXT), len(TEXT) + 1), Match.FUZZY),
        Quote("7.1", None, Match.EXACT),
        Quote("7.1", Span(0, 3), Match.UNVERIFIED),
    ],
)
def test_a_false_quote_is_refused(wrong: Quote) -> None:
    with pytest.raises(EvidenceError):
        verify_quote(wrong, TEXT)
