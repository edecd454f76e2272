"""Fields in the query language: how they are read, written and refused."""

from __future__ import annotations

from datetime import date

import pytest

from fourcorners.errors import QueryError
from fourcorners.search.query import (
    And,
    Field,
    FieldName,
    Mode,
    Not,
    Or,
    Prefix,
    Proximity,
    Word,
    parse_query,
    tree_fields,
    without_fields,
)

LEASE = Field(FieldName.TYPE, "lease")


def test_a_field_stands_beside_words() -> None:
    query = parse_query('type:lease assign* NOT party:"Acme Corp."')
    acme = Field(FieldName.PARTY, "Acme Corp.")
    assert query.tree == And((LEASE, Prefix("assign"), Not(acme)))
    assert not query.plain
    assert tree_fields(query.tree) == [LEASE, acme]
    assert str(query) == 'type:lease AND assign* AND NOT party:"Acme Corp."'
    assert parse_query(str(query)).tree == query.tree


def test_names_of_fields_have_no_case_and_need_a_value_at_once() -> None:
    assert parse_query("TYPE:lease").tree == LEASE
    assert parse_query("type: lease").tree == And((Word("type"), Word("lease")))


def test_a_question_stays_a_question_beside_a_field() -> None:
    assert parse_query("who may end it early type:lease").plain
    assert not parse_query("early type:lease").plain


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2019", date(2019, 1, 1), date(2019, 12, 31)),
        ("2020-02", date(2020, 2, 1), date(2020, 2, 29)),
        ("2019-03-04", date(2019, 3, 4), date(2019, 3, 4)),
        ("2018..2020-06", date(2018, 1, 1), date(2020, 6, 30)),
        ("2018..", date(2018, 1, 1), None),
        ("..2018", None, date(2018, 12, 31)),
    ],
)
def test_dates(text: str, first: date | None, last: date | None) -> None:
    assert parse_query(f"date:{text}").tree == Field(FieldName.DATE, text, first, last)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("date:20x9", 5),
        ("date:2019-13", 5),
        ("date:2019-02-30", 5),
        ("date:..", 5),
        ("date:2020..2019", 5),
        ("lease party:(acme OR foxglove)", 12),
        ("type:lease^5", 10),
        ("party:ac*", 6),
        ("party:!!", 6),
        ("(type:lease)^5", 12),
        ("assign w/5 type:lease", 11),
    ],
)
def test_what_is_no_field_is_told_with_its_place(text: str, at: int) -> None:
    with pytest.raises(QueryError) as raised:
        parse_query(text)
    assert raised.value.at == at
    assert raised.value.remedy


def test_fields_may_be_forbidden() -> None:
    with pytest.raises(QueryError, match="narrows a search"):
        parse_query("assign* type:lease", fields=False)


def test_without_fields_the_words_are_left() -> None:
    assert without_fields(parse_query("type:lease").tree) is None
    assert without_fields(parse_query("type:lease a").tree) == Word("a")
    assert without_fields(parse_query("(type:lease OR a^2)^3").tree) == Word("a", 6.0)
    assert without_fields(parse_query("a NOT type:lease").tree) == Word("a")
    assert without_fields(parse_query("type:lease NOT a").tree) is None
    assert without_fields(parse_query("a AND (b OR label:7)").tree) == And((Word("a"), Word("b")))


def test_lucene_moves_words_one_by_one() -> None:
    query = parse_query('"non-compete clause"~4', mode=Mode.LUCENE)
    assert query.tree == Proximity((Word("non"), Word("compete"), Word("clause")), 4, sloppy=True)
    assert query.mode is Mode.LUCENE
    assert isinstance(parse_query('"a b"~4 OR c', mode=Mode.LUCENE).tree, Or)
    assert parse_query("a w/4 b", mode=Mode.LUCENE).tree == Proximity((Word("a"), Word("b")), 4)
