from __future__ import annotations

import pytest

from fourcorners.text.stems import content_tokens, stem_tokens, stems


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
    assert stem_tokens([one]) == stem_tokens([other])


def test_every_token_has_its_stem_in_order() -> None:
    tokens = ["the", "rents", "", "é", "paid"]
    assert len(stem_tokens(tokens)) == len(tokens)
    assert stem_tokens(tokens)[1] == "rent"
    assert stem_tokens([]) == []


def test_words_that_tell_nothing_are_left_out_unless_there_are_no_others() -> None:
    assert content_tokens(["is", "there", "a", "clause", "on", "escrow"]) == ["escrow"]
    assert content_tokens(["which", "contract"]) == ["contract"]
    assert content_tokens(["is", "it"]) == ["is", "it"]
    assert stems("Which of the licences may be assigned?") == ["licens", "assign"]
