"""How often each phrase of a leaf counts in a row, just as SQLite's FTS5 counts.

Single words and phrases are counted in the row's words. Of a proximity FTS5 counts the instances of
each part that take part in it; so FTS5 itself is asked, about the rows at hand. Where a proximity
offers a phrase as an alternative, FTS5 also counts what it left over from the row at which it
stopped before; that comes out alike as the same rows are at hand, in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import apsw

from fourcorners.search.query.fts import CompiledLeaf
from fourcorners.search.query.match import is_match, leaf_instances
from fourcorners.search.query.tree import Field, Proximity, Word
from fourcorners.text.tokenization import TOKENIZE, WordIndex


def count_phrases(leaf: CompiledLeaf, texts: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """Return, for the texts that satisfy a leaf, how often each phrase of its expression counts.

    Args:
        leaf: Any leaf but a field.
        texts: Folded words of each row, separated by spaces, in the order of the rows.
    """
    assert not isinstance(leaf.leaf, Field)  # noqa: S101 - a field has no words
    if isinstance(leaf.leaf, Proximity):
        found = _near_matches(leaf.expression, texts)
        if leaf.exact:
            return found
        near = leaf.leaf
        return {at: often for at, often in found.items() if is_match(near, WordIndex(texts[at]))}
    if isinstance(leaf.leaf, Word):
        token = leaf.leaf.token
        times = ((at, text.split(" ").count(token)) for at, text in enumerate(texts))
    else:
        one = leaf.leaf
        times = ((at, len(leaf_instances(one, WordIndex(text)))) for at, text in enumerate(texts))
    return {at: (often,) for at, often in times if often}


def _near_matches(expression: str, texts: Sequence[str]) -> dict[int, tuple[int, ...]]:
    beside = apsw.Connection(":memory:")
    beside.register_fts5_function("often", _count_matches)
    beside.execute(
        f"CREATE VIRTUAL TABLE words USING fts5(body, content='', tokenize='{TOKENIZE}')"
    )
    with beside:
        beside.executemany("INSERT INTO words(rowid, body) VALUES (?, ?)", enumerate(texts))
    rows = cast(
        "list[tuple[int, str]]",
        beside.execute(
            "SELECT rowid, often(words) FROM words WHERE words MATCH ?", (f"body : ({expression})",)
        ).fetchall(),
    )
    return {row: tuple(json.loads(often)) for row, often in rows}


def _count_matches(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    """Return how often each phrase counts in the row, as FTS5's own bm25() sees it."""
    return json.dumps(
        [
            sum(len(places) for places in api.phrase_locations(phrase))
            for phrase in range(api.phrase_count)
        ]
    )
