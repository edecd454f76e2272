from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.documents.document import Mark, MarkKind, Page, TextSource
from fourcorners.errors import DamagedValue
from fourcorners.library.tables import stored_json
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import CrossReference, DefinedTerm, Node, NodeKind, Outline
from fourcorners.text.span import Span

any_text = st.text(st.characters(codec="utf-8"))  # NUL included
numbers = st.floats(allow_nan=False, allow_infinity=False)
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
    assert stored_json.OUTLINE.load(stored_json.OUTLINE.dump(value)) == value


@given(cards)
def test_cards_come_back_as_they_went(value: Card) -> None:
    back = stored_json.CARD.load(stored_json.CARD.dump(value))
    assert back == value
    if value.expiry_date:
        assert back.expiry_date is not None
        assert isinstance(back.expiry_date.value, date)


@given(st.lists(pages).map(tuple), st.lists(marks).map(tuple), st.lists(any_text).map(tuple))
def test_parts_of_documents_come_back_as_they_went(
    some_pages: tuple[Page, ...], some_marks: tuple[Mark, ...], warnings: tuple[str, ...]
) -> None:
    assert stored_json.PAGES.load(stored_json.PAGES.dump(some_pages)) == some_pages
    assert stored_json.MARKS.load(stored_json.MARKS.dump(some_marks)) == some_marks
    assert stored_json.WARNINGS.load(stored_json.WARNINGS.dump(warnings)) == warnings


def stored_mark(**changes: object) -> str:
    mark = {"kind": "table", "span": {"start": 1, "end": 4}, "detail": "grid"}
    return json.dumps([{**mark, **changes}])


def test_values_are_stored_by_the_names_of_their_fields() -> None:
    mark = Mark(MarkKind.TABLE, Span(1, 4), "grid")
    assert json.loads(stored_json.MARKS.dump((mark,))) == json.loads(stored_mark())


def test_a_field_that_is_missing_has_its_default() -> None:
    stored = json.loads(stored_mark())
    del stored[0]["detail"]
    assert stored_json.MARKS.load(json.dumps(stored)) == (Mark(MarkKind.TABLE, Span(1, 4)),)


@pytest.mark.parametrize(
    "damage",
    ["", "{", "{}", "[[1]]", stored_mark()[:-2], stored_mark(span={"start": 4, "end": 1}),
     stored_mark(kind="tableau"), stored_mark(detail=1)],
)  # fmt: skip
def test_damaged_text_is_a_library_error(damage: str) -> None:
    with pytest.raises(DamagedValue, match="cannot be read"):
        stored_json.MARKS.load(damage)


def test_a_field_of_a_newer_version_is_a_library_error() -> None:
    with pytest.raises(DamagedValue, match="colour"):
        stored_json.MARKS.load(stored_mark(colour="red"))


def test_a_node_is_read_with_those_above_it_without_the_rest() -> None:
    def node(at: int, parent: int | None, heading: Span | None = None) -> Node:
        label = f'{at}. {{"id":{at + 1},'  # no node, though a contract may call it that
        return Node(at, parent, NodeKind.SECTION, label, heading, Span(at, 9))

    tree = (node(0, None), node(1, 0, Span(2, 4)), node(2, 0), node(3, 1), node(4, None))
    stored = stored_json.StoredNodes(stored_json.OUTLINE.dump(Outline(tree, 0.5)))
    assert stored.ancestors(3) == [tree[0], tree[1], tree[3]]
    assert stored.ancestors(4) == [tree[4]]


def test_damaged_nodes_are_said_to_be() -> None:
    stored = stored_json.StoredNodes(stored_json.OUTLINE.dump(Outline((), 0.5)))
    with pytest.raises(DamagedValue, match="a stored Node cannot be read"):
        stored.ancestors(0)
