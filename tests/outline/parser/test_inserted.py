"""Clauses put in later, such as 2A.1 and 1bis, are clauses with their own place and number."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import ReferenceKind
from fourcorners.review.lint import Check, lint_contract

Make = Callable[..., Document]
BREAK = "\n" * 6
WORDS = "The Supplier shall do what this clause says of flour."
SUPPLY = """SUPPLY AGREEMENT

This Supply Agreement is made on 3 March 2024 between Harbour Mills Limited
("Supplier") and Tilden Foods plc ("Buyer").

1. SUPPLY
1.1 The Supplier shall sell flour to the Buyer as stated in clause 2A.1.
1.1A The Supplier shall keep records.
1.2 The Supplier shall deliver the flour to Dover.

2. DELIVERY
2.1 Delivery is made weekly.

2A. RECALL
2A.1 The Supplier shall recall flour that is unsafe.
2A.2 The Buyer shall help.

3. LAW
3.1 English law governs this Agreement. Clauses 1.1A and 2A.9 survive.
"""


def tree(document: Make, numbers: str) -> str:
    """Outline clauses with these numbers, one a line; nested ones are in brackets."""
    lines = [f"{number} {WORDS}" for number in numbers.split("|")]
    nodes = [each for each in build_outline(document("\n\n".join(lines))).nodes if each.label]

    def shown(parent: int | None) -> str:
        inner = [node.label + shown(node.id) for node in nodes if node.parent == parent]
        return f"[{' '.join(inner)}]" if inner and parent is not None else " ".join(inner)

    return shown(None)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ("1.|2.|2A.|2B.|2C.|3.|4.", "1 2 2A 2B 2C 3 4"),
        ("1.|1.1|2.|2.1|2.2|2A.|2A.1|2A.2|3.|3.1", "1[1.1] 2[2.1 2.2] 2A[2A.1 2A.2] 3[3.1]"),
        ("1.|1.1|1.1A|1.1B|1.2|2.|2.1", "1[1.1 1.1A 1.1B 1.2] 2[2.1]"),
        ("1.|4.|4.1|4.2|4.2.1|4.2.1A|4.2.2|4.3", "1 4[4.1 4.2[4.2.1 4.2.1A 4.2.2] 4.3]"),
        ("1.|2.|3.|3A.|3AA.|3B.|4.", "1 2 3 3A 3AA 3B 4"),
        ("1.|2.|2ZA.|2A.|3.|4.", "1 2 2ZA 2A 3 4"),
        ("1.|1bis.|1ter.|2.|3.|4.", "1 1bis 1ter 2 3 4"),
        ("Clause 1|Clause 2|Clause 3|Clause 3A|Clause 3AA|Clause 4", "1 2 3 3A 3AA 4"),
        (
            "Article 13|Article 14|Article 14-1|Article 14-2|Article 15",
            "Article 13 Article 14 Article 14-1 Article 14-2 Article 15",
        ),
        ("13.|14.|14-1.|14-2.|15.|16.", "13 14 14-1 14-2 15 16"),
        ("1.|(1)|(2)|(2A)|(3)|2.|3.", "1[1(1) 1(2) 1(2A) 1(3)] 2 3"),
        ("1.|1.1|1.2|1.2(1)|1.2(2)|1.2(2A)|1.3|2.", "1[1.1 1.2[1.2(1) 1.2(2) 1.2(2A)] 1.3] 2"),
        ("1.|2.|2.A|2.B|2.C-D|2.E|3.", "1 2[2.A 2.B 2.C-D 2.E] 3"),
        # Parts of clauses, wherever there are several of them.
        ("1.|1A.|1B.|2.|2A.|2B.|3.|3A.|3B.", "1[1A 1B] 2[2A 2B] 3[3A 3B]"),
        # The words after a number: "A party", an address, a pitch, a size.
        ("1.|1.1A|1.2|1.3|2.", "1[1.1 1.2 1.3] 2"),
        (
            "1.|1.1|1.1A party|1.2|2.|2 A. Smith Street|3.|3D Systems|4.|10-12 Mills|5.",
            "1[1.1 1.1 1.2] 2 3 4 5",
        ),
    ],
)
def test_place_of_an_inserted_clause(document: Make, numbers: str, expected: str) -> None:
    assert tree(document, numbers) == expected


@pytest.mark.parametrize(
    ("numbers", "cited", "label"),
    [
        ("Article 1|Article 2|Article 2-1|Article 3", "Article 2-1", "Article 2-1"),
        ("1.|2.|2bis.|3.", "clause 2 bis", "2bis"),
        ("1.|(1)|(2)|(2A)|2.|3.", "clause 1(2A)", "1(2A)"),
        ("1.|1.1|(a)|2.|2.1|3.", "clause 1.1A", None),
        ("1.|2.|3.", "Section 409A", "no reference"),
    ],
)
def test_citation_of_an_inserted_clause(
    document: Make, numbers: str, cited: str, label: str | None
) -> None:
    clauses = "\n\n".join(f"{each} {WORDS}" for each in numbers.split("|"))
    made = document(clauses.replace(WORDS, f"It is as {cited} says.", 1))
    outline = build_outline(made)
    found = [
        None if each.target is None else outline.nodes[each.target].label
        for each in outline.references
        if each.kind is ReferenceKind.NUMBERED
    ]
    assert found == ([] if label == "no reference" else [label])


@pytest.mark.parametrize("name", ["Schedule 1A", "Schedule A1", "Annex B2"])
def test_schedule_put_in_later(document: Make, name: str) -> None:
    clauses = "\n\n".join(f"{number}. {WORDS} See {name}." for number in (1, 2, 3, 4))
    signed = "IN WITNESS WHEREOF, the parties have signed.\n\nBy: ________\n"
    text = f"{clauses}\n\n{signed}{BREAK}{name.upper()}\n\nKINDS OF FLOUR\n\n{WORDS}\n"
    outline = build_outline(document(text))
    assert [node.label for node in outline.nodes if node.label][4:] == [name]
    assert {each.target for each in outline.references if each.raw == name} == {
        next(node.id for node in outline.nodes if node.label == name)
    }


def test_inserted_clauses_are_cited_and_missed(document: Make) -> None:
    made = document(SUPPLY)
    outline = build_outline(made)
    labels = [node.label for node in outline.nodes if node.label]
    assert labels == ["1", "1.1", "1.1A", "1.2", "2", "2.1", "2A", "2A.1", "2A.2", "3", "3.1"]
    cited = {
        each.raw: None if each.target is None else outline.nodes[each.target].label
        for each in outline.references
    }
    assert cited == {"Clause 2A.1": "2A.1", "Clause 1.1A": "1.1A", "Clause 2A.9": None}
    dangling = [
        each for each in lint_contract(made, outline).issues if each.check is Check.DANGLING
    ]
    assert [each.span.text_in(SUPPLY) for each in dangling] == ["2A.9"]
