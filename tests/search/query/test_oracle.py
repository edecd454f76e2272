"""Three evaluators must agree on every query: a naive one, the one in memory, and FTS5."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise, product

import apsw
import pytest

from fourcorners.search.query import (
    And,
    Mode,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Proximity,
    Word,
    parse_query,
)
from fourcorners.search.query.fts import compile_query, match_expression
from fourcorners.search.query.match import find_matches, is_match
from fourcorners.search.query.tree import render_tree
from fourcorners.text.tokenization import TOKENIZE, WordIndex

RandomTree = Callable[[random.Random], Node]
RandomText = Callable[[random.Random], str]

QUERIES = 2_500
TEXTS = 48


def naive_places(part: Node, tokens: list[str]) -> list[tuple[int, int]]:
    match part:
        case Word():
            return [(i, i + 1) for i, token in enumerate(tokens) if token == part.token]
        case Prefix():
            return [(i, i + 1) for i, token in enumerate(tokens) if token.startswith(part.token)]
        case Phrase():
            size = len(part.tokens)
            found = []
            for i in range(len(tokens) - size + 1):
                window = tokens[i : i + size]
                if part.prefix:
                    window[-1] = window[-1][: len(part.tokens[-1])]
                if tuple(window) == part.tokens:
                    found.append((i, i + size))
            return found
        case Or():
            return [place for one in part.parts for place in naive_places(one, tokens)]
    raise AssertionError(part)


def naive(node: Node, tokens: list[str]) -> bool:
    match node:
        case And():
            return all(naive(part, tokens) for part in node.parts)
        case Or():
            return any(naive(part, tokens) for part in node.parts)
        case Not():
            return not naive(node.part, tokens)
        case Proximity():
            return any(
                naive_near(node, choice)
                for choice in product(*(naive_places(part, tokens) for part in node.parts))
            )
        case _:
            return bool(naive_places(node, tokens))


def naive_near(node: Proximity, choice: tuple[tuple[int, int], ...]) -> bool:
    if node.sloppy:
        moved = [start - at for at, (start, _) in enumerate(choice)]
        return len({*choice}) == len(choice) and max(moved) - min(moved) <= node.distance
    used = [position for start, end in choice for position in range(start, end)]
    if len(used) != len(set(used)):
        return False
    if node.ordered:
        return all(
            0 <= later[0] - earlier[1] <= node.distance for earlier, later in pairwise(choice)
        )
    last = max(start for start, _ in choice)
    return all(start == last or last - end <= node.distance for start, end in choice)


class Shelf:
    """The texts in a real FTS5 table, laid out as the library's."""

    def __init__(self, texts: list[str]) -> None:
        self.indexes = {row: WordIndex(text) for row, text in enumerate(texts, 1)}
        self._db = apsw.Connection(":memory:")
        self._db.execute(
            "create virtual table words using fts5(body, meta, content='', "
            f"contentless_delete=1, tokenize='{TOKENIZE}')"
        )
        self._db.executemany(
            "insert into words(rowid, body, meta) values (?, ?, 'a b d0 c0')",
            enumerate(texts, 1),
        )

    def select(self, tree: Node) -> set[int]:
        plan = compile_query(tree)
        found = []
        for leaf in plan.leaves:
            rows = {
                int(str(row))
                for (row,) in self._db.execute(
                    "select rowid from words where words match ?",
                    (match_expression(leaf.expression, [["c0"]]),),
                )
            }
            true = {row for row, index in self.indexes.items() if is_match(leaf.leaf, index)}
            if leaf.exact:
                assert rows == true, leaf
            else:
                assert rows >= true, leaf
            found.append(rows if leaf.exact else rows & true)
        return plan.select(found)[0]


@pytest.mark.parametrize("seed", range(5))
def test_all_three_find_the_same_texts(
    seed: int, random_tree: RandomTree, random_text: RandomText
) -> None:
    rng = random.Random(seed)
    texts = [random_text(rng) for _ in range(TEXTS)]
    shelf = Shelf(texts)
    selective = 0
    for _ in range(QUERIES // 5):
        tree = random_tree(rng)
        query = render_tree(tree)
        assert parse_query(query).tree == tree, query
        expected = {
            row for row, index in shelf.indexes.items() if naive(tree, list(index.words.tokens))
        }
        in_memory = {row for row, index in shelf.indexes.items() if is_match(tree, index)}
        assert in_memory == expected, query
        assert shelf.select(tree) == expected, query
        selective += 0 < len(expected) < TEXTS
    assert selective > QUERIES // 5 // 2  # most queries tell texts apart


@pytest.mark.parametrize("seed", range(4))
def test_all_three_agree_on_lucenes_proximity(seed: int, random_text: RandomText) -> None:
    rng = random.Random(seed)
    texts = [random_text(rng) for _ in range(TEXTS)]
    shelf = Shelf(texts)
    selective = 0
    for _ in range(QUERIES // 5):
        said = " ".join(
            rng.choice(["a", "ab", "b", "ba", "c*", "d"]) for _ in range(rng.choice((2, 2, 3, 4)))
        )
        query = parse_query(f'"{said}"~{rng.randint(0, 5)}', mode=Mode.LUCENE)
        assert parse_query(str(query), mode=Mode.LUCENE).tree == query.tree
        expected = {
            row
            for row, index in shelf.indexes.items()
            if naive(query.tree, list(index.words.tokens))
        }
        assert {row for row, index in shelf.indexes.items() if is_match(query, index)} == expected
        assert shelf.select(query.tree) == expected, query
        selective += 0 < len(expected) < TEXTS
    assert selective > QUERIES // 5 // 2


@pytest.mark.parametrize("seed", range(3))
def test_matches_are_listed_where_a_leaf_stands(
    seed: int, random_tree: RandomTree, random_text: RandomText
) -> None:
    rng = random.Random(seed)
    for _ in range(300):
        tree, text = random_tree(rng), random_text(rng)
        index = WordIndex(text)
        found = find_matches(tree, index)
        positive = is_match(tree, index)
        assert bool(found) == positive
        for match in found:
            leaf = parse_query(match.label).tree
            assert is_match(leaf, WordIndex(match.span.text_in(text))), (match, text)
            assert match.places[0].start == match.span.start
            assert max(place.end for place in match.places) == match.span.end
