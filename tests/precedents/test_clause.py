from __future__ import annotations

from fourcorners.precedents.clause import Clause, Place, once, same_words


def test_number_case_and_typography_make_no_other_clause() -> None:
    one = "7.2 The Supplier’s liability is capped."
    assert same_words(one) == same_words("(b) THE SUPPLIER'S  liability\nis capped.")
    assert same_words("7.2 Capped.") != same_words("7.2 Not capped.")


def test_the_same_words_are_kept_once_with_all_their_places() -> None:
    clauses = [
        Clause("1. Notices are in writing.", (Place("a"),)),
        Clause("Other words.", (Place("b"),), 2),
        Clause("9.1 Notices are in  writing.", (Place("c"),), 4, "Notices"),
        Clause("Notices are in writing.", (Place("d"),), 1),
    ]
    folded = once(clauses)
    assert [each.text for each in folded] == ["1. Notices are in writing.", "Other words."]
    assert [place.source for place in folded[0].places] == ["a", "c", "d"]
    assert folded[0].stars == 4
    assert folded[0].provision == "Notices"
