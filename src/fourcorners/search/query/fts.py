"""The compiler to SQLite FTS5: one MATCH expression for each leaf of a query.

Each leaf is queried separately, so that each part of the score is boost × -bm25 of its expression;
the boolean structure is applied to the sets of rows. FTS5 ignores order, and lets one word match
two parts of a NEAR: if that could matter, the expression finds more than the leaf means, `exact` is
False, and the rows must be verified with `fourcorners.search.query.match`.

Only folded words (letters and digits) and numbers reach an expression, each word in quotes:
nothing that a user types can be read as FTS5 or SQL.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias

from fourcorners.search.query.tree import (
    And,
    Field,
    Leaf,
    Node,
    Not,
    Or,
    Part,
    Phrase,
    Prefix,
    Proximity,
    Query,
    Word,
    leaf_label,
    tree_leaves,
)

BODY = "body"
META = "meta"

_Term: TypeAlias = Word | Prefix | Phrase


@dataclass(frozen=True, slots=True)
class CompiledLeaf:
    """A leaf and its expression; a field has none.

    Attributes:
        exact: Whether the expression finds exactly what the leaf means, or more.
        scored: False for a field and under a NOT: its rows have no score.
    """

    leaf: Leaf | Field
    label: str
    boost: float
    expression: str
    exact: bool
    scored: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled query: its leaves in order, and how their rows combine."""

    tree: Node
    leaves: tuple[CompiledLeaf, ...]

    def select(self, rows: Sequence[AbstractSet[int]]) -> tuple[set[int], list[AbstractSet[int]]]:
        """Combine the rows of each leaf, in order.

        Returns the rows that satisfy the query, and for each leaf those of its rows that satisfy
        the groups around it: it counts only there.
        """
        found, counting = _select(self.tree, iter(rows))
        return set(found), counting


def compile_query(query: Query | Node) -> Plan:
    tree = query.tree if isinstance(query, Query) else query
    return Plan(
        tree,
        tuple(
            CompiledLeaf(
                leaf, leaf_label(leaf), boost, _leaf_expression(leaf), is_exact(leaf), scored
            )
            for leaf, boost, scored in tree_leaves(tree)
        ),
    )


def match_expression(expression: str, filters: Collection[Collection[str]] = ()) -> str:
    """Return a whole MATCH expression: the words in the body, within filters.

    Each filter is a collection of tokens of the `meta` column, of which a row must have one.
    """
    wanted = filter_expression(filters)
    body = f"{BODY} : ({expression})"
    return f"{body} AND {wanted}" if wanted else body


def filter_expression(filters: Collection[Collection[str]]) -> str:
    return " AND ".join(f"{META} : ({' OR '.join(map(_quoted, tokens))})" for tokens in filters)


def _leaf_expression(leaf: Leaf | Field) -> str:
    """Return the FTS5 expression of a leaf, without column or filter; empty for a field."""
    if isinstance(leaf, Field):
        return ""
    if not isinstance(leaf, Proximity):
        return _phrase(leaf)
    distance = proximity_window(leaf)
    return " OR ".join(
        f"NEAR({' '.join(map(_phrase, choice))}, {distance})"
        for choice in product(*(tuple(alternatives(part)) for part in leaf.parts))
    )


def leaf_phrases(leaf: Leaf) -> list[Word | Prefix | Phrase]:
    """Return the phrases of a leaf's expression, in order: what `bm25()` adds up."""
    if not isinstance(leaf, Proximity):
        return [leaf]
    choices = product(*(tuple(alternatives(part)) for part in leaf.parts))
    return [term for choice in choices for term in choice]


def proximity_window(near: Proximity) -> int:
    """Return a distance that includes every match of a proximity, in any order.

    FTS5 measures from the end of each part to the start of the last one. In an ordered chain the
    first part may lie as far back as all steps and the parts between them together.
    """
    if near.sloppy:
        return near.distance + len(near.parts)
    if not near.ordered:
        return near.distance
    between = sum(max(_length(term) for term in alternatives(part)) for part in near.parts[1:-1])
    return near.distance * (len(near.parts) - 1) + between


def is_exact(leaf: Leaf | Field) -> bool:
    if not isinstance(leaf, Proximity):
        return True
    if leaf.ordered or leaf.sloppy:
        return False
    words = [[word for term in alternatives(part) for word in _words(term)] for part in leaf.parts]
    return not any(
        _may_be_one(first, second)
        for left, right in combinations(words, 2)
        for first in left
        for second in right
    )


def alternatives(part: Part | Node) -> Iterator[_Term]:
    match part:
        case Word() | Prefix() | Phrase():
            yield part
        case Or():
            for one in part.parts:
                yield from alternatives(one)
        case _:
            raise TypeError(f"{part!r} cannot be part of a proximity")


def _phrase(term: _Term) -> str:
    match term:
        case Word():
            return _quoted(term.token)
        case Prefix():
            return f"{_quoted(term.token)} *"
        case Phrase():
            return _quoted(" ".join(term.tokens)) + (" *" if term.prefix else "")


def _quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'


def _length(term: _Term) -> int:
    return len(term.tokens) if isinstance(term, Phrase) else 1


def _words(term: _Term) -> Iterator[tuple[str, bool]]:
    match term:
        case Word():
            yield term.token, False
        case Prefix():
            yield term.token, True
        case Phrase():
            for at, token in enumerate(term.tokens):
                yield token, term.prefix and at == len(term.tokens) - 1


def _may_be_one(first: tuple[str, bool], second: tuple[str, bool]) -> bool:
    """Return whether one word of a text could match both; the flag marks a prefix."""
    (left, left_open), (right, right_open) = first, second
    return (
        left == right
        or (left_open and right.startswith(left))
        or (right_open and left.startswith(right))
    )


_Selected: TypeAlias = tuple[AbstractSet[int], list[AbstractSet[int]]]


def _select(node: Node, rows: Iterator[AbstractSet[int]]) -> _Selected:
    match node:
        case Or():
            parts = [_select(part, rows) for part in node.parts]
            return set().union(*[found for found, _ in parts]), [
                leaf for _, inner in parts for leaf in inner
            ]
        case And():
            return _select_all(node, rows)
        case Not():
            raise TypeError("NOT needs something to exclude from")
        case _:
            found = next(rows)
            return found, [found]


def _select_all(node: And, rows: Iterator[AbstractSet[int]]) -> _Selected:
    wanted: AbstractSet[int] | None = None
    refused: set[int] = set()
    leaves: list[AbstractSet[int]] = []
    for part in node.parts:
        if isinstance(part, Not):
            found, inner = _select(part.part, rows)
            refused |= found
        else:
            found, inner = _select(part, rows)
            wanted = found if wanted is None else wanted & found
        leaves += inner
    held = (wanted or set()) - refused
    return held, [leaf & held for leaf in leaves]
