from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.precedents import gather
from fourcorners.precedents.clause import Place
from fourcorners.text.span import Span
from tests.conftest import Program


@pytest.fixture
def library(larch: Program) -> Library:
    return Library.open(larch.folder / "fourcorners.db", create=False)


def test_contracts_are_cut_into_clauses_that_stand_where_they_say(library: Library) -> None:
    with library:
        found = gather.of_contracts(library, "Project Larch")
        assert len(found) > 50
        spans: dict[str, list[tuple[int, int]]] = {}
        for clause in found:
            for place in clause.places:
                assert place.span is not None
                spans.setdefault(place.document, []).append((place.span.start, place.span.end))
            first = clause.places[0]
            assert first.span is not None
            assert first.span.of(library.text(first.document)) == clause.text
            assert len(clause.text.split()) >= gather.FEWEST_WORDS
        for each in spans.values():
            ordered = sorted(each)
            assert all(one[1] <= two[0] for one, two in pairwise(ordered))


def test_a_clause_brings_the_sections_it_refers_to(library: Library) -> None:
    with library:
        found = [
            (clause, each)
            for clause in gather.of_contracts(library)
            for each in gather.referred(library, clause.places[0])
        ]
        assert found
        for clause, each in found:
            assert each.text
            assert each.text.removesuffix(" …") not in clause.text
        assert gather.referred(library, Place("a bank")) == []


def test_a_collection_that_is_not_there_is_told(library: Library, tmp_path: Path) -> None:
    assert tmp_path.is_dir()
    with library, pytest.raises(ConfigError):
        gather.of_contracts(library, "No such deal")


def test_a_short_section_is_a_clause_and_one_of_many_headings_is_cut() -> None:
    text = "x" * 3_000

    def node(at: int, parent: int | None, start: int, end: int, headed: bool = True) -> Node:
        heading = Span(start, start + 2) if headed else None
        return Node(at, parent, NodeKind.SECTION, f"{at}", heading, Span(start, end))

    nodes = [
        node(0, None, 0, 100),
        node(1, 0, 10, 50, headed=False),
        node(2, 0, 50, 100, headed=False),
        node(3, None, 100, 200),
        *(node(4 + at, 3, 120 + 20 * at, 140 + 20 * at) for at in range(4)),
        node(8, None, 200, 2_900),
        node(9, 8, 300, 1_500),
        node(10, 8, 1_500, 2_900),
        Node(11, None, NodeKind.SIGNATURE, "", None, Span(2_900, 3_000)),
    ]
    cut = [(span.start, span.end) for span, _ in gather.clauses(Outline(tuple(nodes), 1.0), text)]
    assert cut == [
        *[(0, 100), (100, 120), (120, 140), (140, 160), (160, 180), (180, 200)],
        *[(200, 300), (300, 1_500), (1_500, 2_900)],
    ]
