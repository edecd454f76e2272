from __future__ import annotations

import time

import pytest

from fourcorners.outline.terms import find_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('"Goods" means the oats. More.', ["Goods"]),
        ("“Goods” shall mean the oats.", ["Goods"]),
        ('"Goods" or "Oats" means the oats.', ["Goods", "Oats"]),
        ('"Goods" has the meaning given in Section 2.', ["Goods"]),
        ('Alder Mills, Inc. (the "Supplier") sells.', ["Supplier"]),
        ('the oats and the barley (collectively, the "Goods").', ["Goods"]),
        ('He said "Yes" to it.', []),
        ('The word "Goods" is painted on the sacks (in red).', []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    found = find_terms(text)
    assert [term.term for term in found] == terms
    for term in found:
        assert term.span.of(text) == term.term
        assert term.definition.contains(term.span)


def test_definition_is_the_sentence() -> None:
    text = 'Before. "Goods" means the oats of Dr. Alder, milled. After it.'
    (term,) = find_terms(text)
    assert term.definition.of(text) == '"Goods" means the oats of Dr. Alder, milled.'


def test_blanks_and_quotes_take_linear_time() -> None:
    text = '"Goods"' + " " * 20_000 + '"Goods" , or "Oats" ' * 2_000
    start = time.process_time()
    find_terms(text)
    assert time.process_time() - start < 2
