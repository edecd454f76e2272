from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.precedents import clause as gather
from fourcorners.precedents.scoring.vectors import clause_vectors, passage_mean
from fourcorners.text.span import Span
from tests.conftest import Program
from tests.models.fake import HashEncoder


@pytest.fixture
def library(larch: Program, tmp_path: Path) -> Library:
    """A copy, in which no earlier test has stored the vectors of clauses."""
    own = Path(copy(larch.folder / "fourcorners.db", tmp_path))
    library = Library.open(own, create=False)
    library.execute("DELETE FROM precedent_vectors")
    return library


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


def test_a_clause_of_whole_passages_has_their_mean_and_is_not_read_again(library: Library) -> None:
    class Watched(HashEncoder):
        def __init__(self, name: str, dimension: int) -> None:
            super().__init__(dimension)
            self._name = name
            self.read: list[str] = []

        @property
        def name(self) -> str:
            return self._name

        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            self.read += texts
            return super().encode(texts)

    with library:
        encoder = library.encoder
        assert encoder is not None
        watched = Watched(encoder.name, encoder.dimension)
        clauses = gather.library_clauses(library, "Project Larch")
        rows = clause_vectors(library, clauses, watched)([each.text for each in clauses])
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
        assert 0 < len(watched.read) < len(clauses) / 2
        pooled = [each for each in clauses if each.text not in watched.read]
        for clause in pooled[:20]:
            place = clause.places[0]
            assert place.span is not None
            passages = [each.span for each in library.passages(place.document)]
            inside = [at for at, each in enumerate(passages) if each.overlaps(place.span)]
            matrix = library.vectors(document=place.document).matrix
            lengths = [[len(passages[at])] for at in inside]
            mean = (matrix[inside] * lengths).sum(axis=0)
            row = rows[clauses.index(clause)]
            assert row @ mean / np.linalg.norm(mean) > 0.99
        banks.store_clauses(library, "deals", [BankClause("Liability", clauses[0].text, 4, "Cork")])
        kept = gather.bank_clauses(library, "deals")
        clause_vectors(library, kept, watched)([each.text for each in kept])
        assert watched.read[-1] == clauses[0].text  # a bank has no passages


def test_what_shares_a_passage_or_is_not_covered_has_no_mean() -> None:
    passages = [Span(0, 100), Span(100, 300), Span(300, 320)]
    matrix = np.eye(3, dtype=np.float32)
    mean = passage_mean(Span(0, 300), passages, matrix)
    assert mean is not None
    assert np.allclose(mean, np.array([1, 2, 0]) / 5**0.5)
    assert passage_mean(Span(120, 160), passages, matrix) is None
    assert passage_mean(Span(300, 400), passages, matrix) is None
    assert passage_mean(Span(0, 110), passages, matrix) is None
