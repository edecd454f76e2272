from __future__ import annotations

import pytest

from fourcorners.search.query import parse_query
from fourcorners.search.query.fts import compile_query, match_expression


@pytest.mark.parametrize(
    ("query", "expressions", "exact"),
    [
        ('"change control"~5^5', ['NEAR("change" "control", 5)'], [True]),
        ('"assign* consent"~2', ['NEAR("assign" * "consent", 2)'], [True]),
        ("(a OR b) w/3 c", ['NEAR("a" "c", 3) OR NEAR("b" "c", 3)'], [True]),
        ("a pre/3 b", ['NEAR("a" "b", 3)'], [False]),
        ('a pre/3 "x y" pre/3 b', ['NEAR("a" "x y" "b", 8)'], [False]),
        ('"party party"~3', ['NEAR("party" "party", 3)'], [False]),
        ('"assign* assignee"~3', ['NEAR("assign" * "assignee", 3)'], [False]),
        ('"a b*"', ['"a b" *'], [True]),
        ("a OR b NOT c", ['"a"', '"b"', '"c"'], [True, True, True]),
    ],
)
def test_one_expression_a_leaf(query: str, expressions: list[str], exact: list[bool]) -> None:
    plan = compile_query(parse_query(query))
    assert [leaf.expression for leaf in plan.leaves] == expressions
    assert [leaf.exact for leaf in plan.leaves] == exact


def test_rows_combine_as_the_query_says() -> None:
    plan = compile_query(parse_query("(a OR b) AND c NOT d"))
    found, counting = plan.select([{1, 2}, {3, 4}, {2, 3, 4}, {4}])
    assert found == {2, 3}
    assert counting[:3] == [{2}, {3}, {2, 3}]
    assert [leaf.scored for leaf in plan.leaves] == [True, True, True, False]


def test_a_leaf_counts_only_where_its_group_holds() -> None:
    plan = compile_query(parse_query("(control AND elephant) OR terminate"))
    assert plan.select([{1, 2}, {2}, {1}]) == ({1, 2}, [{2}, {2}, {1}])


def test_filters_are_tokens_in_their_own_column() -> None:
    assert match_expression('"a"', [["c1", 'c"2'], ["d0"]]) == (
        'body : ("a") AND meta : ("c1" OR "c""2") AND meta : ("d0")'
    )
