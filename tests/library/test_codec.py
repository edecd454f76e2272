from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.documents.document import Mark, MarkKind, Page, TextSource
from fourcorners.errors import LibraryError
from fourcorners.library import codec
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import CrossReference, DefinedTerm, Node, NodeKind, Outline
from fourcorners.text.span import Span

any_text = st.text(st.characters(exclude_categories=()))  # half surrogates and NUL included
numbers = st.floats(allow_nan=False)
spans = st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)).map(lambda p: Span(min(p), max(p)))
pages = st.builds(
    Page, st.integers(1, 9999), spans, numbers, numbers, source=st.sampled_from(TextSource)
)
marks = st.builds(Mark, st.sampled_from(MarkKind), spans, any_text)
nodes = st.builds(
    Node,
    st.integers(),
    st.none() | st.integers(),
    st.sampled_from(NodeKind),
    any_text,
    st.none() | spans,
    spans,
    numbers,
)
outlines = st.builds(
    Outline,
    st.lists(nodes).map(tuple),
    numbers,
    st.booleans(),
    st.lists(st.builds(DefinedTerm, any_text, spans, spans)).map(tuple),
    st.lists(st.builds(CrossReference, spans, st.none() | st.integers())).map(tuple),
)


def facts(value: st.SearchStrategy[object]) -> st.SearchStrategy[Fact[object]]:
    return st.builds(Fact, value, spans, numbers)


cards = st.builds(
    Card,
    title=st.none() | facts(any_text),
    type=st.none() | facts(any_text),
    parties=st.lists(facts(st.builds(Party, any_text, any_text, any_text))).map(tuple),
    agreement_date=st.none() | facts(st.dates()),
    expiry_date=st.none() | facts(st.dates()),
    governing_law=st.none() | facts(any_text),
)


@given(outlines)
def test_outlines_come_back_as_they_went(value: Outline) -> None:
    assert codec.OUTLINE.load(codec.OUTLINE.dump(value)) == value


@given(cards)
def test_cards_come_back_as_they_went(value: Card) -> None:
    back = codec.CARD.load(codec.CARD.dump(value))
    assert back == value
    if value.expiry_date:
        assert back.expiry_date is not None
        assert isinstance(back.expiry_date.value, date)


@given(st.lists(pages).map(tuple), st.lists(marks).map(tuple), st.lists(any_text).map(tuple))
def test_parts_of_documents_come_back_as_they_went(
    some_pages: tuple[Page, ...], some_marks: tuple[Mark, ...], warnings: tuple[str, ...]
) -> None:
    assert codec.PAGES.load(codec.PAGES.dump(some_pages)) == some_pages
    assert codec.MARKS.load(codec.MARKS.dump(some_marks)) == some_marks
    assert codec.WARNINGS.load(codec.WARNINGS.dump(warnings)) == warnings


def test_a_value_written_before_a_field_was_added_takes_its_default() -> None:
    stored = json.loads(codec.MARKS.dump((Mark(MarkKind.TABLE, Span(1, 4), "grid"),)))
    stored["layout"]["Mark"].remove("detail")
    stored["value"][0].pop()
    assert codec.MARKS.load(json.dumps(stored)) == (Mark(MarkKind.TABLE, Span(1, 4)),)


def test_fields_may_be_stored_in_another_order() -> None:
    stored = json.loads(codec.MARKS.dump((Mark(MarkKind.TABLE, Span(1, 4), "grid"),)))
    stored["layout"]["Mark"].reverse()
    stored["value"][0].reverse()
    assert codec.MARKS.load(json.dumps(stored)) == (Mark(MarkKind.TABLE, Span(1, 4), "grid"),)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"layout":{},"value":[[1]]}'])
def test_damaged_text_is_a_library_error(damage: str) -> None:
    with pytest.raises(LibraryError, match="cannot be read"):
        codec.PAGES.load(damage)


def test_a_field_of_a_newer_version_is_a_library_error() -> None:
    stored = json.loads(codec.MARKS.dump((Mark(MarkKind.TABLE, Span(1, 4)),)))
    stored["layout"]["Mark"].append("colour")
    stored["value"][0].append("red")
    with pytest.raises(LibraryError, match="colour"):
        codec.MARKS.load(json.dumps(stored))


def test_a_type_without_a_form_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="no form"):
        codec.Codec(dict[str, int])


def test_a_node_is_read_with_those_above_it_without_the_rest() -> None:
    def node(at: int, parent: int | None, heading: Span | None = None) -> Node:
        return Node(at, parent, NodeKind.SECTION, f"{at}.", heading, Span(at, 9))

    tree = (node(0, None), node(1, 0, Span(2, 4)), node(2, 0), node(3, 1), node(4, None))
    stored = codec.StoredNodes(codec.OUTLINE.dump(Outline(tree, 0.5)))
    assert stored.ancestors(3) == [tree[0], tree[1], tree[3]]
    assert stored.ancestors(4) == [tree[4]]


def test_damaged_nodes_are_said_to_be() -> None:
    with pytest.raises(LibraryError, match="a stored Outline cannot be read"):
        codec.StoredNodes('{"layout":{},"value":[]}')
    stored = codec.StoredNodes(codec.OUTLINE.dump(Outline((), 0.5)))
    with pytest.raises(LibraryError, match="a stored Node cannot be read"):
        stored.ancestors(0)
