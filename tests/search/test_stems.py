from __future__ import annotations

import pytest

from fourcorners.search.stems import stemmed, stems, telling


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("exclusivity", "exclusive"),
        ("assignments", "assign"),
        ("licence", "license"),
        ("favoured", "favored"),
        ("terminated", "termination"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stemmed([one]) == stemmed([other])


def test_every_token_has_its_stem_in_order() -> None:
    tokens = ["the", "rents", "", "é", "paid"]
    assert len(stemmed(tokens)) == len(tokens)
    assert stemmed(tokens)[1] == "rent"
    assert stemmed([]) == []


def test_words_that_tell_nothing_are_left_out_unless_there_are_no_others() -> None:
    assert telling(["is", "there", "a", "clause", "on", "escrow"]) == ["escrow"]
    assert telling(["which", "contract"]) == ["contract"]
    assert telling(["is", "it"]) == ["is", "it"]
    assert stems("Which of the licences may be assigned?") == ["licens", "assign"]
