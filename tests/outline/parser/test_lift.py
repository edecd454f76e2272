"""Clauses are the contract's own, whatever heading happens to stand above the first."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import NodeKind

Make = Callable[..., Document]
NAMES = ("Flour", "Bread", "Payment", "Notices", "Law")
CLAUSES = "\n\n".join(
    f"{number}. {name}. The mill and the baker shall do what this clause says of {name.lower()}."
    for number, name in enumerate(NAMES, start=1)
)
WHY = (
    "WHY WE SIGN THIS\n\nThe mill mills and the baker bakes, and each wants the other to go on.\n\n"
)


def top(document: Make, text: str) -> list[str]:
    outline = build_outline(document(text))
    spans = [node.span for node in outline.nodes if node.parent is None]
    assert all(left.end <= right.start for left, right in pairwise(spans))
    return [
        node.label or node.kind.value
        for node in outline.nodes
        if node.parent is None and node.kind not in (NodeKind.TITLE, NodeKind.PARAGRAPH)
    ]


def test_clauses_stand_beside_the_heading_above_them(document: Make) -> None:
    text = f"FLOUR AGREEMENT\n\n{WHY}{CLAUSES}\n\nIN WITNESS WHEREOF, they sign.\n\nBy: ____\n"
    assert top(document, text) == ["section", "1", "2", "3", "4", "5", "signature"]


def test_items_keep_their_parents_when_clauses_are_lifted(document: Make) -> None:
    text = f"FLOUR AGREEMENT\n\n{WHY}{CLAUSES}\n\n(a) the law of the river; and\n\n(b) custom.\n"
    outline = build_outline(document(text))
    items = [node for node in outline.nodes if node.kind is NodeKind.ITEM]
    assert [node.label for node in items] == ["5(a)", "5(b)"]
    assert {outline.nodes[node.parent or 0].label for node in items} == {"5"}


def test_lists_under_several_headings_stay_there(document: Make) -> None:
    text = f"FLOUR AGREEMENT\n\nTHE MILL\n\n{CLAUSES}\n\nTHE BAKER\n\n{CLAUSES}\n"
    assert top(document, text) == ["section", "section"]


def test_a_list_that_another_heading_ends_stays_there(document: Make) -> None:
    text = f"FLOUR AGREEMENT\n\nWHAT IS MILLED\n\n{CLAUSES}\n\nWHO PAYS\n\nThe baker pays all.\n"
    assert top(document, text) == ["section", "section"]


def test_a_short_list_stays_under_its_heading(document: Make) -> None:
    text = f"FLOUR AGREEMENT\n\n{WHY}1. White flour.\n\n2. Brown flour.\n\nNo other flour is sold."
    assert top(document, text) == ["section"]
