from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.precedents import clause as gather
from fourcorners.text.span import Span
from tests.conftest import Program


@pytest.fixture
def library(larch: Program) -> Library:
    return Library.open(larch.folder / "fourcorners.db", create=False)


def test_contracts_are_cut_into_clauses_that_stand_where_they_say(library: Library) -> None:
    with library:
        found = gather.library_clauses(library, "Project Larch")
        assert len(found) > 50
        spans: dict[str, list[tuple[int, int]]] = {}
        for clause in found:
            for place in clause.places:
                assert place.span is not None
                spans.setdefault(place.document, []).append((place.span.start, place.span.end))
            first = clause.places[0]
            assert first.span is not None
            assert first.span.text_in(library.text(first.document)) == clause.text
            assert len(clause.text.split()) >= gather.MIN_WORDS
        for each in spans.values():  # one stands within another, or apart from it
            for one, two in pairwise(sorted(each, key=lambda span: (span[0], -span[1]))):
                assert one[1] <= two[0] or two[1] <= one[1]


def test_a_collection_that_is_not_there_is_told(library: Library, tmp_path: Path) -> None:
    assert tmp_path.is_dir()
    with library, pytest.raises(ConfigError):
        gather.library_clauses(library, "No such deal")


def test_a_section_is_a_clause_beside_its_parts_but_for_long_ones_and_collections() -> None:
    text = "x" * 9_100

    def node(at: int, parent: int | None, start: int, end: int, headed: bool = True) -> Node:
        heading = Span(start, start + 2) if headed else None
        return Node(at, parent, NodeKind.SECTION, f"{at}", heading, Span(start, end))

    nodes = [
        node(0, None, 0, 100),
        node(1, 0, 10, 50, headed=False),
        node(2, 0, 50, 100, headed=False),
        node(3, None, 100, 250),
        *(node(4 + at, 3, 120 + 20 * at, 140 + 20 * at) for at in range(6)),
        node(10, None, 250, 9_000),
        node(11, 10, 300, 1_500),
        node(12, 10, 1_500, 9_000),
        Node(13, None, NodeKind.SIGNATURE, "", None, Span(9_000, 9_100)),
    ]
    cut = [
        (span.start, span.end) for span, _ in gather.cut_clauses(Outline(tuple(nodes), 1.0), text)
    ]
    assert cut == [
        *[(0, 100), (10, 50), (50, 100)],
        *[(100, 120), *((120 + 20 * at, 140 + 20 * at) for at in range(6))],
        *[(250, 300), (300, 1_500), (1_500, 9_000)],
    ]
