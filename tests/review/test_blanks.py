"""What a contract leaves blank, and what only looks like it."""

from __future__ import annotations

import pytest

from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.review.blanks import BlankKind, find_blanks
from fourcorners.text.span import Span

EMPTY = Outline(nodes=(), confidence=1.0)


def blanks(text: str, outline: Outline = EMPTY) -> list[tuple[str, str]]:
    return [(each.kind.value, each.span.text_in(text)) for each in find_blanks(text, outline)]


def signature_of(text: str) -> Outline:
    """An outline in which all behind "WHEREOF" is the signatures' part."""
    place = Span(text.index("WHEREOF"), len(text))
    return Outline((Node(0, None, NodeKind.SIGNATURE, "", None, place),), confidence=1.0)


@pytest.mark.parametrize(
    "block",
    [
        "ALDER LTD\n\nBy: /s/ Joan Ash\nName: Joan Ash\n\nBIRCH LTD\n\nBy: /s/ Tom Oak\n",
        "ALDER LTD        BIRCH LTD\n\n/s/ Joan Ash     /s/ Tom Oak\nBy: ______   By: ______\n",
        "ALDER LTD\n\n/s/ Joan Ash\nBy: ______\n\nBIRCH LTD\n\n/s/ Tom Oak\nBy: ______\n",
        "ALDER LTD By: /s/ Joan Ash Name: Joan Ash BIRCH LTD By: /s/ Tom Oak Name: Tom Oak",
        "ALDER LTD\n\nBy: /s/ Joan Ash\n    -----------------\n    Joan Ash, President\n",
        "ALDER LTD\n\n/s/ Joan Ash\n______________________\nJoan Ash\n",
        "ALDER LTD\n\nBy: ____/s/ Joan Ash____\nTitle: Director\n",
        "ALDER LTD\n\nBy: DocuSigned by: Joan Ash\n",
        "ALDER LTD\n\nBy: Joan Ash, Director\n\nWitness Signature: __________\n",
        "ALDER LTD\n\nSigned: (signed) Joan Ash\nDate: ____________\n",
    ],
)
def test_a_signed_contract_has_no_blank(block: str) -> None:
    text = f"The price is 5 dollars.\n\nIN WITNESS WHEREOF, the parties sign.\n\n{block}"
    assert blanks(text) == []
    assert blanks(text, signature_of(text)) == []


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        ("ALDER LTD\n\nBy: ____________\nName: Joan Ash\n", 1),
        ("ALDER LTD        BIRCH LTD\n\nBy: _________   By: __________\n", 2),
        ("ALDER LTD\n\nBy: /s/ Joan Ash\n\nBIRCH LTD\n\nBy: ____________\nName: Tom Oak\n", 1),
        ("ALDER LTD\n\nBy:\n   ----------------------\nName:\n", 1),
        ("Signed by ..............................\n", 1),
        ("Signature: X ______________\n", 1),
        ("ALDER LTD\n\n____________________\nJoan Ash\n", 1),
    ],
)
def test_a_line_that_nobody_signed(block: str, lines: int) -> None:
    text = f"The price is 5 dollars.\n\nIN WITNESS WHEREOF, the parties sign.\n\n{block}"
    found = blanks(text, signature_of(text))
    assert [kind for kind, _ in found] == ["signature"] * lines


@pytest.mark.parametrize(
    "words",
    [
        *(
            "September ___, 2019",
            "____ day of ________, 2021",
            "as of [●], 2020",
            "March [ ], 2024",
        ),
        *("___ day of May, 20__", "dated ________"),
    ],
)
def test_blank_dates(words: str) -> None:
    (blank,) = blanks(f"This Agreement, {words}, is between Alder Ltd and Birch Ltd.")
    assert blank[0] == BlankKind.DATE
    assert blank[1].strip() == words


@pytest.mark.parametrize(
    ("words", "blank"),
    [
        ("a firm and ______________ whose office is there", "______________"),
        ("a fee of [●] dollars", "[●]"),
        ("a fee of [insert amount in words] a year", "[insert amount in words]"),
        ("a fee of US$[ ] a year", "[ ]"),
        ("made with [Name of Customer] of Elm", "[Name of Customer]"),
        ("made with <insert name> of Elm", "<insert name>"),
        ("a fee of $______ per gallon", "______"),
        ("a term of ____ months", "____"),
        ("Attention: ________", "________"),
    ],
)
def test_blanks_to_be_filled(words: str, blank: str) -> None:
    assert [found for _, found in blanks(f"There is {words}.")] == [blank]


@pytest.mark.parametrize(
    "words",
    [
        "a fee of [***] dollars",
        "a fee of [*] dollars",
        "a fee of [XXXX] dollars",
        "words in brackets [ ] were left out",
        "[Signature page follows]",
        "[Remainder of page intentionally left blank]",
        "Section 4 [Intentionally omitted]",
        "PRICES\n____________________\n\nThe price is 5 dollars",
        "correct the error. ____________ Some words were left out",
        "under the name “Alder of [City]” and no other",
        "with __N/A____ of Elm",
        "the other party. 3 ____ ____",
        "Other (specify): ________",
    ],
)
def test_what_is_no_blank(words: str) -> None:
    assert blanks(f"There is {words}.") == []


def test_a_form_among_the_exhibits_is_meant_to_be_blank() -> None:
    text = "The price is 5.\n\nExhibit A\n\nForm of Order\n\nMade on May ___, 2020\nBy: _____\n"
    place = Span(text.index("Exhibit A"), len(text))
    exhibit = Node(0, None, NodeKind.SCHEDULE, "Exhibit A", None, place)
    assert blanks(text, Outline((exhibit,), confidence=1.0)) == []
