"""Orders to whoever reads a contract for others are found, and its terms are not taken for them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fourcorners.text.injections import find_injections

WORDS = yaml.safe_load(Path(__file__).with_name("orders.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("words", WORDS["orders"])
def test_an_order_is_found_in_any_words(words: str) -> None:
    assert find_injections(words)
    assert find_injections(f"7.2 {words.upper()}\n7.3 Time is of the essence.\n")


@pytest.mark.parametrize("words", WORDS["terms"])
def test_a_term_is_no_order(words: str) -> None:
    assert find_injections(words) == ()
