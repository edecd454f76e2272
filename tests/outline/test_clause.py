from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.clause import MAX_LENGTH, enclosing_clause, find_lead_ins, skip_heading
from fourcorners.outline.tree import Outline
from fourcorners.text.span import Span

Make = Callable[..., Document]
WINDOWS = Outline(nodes=(), confidence=0.0, windows=True)


def place(text: str, words: str) -> Span:
    return Span(text.index(words), text.index(words) + len(words))


def test_item_is_shown_with_its_lead_in(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))
    for words in ("insure them", "the carrier has insured", "deliver the Goods to"):
        clause = enclosing_clause(outline, supply, place(supply, words)).text_in(supply)
        assert clause.startswith("2.2 Delivery. Supplier shall:")
        assert clause.endswith("(c) tell Buyer when they leave.")


def test_section_is_a_clause(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))
    clause = enclosing_clause(outline, supply, place(supply, "ninety days' notice")).text_in(supply)
    assert clause.startswith("3.2 Termination for Convenience.")
    assert clause.endswith("notice.")


def test_quote_over_two_clauses(document: Make, supply: str) -> None:
    outline = build_outline(document(supply))
    start, end = place(supply, "Each order").start, place(supply, "Supplier shall:").end
    clause = enclosing_clause(outline, supply, Span(start, end)).text_in(supply)
    assert clause.startswith("2. SUPPLY")


def test_windows_give_the_sentences() -> None:
    text = "Oats are milled. The price is ten. It is paid monthly.\n\nNext paragraph of text."
    assert (
        enclosing_clause(WINDOWS, text, place(text, "price"))
        .text_in(text)
        .startswith("The price is ten.")
    )


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=3_000), st.data())
def test_clause_holds_the_span(document: Make, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = Span(start, end).strip(text)
    for outline in (WINDOWS, build_outline(document(text))):
        clause = enclosing_clause(outline, text, span)
        assert clause.contains(span)
        assert len(clause) <= max(MAX_LENGTH, len(span) + 3_000)


LISTS = """LETTING OF A BARN

This Letting is made on 1 May 2020 by Hay Limited (the "Owner") and Oats Limited (the "Tenant").

1. USE
1.1 The barn is of oak. The Tenant shall not:
(a) sell straw;
(b) let in
(i) goats; or
(ii) geese; or
(c) light fires.

2. PAY
2.1 The Tenant must not:
2.1.1 pay late;
2.1.2 pay in coin.

3. CARE
3.1 The Owner mends the roof.
3.2 The Tenant sweeps.
"""


def test_points_of_a_list_have_lead_ins(document: Make) -> None:
    outline = build_outline(document(LISTS))

    def leads(words: str) -> list[str]:
        found = find_lead_ins(outline, LISTS, LISTS.index(words))
        return [each.text_in(LISTS) for each in found]

    assert leads("sell straw") == ["The Tenant shall not"]
    assert leads("geese") == ["The Tenant shall not", "let in"]
    assert leads("pay in coin") == ["The Tenant must not"]
    assert leads("The Tenant sweeps") == []
    assert leads("The barn is") == []


@pytest.mark.parametrize(
    ("words", "path", "rest"),
    [
        ("6.1 If the yard is late", ("6 Delay", "6.1"), "If the yard is late"),
        ("3. Appointment 3.1 Alder appoints", ("3 Appointment", "3.1"), "Alder appoints"),
        ("Section 4.01 Cover. Seller shall", ("Article 4 COVER", "4.01 Cover"), "Seller shall"),
        ("(1) This contract", ("17 Law", "17(1)"), "This contract"),
        ("(a) Alder grants", ("Fifth Marks", "Fifth(a)"), "Alder grants"),
        ("INSURANCE\nThe Tenant insures", ("INSURANCE",), "The Tenant insures"),
        ("**4. Term** This runs", ("4 Term",), "This runs"),
        ("A party may leave", ("7 End", "7(a)"), "A party may leave"),
        ("Insurance is kept", ("7 Insurance",), "Insurance is kept"),
        ("7 Insurance. Insurance is kept", ("7 Insurance",), "Insurance is kept"),
        ("“14.3 Liability ends", ("2 Liability",), "“14.3 Liability ends"),
        ("2 days after it", ("4 Notice",), "2 days after it"),
        ("4.", ("4",), "4."),
        ("10.2 Each party pays", ("Schedule 1",), "Each party pays"),
        ("(c) Save as provided", (), "Save as provided"),
        ("1.5 per cent is due", (), "1.5 per cent is due"),
        ("Anything", (), "Anything"),
    ],
)
def test_words_begin_after_the_number_and_the_heading(
    words: str, path: tuple[str, ...], rest: str
) -> None:
    assert words[skip_heading(words, path) :] == rest
