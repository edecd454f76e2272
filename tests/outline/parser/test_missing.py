"""Numbers that a gap in the sequence promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline

Make = Callable[..., Document]
NAMES = ("Flour", "Bread", "Payment", "Notices", "Law")
WORDS = "The mill and the baker shall do what this clause says."
CLAUSES = "\n\n".join(f"{number}. {name}. {WORDS}" for number, name in enumerate(NAMES, start=1))
FLAT = CLAUSES.replace("\n\n", " ")


def tops(document: Document) -> list[str]:
    return [
        node.label for node in build_outline(document).nodes if node.parent is None and node.label
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (CLAUSES, "3.. Payment"),
        (CLAUSES, "3 .PAYMENT"),
        (FLAT, "3 Payment"),
        (FLAT, "3 PAYMENT AND PRICES\n\nThe mill is paid."),
        (CLAUSES, "four days later at a share of 30% 3. Payment"),
    ],
)
def test_a_number_between_its_neighbours(document: Make, text: str, written: str) -> None:
    assert tops(document(text.replace("3. Payment", written))) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("cited", ["Section 4 Notices.", "the 4 Mills", "in Clause\n4. Notices"])
def test_a_reference_fills_no_gap(document: Make, cited: str) -> None:
    text = CLAUSES.replace(f"4. Notices. {WORDS}", f"The mill does as said under {cited}.")
    assert tops(document(text)) == ["1", "2", "3", "5"]


def test_article_behind_a_number_that_ends_a_sentence(document: Make) -> None:
    text = " ".join(
        f"ARTICLE {n} - {name.upper()} {n}.1 The mill mills from 1 May through August 31."
        for n, name in enumerate(NAMES, start=1)
    )
    assert tops(document(text)) == [f"Article {n}" for n in range(1, 6)]


def test_parent_of_decimals_whose_heading_runs_on(document: Make) -> None:
    first = "1 Definitions For the purpose of this contract, the following: "
    terms = " ".join(
        f'1.{n} "{name}" shall mean what is milled.' for n, name in enumerate(NAMES, 1)
    )
    rest = " ".join(f"{n} {NAMES[n - 1]} {n}.1 Scope. {WORDS} {n}.2 Care. {WORDS}" for n in (2, 3))
    text = f"The parties hereby agree as follows: {first}{terms} {rest}"
    assert tops(document(text)) == ["1", "2", "3"]


@pytest.mark.parametrize("end", [". The mill", ": except as said, the mill"])
def test_a_heading_that_has_lost_its_number(document: Make, end: str) -> None:
    clauses = "\n\n".join(
        f"{number}. {name.upper()} OF THE MILL{end} mills." for number, name in enumerate(NAMES, 1)
    ).replace("4. ", "")
    nodes = [node for node in build_outline(document(clauses)).nodes if node.parent is None]
    assert [node.label for node in nodes] == ["1", "2", "3", "", "5"]
    assert nodes[3].heading is not None
    assert nodes[3].heading.text_in(clauses) == "NOTICES OF THE MILL"


@pytest.mark.parametrize("dash", ["- ", "", ": "])
def test_schedule_between_its_neighbours(document: Make, dash: str) -> None:
    signed = "IN WITNESS WHEREOF, the parties have signed.\n\nBy: ________"
    flour = f"SCHEDULE A {dash}Flour of wheat ATP Flour of rye SCHEDULE B {dash}Bread of rye"
    text = f"{CLAUSES}\n\n{signed}\n\n{flour}\n\nSCHEDULE C {dash}Prices\n"
    assert tops(document(text))[-3:] == ["Schedule A", "Schedule B", "Schedule C"]


def test_a_gap_that_stays_makes_the_outline_less_sure(document: Make) -> None:
    whole = build_outline(document(CLAUSES)).confidence
    torn = build_outline(document(CLAUSES.replace(f"3. Payment. {WORDS}\n\n", ""))).confidence
    again = build_outline(document(f"{CLAUSES}\n\n{CLAUSES}")).confidence
    assert 0.5 <= torn < whole
    assert 0.5 <= again < whole
