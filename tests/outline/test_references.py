from __future__ import annotations

from collections.abc import Callable

from fourcorners.documents.document import Document
from fourcorners.outline.build import build
from fourcorners.outline.references import find_references

Make = Callable[..., Document]


def test_references_point_at_nodes(document: Make, supply: str) -> None:
    outline = build(document(supply))
    found = {
        reference.span.of(supply): outline.nodes[reference.target].label
        for reference in outline.references
        if reference.target is not None
    }
    assert found == {
        "Schedule 1": "Schedule 1",
        "Section 2.3": "2.3",
        "Section 2.2(b)(i)": "2.2(b)(i)",
    }


def test_ways_to_refer(document: Make, supply: str) -> None:
    said = (
        "See Sections 2.1 and 2.3, Article IX, paragraph 2 of Schedule 1, clause 3.1 and "
        "Section 5 of the Clean Oats Act."
    )
    text = supply.replace("no other terms apply to it.", said)
    outline = build(document(text))
    start = text.index(said)
    found = [
        (
            reference.span.of(text),
            outline.nodes[reference.target].label if reference.target is not None else None,
        )
        for reference in find_references(text, outline.nodes)
        if start <= reference.span.start < start + len(said)
    ]
    assert found == [
        ("Sections 2.1", "2.1"),
        ("2.3", "2.3"),
        ("Article IX", None),
        ("paragraph 2", "Schedule 1 2"),
        ("Schedule 1", "Schedule 1"),
        ("clause 3.1", "3.1"),
    ]


def test_headings_are_no_references(document: Make, supply: str) -> None:
    outline = build(document(supply))
    heading = supply.index("SCHEDULE 1")
    assert all(reference.span.start != heading for reference in outline.references)
