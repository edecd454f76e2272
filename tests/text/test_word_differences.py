from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.word_differences import Edit, EditKind, diff_words

SAME, GONE, COME = EditKind.EQUAL, EditKind.DELETE, EditKind.INSERT
WORDS = st.lists(
    st.sampled_from(
        ["the", "The", "Buyer", "shall", "pay", "30", "days", ".", ",", " ", "\n", "’s"]
    ),
    max_size=30,
)


def show(before: str, after: str) -> str:
    signs = {SAME: "{}", GONE: "[-{}-]", COME: "[+{}+]"}
    return "".join(signs[edit.kind].format(edit.text) for edit in diff_words(before, after))


@given(WORDS, WORDS)
def test_both_texts_are_whole_in_their_edits(before: list[str], after: list[str]) -> None:
    for space in ("", " "):
        old, new = space.join(before), space.join(after)
        edits = diff_words(old, new)
        assert "".join(each.text for each in edits if each.kind is not COME) == old
        assert "".join(each.text for each in edits if each.kind is not GONE) == new
        assert all(each.text for each in edits)
        assert all(one.kind is not other.kind for one, other in pairwise(edits))


def test_the_same_text_has_no_edit() -> None:
    assert diff_words("The Buyer pays.", "The Buyer pays.") == [Edit(SAME, "The Buyer pays.")]
    assert diff_words("", "") == []


def test_a_word_replaced_leaves_the_others() -> None:
    assert show("within thirty (30) days of notice", "within sixty (60) days of notice") == (
        "within [-thirty (30-][+sixty (60+]) days of notice"
    )


def test_words_come_and_go_with_one_space() -> None:
    assert show("pay within 30 days", "pay 30 days") == "pay [-within -]30 days"
    assert show("shall be liable", "shall not be liable") == "shall [+not +]be liable"
    assert show("It may end.", "It may end early.") == "It may end[+ early+]."


def test_a_sentence_is_one_change_from_its_beginning() -> None:
    assert show("A sells. C pays.", "A sells. B sells. C pays.") == "A sells. [+B sells. +]C pays."


def test_words_that_two_sentences_share_by_chance_are_no_common_text() -> None:
    before = "Neither party excludes liability for the wrongful acts of employees."
    after = "Customer indemnifies Supplier for the costs set out elsewhere."
    assert show(before, after).count("[+") == 1


def test_a_capital_or_a_space_is_a_difference_of_its_own() -> None:
    assert show("the Fee", "the fee") == "the [-Fee-][+fee+]"
    assert show("the  Fee", "the Fee") == "the [- -]Fee"


def test_time_grows_with_length_not_with_its_square() -> None:
    def seconds(count: int) -> float:
        words = [f"w{at * 7919 % 5003} the of" for at in range(count)]
        other = [each if at % 50 else "changed" for at, each in enumerate(words)]
        start = time.perf_counter()
        diff_words(" ".join(words), " ".join(other))
        return time.perf_counter() - start

    seconds(1_000)
    assert min(seconds(40_000) for _ in range(2)) < 8 * min(seconds(10_000) for _ in range(2))


def test_long_texts_without_a_rare_word_are_still_compared() -> None:
    before, after = "a b " * 30_000, "b a a " * 20_000
    edits = diff_words(before, after)
    assert "".join(each.text for each in edits if each.kind is not COME) == before
