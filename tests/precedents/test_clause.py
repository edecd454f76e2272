from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.precedents.clause import Clause, ClausePlace, fold_duplicates, normalised_words
from fourcorners.text.normalisation import normalise_text


def test_number_case_and_typography_make_no_other_clause() -> None:
    one = "7.2 The Supplier’s liability is capped."
    assert normalised_words(one) == normalised_words("(b) THE SUPPLIER'S  liability\nis capped.")
    assert normalised_words("7.2 Capped.") != normalised_words("7.2 Not capped.")
    assert normalised_words("Paid in 30 days.") != normalised_words("Paid in 60 days.")


def test_the_same_words_are_kept_once_with_all_their_places() -> None:
    clauses = [
        Clause("1. Notices are in writing.", (ClausePlace("a"),)),
        Clause("Other words.", (ClausePlace("b"),), 2),
        Clause("9.1 Notices are in  writing.", (ClausePlace("c"),), 4, "Notices"),
        Clause("Notices are in writing.", (ClausePlace("d"),), 1),
    ]
    folded = fold_duplicates(clauses)
    assert [each.text for each in folded] == ["1. Notices are in writing.", "Other words."]
    assert [place.source for place in folded[0].places] == ["a", "c", "d"]
    assert folded[0].stars == 4
    assert folded[0].provision == "Notices"


@given(st.text(alphabet="aB- `'\"\n\r\t.1é’“\u00ad", max_size=40))
def test_the_quick_way_to_the_same_words_is_the_slow_one(text: str) -> None:
    slow = " ".join(normalise_text(text).text.casefold().split())
    assert normalised_words(f"words {text}") == " ".join(f"words {slow}".split())
