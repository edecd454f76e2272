import random

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.near_duplicates import (
    find_similar_pairs,
    group_pairs,
    resemblance,
    sketch,
)
from fourcorners.text.tokenization import tokenize

WORDS = [f"word{number}" for number in range(400)]


def _text(seed: int, length: int = 900) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))


def _changed(text: str, share: float, seed: int) -> str:
    chance = random.Random(seed)
    return " ".join("other" if chance.random() < share else word for word in text.split())


def test_a_text_resembles_itself_whatever_its_case_and_spaces() -> None:
    text = _text(1)
    assert resemblance(sketch(text), sketch(text.upper().replace(" ", "\n  "))) == 1.0


def test_strangers_do_not_resemble_each_other() -> None:
    assert resemblance(sketch(_text(1)), sketch(_text(2))) < 0.05


def test_the_estimate_is_near_the_share_of_common_runs() -> None:
    one = _text(3, 4_000)
    other = _changed(one, 0.03, seed=4)

    def runs(text: str) -> set[str]:
        tokens = tokenize(text).tokens
        return {" ".join(tokens[at : at + 5]) for at in range(len(tokens) - 4)}

    true = len(runs(one) & runs(other)) / len(runs(one) | runs(other))
    assert abs(resemblance(sketch(one), sketch(other)) - true) < 0.08


def test_finds_versions_among_strangers() -> None:
    texts = {f"contract {number}": _text(number) for number in range(40)}
    texts["version"] = _changed(texts["contract 7"], 0.01, seed=5)
    found = find_similar_pairs({name: sketch(text) for name, text in texts.items()}, 0.8)
    assert [(pair.left, pair.right) for pair in found] == [("contract 7", "version")]


def test_a_template_used_by_many_is_one_family() -> None:
    template = _text(9)
    texts = {f"copy {number:03}": _changed(template, 0.002, number) for number in range(120)}
    pairs = find_similar_pairs({name: sketch(text) for name, text in texts.items()}, 0.8)
    assert group_pairs((each.left, each.right) for each in pairs) == [tuple(sorted(texts))]


def test_families_join_through_others() -> None:
    pairs = [("a", "b"), ("b", "c"), ("x", "y")]
    assert group_pairs(pairs) == [("a", "b", "c"), ("x", "y")]


@given(st.text(max_size=300), st.text(max_size=300))
def test_resemblance_is_a_share_and_knows_no_order(one: str, other: str) -> None:
    first, second = sketch(one), sketch(other)
    assert 0.0 <= resemblance(first, second) <= 1.0
    assert resemblance(first, second) == resemblance(second, first)
