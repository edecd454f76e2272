"""A document made ready in another process is stored as one that is added here."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.library import words
from fourcorners.library.columns import document_columns
from fourcorners.library.store import Library
from fourcorners.library.tokens import label_token
from fourcorners.outline.tree import Node, NodeKind, Outline, Passage, View
from fourcorners.text.span import Span
from tests.library.conftest import contract


def test_what_comes_from_another_process_is_stored_whole(library: Library) -> None:
    made = contract()
    columns = pickle.loads(  # noqa: S301
        pickle.dumps(document_columns(made.document, made.outline, made.card, made.passages))
    )
    assert library.add_columns(columns, made.vectors, collection="All")
    assert not library.add_columns(columns, made.vectors, collection="All")
    document = made.document.id
    assert library.document(document) == made.document
    assert library.outline(document) == made.outline
    assert library.card(document) == made.card
    assert library.passages(document) == made.passages
    found = library.execute("SELECT rowid FROM words WHERE words MATCH ?", (label_token("1"),))
    assert [row for (row,) in found] == [2, 3]  # 1.1 stands under 1
    assert library.check() == []


def test_passages_must_fit_the_text() -> None:
    made = contract()
    beyond = Passage(0, Span(0, len(made.document.text) + 1), View.WINDOW)
    with pytest.raises(ValueError, match="passage 0 of"):
        document_columns(made.document, made.outline, made.card, [beyond])


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["", "1", "(a)"])), max_size=9))
def test_labels_are_those_of_the_node_and_all_above(parts: list[tuple[int, str]]) -> None:
    here = Span(0, 1)
    nodes = tuple(
        Node(at, above if above < at else None, NodeKind.ITEM, label, None, here)
        for at, (above, label) in enumerate(parts)
    )
    outline = Outline(nodes, 1.0)
    cut = [Passage(at, here, View.NODE, at) for at in range(len(nodes))]
    assert words.passage_labels("x", outline, [*cut, Passage(len(cut), here, View.WINDOW)]) == [
        *(
            " ".join(
                label_token(each.label)
                for each in (node, *reversed(outline.ancestors(node)))
                if each.label
            )
            for node in nodes
        ),
        "",
    ]
