"""What queries become in OpenSearch's DSL; no cluster has run them yet."""

from __future__ import annotations

import json

import pytest

from fourcorners.search.query import Mode, parse_query
from fourcorners.search.query.opensearch import compile_dsl

GOLDEN = [
    (
        '"change control"~5^5',
        (
            '{"intervals":{"body":{"all_of":{"intervals":[{"match":{"query":"change"}},'
            '{"match":{"query":"control"}}],"max_gaps":5,"ordered":false},"boost":5.0}}}'
        ),
        True,
    ),
    (
        "assign* pre/3 consent",
        (
            '{"intervals":{"body":{"all_of":{"intervals":[{"prefix":{"prefix":"assign"}},'
            '{"match":{"query":"consent"}}],"max_gaps":3,"ordered":true},"boost":1.0}}}'
        ),
        True,
    ),
    (
        '(assign OR "change of control") w/5 consent',
        (
            '{"intervals":{"body":{"all_of":{"intervals":[{"any_of":{"intervals":'
            '[{"match":{"query":"assign"}},{"match":{"query":"change of control","max_gaps":0,'
            '"ordered":true}}]}},{"match":{"query":"consent"}}],"max_gaps":5,"ordered":false},'
            '"boost":1.0}}}'
        ),
        True,
    ),
    (
        '"governing law" AND (norway OR swed*)^2 AND NOT arbitration',
        (
            '{"bool":{"must":[{"match_phrase":{"body":{"query":"governing law","boost":1.0}}},'
            '{"bool":{"should":[{"term":{"body":{"value":"norway","boost":2.0}}},'
            '{"prefix":{"body":{"value":"swed","boost":2.0}}}],"minimum_should_match":1}}],'
            '"must_not":[{"term":{"body":{"value":"arbitration","boost":1.0}}}]}}'
        ),
        True,
    ),
    (
        "type:lease rent",
        (
            '{"bool":{"must":[{"bool":{"filter":[{"terms":{"meta":["tlease"]}}]}},'
            '{"term":{"body":{"value":"rent","boost":1.0}}}]}}'
        ),
        True,
    ),
    (
        "a w/2 b w/2 c",
        (
            '{"intervals":{"body":{"all_of":{"intervals":[{"match":{"query":"a"}},'
            '{"match":{"query":"b"}},{"match":{"query":"c"}}],"max_gaps":5,"ordered":false},'
            '"boost":1.0}}}'
        ),
        False,
    ),
    (
        "pay w/2 pay*",
        (
            '{"intervals":{"body":{"all_of":{"intervals":[{"match":{"query":"pay"}},'
            '{"prefix":{"prefix":"pay"}}],"max_gaps":2,"ordered":false},"boost":1.0}}}'
        ),
        False,
    ),
]


@pytest.mark.parametrize(("query", "dsl", "exact"), GOLDEN)
def test_queries_become_the_dsl(query: str, dsl: str, exact: bool) -> None:
    made = compile_dsl(parse_query(query).tree, lambda field: [f"t{field.text}"])
    assert json.dumps(made.query, separators=(",", ":")) == dsl
    assert made.exact == exact


def test_lucenes_proximity_is_a_phrase_with_slop() -> None:
    made = compile_dsl(parse_query('"change control"~5^5', mode=Mode.LUCENE).tree, lambda _: [])
    assert made.exact
    assert made.query == {
        "match_phrase": {"body": {"query": "change control", "slop": 5, "boost": 5.0}}
    }


def test_filters_narrow_without_a_score() -> None:
    made = compile_dsl(parse_query("rent").tree, lambda _: [], [["c1"], ["d1", "d2"]])
    assert made.query["bool"] == {
        "must": [{"term": {"body": {"value": "rent", "boost": 1.0}}}],
        "filter": [{"terms": {"meta": ["c1"]}}, {"terms": {"meta": ["d1", "d2"]}}],
    }


def test_no_word_of_a_query_is_read_as_dsl() -> None:
    made = compile_dsl(parse_query('"{match_all:{}}" OR script').tree, lambda _: [])
    assert "match_all" not in json.dumps(made.query)
    assert "match all" in json.dumps(made.query)
