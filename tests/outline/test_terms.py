from __future__ import annotations

import time

import pytest

from fourcorners.outline.terms import find_terms, find_uses


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('"Goods" means the oats. More.', ["Goods"]),
        ("“Goods” shall mean the oats.", ["Goods"]),
        ('"Goods" or "Oats" means the oats.', ["Goods", "Oats"]),
        ('"Goods" has the meaning given in Section 2.', ["Goods"]),
        ('Alder Mills, Inc. (the "Supplier") sells.', ["Supplier"]),
        ('the oats and the barley (collectively, the "Goods").', ["Goods"]),
        ('the oats ("Goods" and, with the barley, "Grain").', ["Goods", "Grain"]),
        ('Alder, hereinafter referred to as the "Supplier", sells.', ["Supplier"]),
        ('They are referred to individually as a "Party".', ["Party"]),
        ('(together with any successor or assign, "Tax Party") pays.', ["Tax Party"]),
        ("Alder Mills (the ‘Supplier’) sells.", ["Supplier"]),
        ('Alder ("we," "us," or "our") sells.', ["we", "us", "our"]),
        ("Goods means the oats.", ["Goods"]),
        ("1.2 Trade Mark shall mean the mark.", ["Trade Mark"]),
        ('"Goods" of a Party means the oats.', ["Goods"]),
        ('"Goods", with respect to this Agreement, means the oats.', ["Goods"]),
        ("(a) **“Goods”** means the oats.", ["Goods"]),
        ('marked with words (such as "Confidential") in red', []),
        ('as Section 1.44 ("Product Sale") says', []),
        ('the word "including" means without limit', []),
        ('He said "Yes" to it.', []),
        (
            "Goods\u2003shall\nmean oats. Grain shall have the same meaning as in it.",
            ["Goods", "Grain"],
        ),
        ("1. ‘Goods’ means oats. (the ‘Supplier’) sells.", ["Goods", "Supplier"]),
        ('Oats [in sacks (sealed), the "Goods"] are sold.', ["Goods"]),
        ('Oats (in sacks). The "Goods" are sold.', []),
        ('The word "Goods" is painted on the sacks (in red).', []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    found = find_terms(text)
    assert [term.term for term in found] == terms
    for term in found:
        assert term.span.text_in(text) == term.term
        assert term.definition.contains(term.span)


def test_definition_is_the_sentence() -> None:
    text = 'Before. "Goods" means the oats of Dr. Alder, milled. After it.'
    (term,) = find_terms(text)
    assert term.definition.text_in(text) == '"Goods" means the oats of Dr. Alder, milled.'


def test_blanks_and_quotes_take_linear_time() -> None:
    text = '"Goods"' + " " * 20_000 + '"Goods" , or "Oats" ' * 2_000
    start = time.process_time()
    find_terms(text)
    assert time.process_time() - start < 10


def test_lists_of_terms() -> None:
    text = (
        '(i) "RFI" - a request.\n(ii) "DAY" or "DAYS" - calendar days.\n(iii) "ECO" - an order.\n'
        '(iv) "ECR" - another.\nHe said "Yes" - and left.\n'
    )
    assert [term.term for term in find_terms(text)] == ["RFI", "DAY", "ECO", "ECR"]


def test_alphabetical_lists_without_quotation_marks() -> None:
    text = (
        "Carrier: the person who carries.\nGoods: the oats.\nMill: a mill at Alder.\n"
        "Price: the price of the Goods.\n"
    )
    assert [term.term for term in find_terms(text)] == ["Carrier", "Goods", "Mill", "Price"]
    addresses = "Notices: to Alder.\nFax: a number.\nBuyer: the address.\nAttention: the head.\n"
    assert find_terms(addresses) == ()


def uses(text: str) -> list[tuple[str, str]]:
    terms = find_terms(text)
    return [(use.span.text_in(text), terms[use.term].term) for use in find_uses(text, terms)]


def test_uses_are_whole_words_the_longest_first() -> None:
    text = (
        '"Net Sales" means sales. "Net Sales Report" means a report. The Net Sales Report shows '
        "Net Sales, not Netsales or the Net."
    )
    assert uses(text) == [("Net Sales Report", "Net Sales Report"), ("Net Sales", "Net Sales")]


def test_plurals_possessives_and_capitals_are_uses() -> None:
    text = '"Product(s)" means oats. "Party" means one. Products, a PRODUCT, the Party\'s, Parties.'
    assert [said for said, _ in uses(text)] == ["Products", "PRODUCT", "Party's", "Parties"]


def test_a_definition_is_no_use() -> None:
    text = '"Goods" means oats. Later "Goods" means barley.'
    assert uses(text) == []


def test_uses_take_linear_time() -> None:
    terms = " ".join(f'"Term {chr(65 + n % 26)}{n}" means x.' for n in range(300))
    text = terms + " The Term A0 and Term Term Term B1." * 5_000
    start = time.process_time()
    find_uses(text, find_terms(text))
    assert time.process_time() - start < 20
