"""The compiler to OpenSearch's query DSL (and Elasticsearch's), as plain values.

It was not yet run against a live cluster. The index it is meant for holds each passage's folded
words in a text field with the `whitespace` analyzer, and its filter tokens in a keyword field.

A proximity becomes `intervals`, whose `max_gaps` counts the words between. That says exactly what
two different words mean; of more parts, which must each be near the last, and of words that could
be one, it finds more, and its rows must be verified with `fourcorners.search.query.match`. The
start of a word scores alike wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fourcorners.search.query.fts import alternatives, is_exact
from fourcorners.search.query.tree import (
    And,
    Field,
    Leaf,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Proximity,
    Word,
    tree_leaves,
)

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json]"
FieldTokens: TypeAlias = Callable[[Field], Collection[str]]
"""Gives the filter tokens of which a passage must bear one to fit a field."""

BODY, META = "body", "meta"


@dataclass(frozen=True, slots=True)
class DslQuery:
    """A query in the DSL, and whether it finds exactly what is meant, or more."""

    query: dict[str, Json]
    exact: bool


def compile_dsl(
    tree: Node, fields: FieldTokens, filters: Collection[Collection[str]] = ()
) -> DslQuery:
    """Return a query for the passages that satisfy a tree within filters.

    Args:
        tree: The query.
        fields: What tells the tokens of a field such as `type:lease`.
        filters: Tokens, as `Filters.tokens` gives them.
    """
    query = _query(tree, 1.0, fields)
    if filters:
        narrowed: list[Json] = [_bearing(tokens) for tokens in filters]
        query = {"bool": {"must": [query], "filter": narrowed}}
    return DslQuery(query, all(_is_exact(leaf) for leaf, _, _ in tree_leaves(tree)))


def _is_exact(leaf: Leaf | Field) -> bool:
    if isinstance(leaf, Proximity) and leaf.sloppy:
        return len(leaf.parts) == 2 and all(isinstance(part, Word) for part in leaf.parts)
    if isinstance(leaf, Proximity) and leaf.ordered:
        return len(leaf.parts) == 2
    return is_exact(leaf) and (not isinstance(leaf, Proximity) or len(leaf.parts) == 2)


def _query(node: Node, boost: float, fields: FieldTokens) -> dict[str, Json]:
    match node:
        case And():
            return _all(node, boost * node.boost, fields)
        case Or():
            some: list[Json] = [_query(part, boost * node.boost, fields) for part in node.parts]
            return {"bool": {"should": some, "minimum_should_match": 1}}
        case Field():
            return {"bool": {"filter": [_bearing(fields(node))]}}
        case Proximity():
            return _near(node, boost * node.boost)
        case Word():
            return {"term": {BODY: {"value": node.token, "boost": boost * node.boost}}}
        case Prefix():
            return {"prefix": {BODY: {"value": node.token, "boost": boost * node.boost}}}
        case Phrase():
            kind = "match_phrase_prefix" if node.prefix else "match_phrase"
            return {kind: {BODY: {"query": " ".join(node.tokens), "boost": boost * node.boost}}}
        case Not():
            raise TypeError("NOT stands only beside something to exclude from")


def _all(node: And, boost: float, fields: FieldTokens) -> dict[str, Json]:
    wanted: list[Json] = []
    refused: list[Json] = []
    for part in node.parts:
        if isinstance(part, Not):
            refused.append(_query(part.part, 1.0, fields))
        else:
            wanted.append(_query(part, boost, fields))
    found: dict[str, Json] = {"must": wanted}
    if refused:
        found["must_not"] = refused
    return {"bool": found}


def _near(near: Proximity, boost: float) -> dict[str, Json]:
    parts = [list(alternatives(part)) for part in near.parts]
    words = [one[0].token for one in parts if len(one) == 1 and isinstance(one[0], Word)]
    if near.sloppy and len(words) == len(parts):
        slop: dict[str, Json] = {
            "query": " ".join(words),
            "slop": near.distance,
            "boost": boost,
        }
        return {"match_phrase": {BODY: slop}}
    distance = near.distance + (len(parts) if near.sloppy else 0)
    if len(parts) > 2:
        longest = [max(map(_length, one)) for one in parts[1:-1]]
        distance = distance * (len(parts) - 1) + sum(longest)
    intervals: list[Json] = [_any(one) for one in parts]
    rule: dict[str, Json] = {
        "intervals": intervals,
        "max_gaps": distance,
        "ordered": near.ordered,
    }
    return {"intervals": {BODY: {"all_of": rule, "boost": boost}}}


def _any(terms: Sequence[Word | Prefix | Phrase]) -> dict[str, Json]:
    rules: list[Json] = [_rule(term) for term in terms]
    return _rule(terms[0]) if len(rules) == 1 else {"any_of": {"intervals": rules}}


def _rule(term: Word | Prefix | Phrase) -> dict[str, Json]:
    match term:
        case Word():
            return {"match": {"query": term.token}}
        case Prefix():
            return {"prefix": {"prefix": term.token}}
        case Phrase(prefix=False):
            return {"match": {"query": " ".join(term.tokens), "max_gaps": 0, "ordered": True}}
        case Phrase():
            *before, last = term.tokens
            parts: list[Json] = [
                {"match": {"query": " ".join(before), "max_gaps": 0, "ordered": True}},
                {"prefix": {"prefix": last}},
            ]
            return {"all_of": {"intervals": parts, "max_gaps": 0, "ordered": True}}


def _length(term: Word | Prefix | Phrase) -> int:
    return len(term.tokens) if isinstance(term, Phrase) else 1


def _bearing(tokens: Collection[str]) -> dict[str, Json]:
    wanted: list[Json] = list(tokens)
    return {"terms": {META: wanted}}
