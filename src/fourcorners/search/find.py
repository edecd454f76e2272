"""Search a library by words, by meaning, and by the fusion of both.

Kinds of queries:

- A query with any operator (quotes, a proximity, AND, OR, NOT, brackets, `*`, `^`), or of fewer
  than three words, is **exact**: every hit satisfies it, and every passage that satisfies it is
  ranked. Meaning may change the order, never the set. Adjacent words mean AND.
- Three or more bare words without any operator are **plain language**. If there is an encoder, and
  vectors, passages are ranked by any of the words (BM25) and by meaning, and the two are fused: a
  hit may contain none of the words. In a large library the most frequent of many words do not count
  (`lexical.MAX_FREQUENCY`). Without encoder or vectors, the query is exact.
- An example alone (`like` without a query) finds by meaning alone.
- Fields (`type:lease`) narrow either, and score nothing.

The boolean scope is the passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError, QueryError
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.damage import without_damaged
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.search.expansion import expand_query
from fourcorners.search.fields import field_rows, require_fields
from fourcorners.search.filters import NO_FILTERS, Filters
from fourcorners.search.fusion import fuse_ranks, ranks, sort_by_score
from fourcorners.search.hit import (
    DocumentPlaces,
    FoundPassage,
    Hit,
    add_disjoint,
)
from fourcorners.search.index import index_of, require_same_encoder
from fourcorners.search.lexical import LexicalRows, best_rows, matching_rows, top_rows
from fourcorners.search.query import (
    And,
    Field,
    Leaf,
    Node,
    Or,
    Phrase,
    Proximity,
    Query,
    parse_query,
    tree_fields,
    tree_leaves,
    without_fields,
)
from fourcorners.search.query.match import matched_spans
from fourcorners.text.span import Span
from fourcorners.text.stems import word_list
from fourcorners.text.tokenization import WordIndex, tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CANDIDATES = 200
"""Maximum passages that meaning may add to a plain question."""
LEAST_RANKED = 512
"""Rows of an exact query without an example that the index ranks first; views overlap."""
TIMES_RANKED = 8  # rows for each requested hit, if that is more
_BATCH = 32  # hits placed at once
# The weight of the ranking by meaning next to the words of an exact query without an example, so
# that its boosts dominate.
_DENSE_BESIDE_KEYWORDS = 0.25

_IDLE = word_list("asked")


@dataclass(frozen=True, slots=True)
class _Ranking:
    fused: Mapping[int, float]
    lexical: LexicalRows
    lexical_ranks: Mapping[int, int]
    cosines: Mapping[int, float]
    dense_ranks: Mapping[int, int]
    tree: Node | None


@without_damaged
def find_passages(
    library: Catalogue,
    query: str | Query | None,
    *,
    like: str | None = None,
    encoder: Encoder | None = None,
    filters: Filters = NO_FILTERS,
    limit: int = 20,
) -> list[Hit]:
    """Return the best passages for a query, an example, or both; see the module for the rules.

    Args:
        library: Where to look.
        query: In the query language; parsed to say how it is read, too (`parse_query`).
        like: A question in plain language or example text for the dense side; by default the
            query's words.
        encoder: The encoder that made the library's vectors; without one only words count.
        filters: What part of the library to search.
        limit: How many hits at most; they are disjoint.

    Raises:
        QueryError: If the query does not parse, or there is neither query nor example.
        ConfigError: If a filter names something that does not exist, the encoder is not the
            library's, or an example is given without an encoder or vectors.
    """
    if limit < 1:
        raise ConfigError(f"the limit of a search must be 1 or more, not {limit}.")
    parsed = parse_query(query) if isinstance(query, str) else query
    if parsed is None and not (like and like.strip()):
        raise QueryError("there is nothing to search for.", remedy="Give a query or an example.")
    vector = _vector(library, parsed, like, encoder)
    with library.snapshot():
        tokens = filters.tokens(library)
        if parsed is not None:
            require_fields(library, parsed.tree, filters.within)
            parsed = replace(parsed, tree=expand_query(parsed, library))
        if parsed is None or (parsed.plain and vector is not None):
            ranking = _open(library, parsed, vector, filters, tokens)
        else:
            dense = 1.0 if like else _DENSE_BESIDE_KEYWORDS
            if vector is None:
                most = max(LEAST_RANKED, TIMES_RANKED * limit)
                found = top_rows(library, parsed.tree, tokens, most)
                hits = _hits(library, _fused(found, {}, parsed.tree, dense), limit)
                if len(hits) == limit or len(found.scores) < most:
                    return hits
            ranking = _exact(library, parsed.tree, vector, tokens, dense)
        return _hits(library, ranking, limit)


def _vector(
    library: Catalogue, query: Query | None, like: str | None, encoder: Encoder | None
) -> NDArray[np.float32] | None:
    example = like.strip() if like else ""
    if encoder is None:
        if example:
            raise ConfigError(
                "a search by example needs an encoder.", remedy="Give one, or omit `like`."
            )
        return None
    require_same_encoder(library, encoder)
    if library.encoder is None:
        if example:
            raise ConfigError(
                f"{library.place} holds no vectors, so it cannot be searched by example.",
                remedy="Add contracts with an encoder, or search by words.",
            )
        return None
    plain = query is not None and query.plain and not tree_fields(query.tree)
    text = example or (query.text if query and plain else _query_words(query))
    if not text:
        return None
    vector: NDArray[np.float32] = encoder.encode([text])[0]
    return vector


def _query_words(query: Query | None) -> str:
    if query is None:
        return ""
    texts = (
        word for leaf, _, scored in tree_leaves(query.tree) if scored for word in _leaf_words(leaf)
    )
    return " ".join(dict.fromkeys(texts))


def _leaf_words(leaf: Leaf | Node) -> Iterable[str]:
    match leaf:
        case Field():
            return ()
        case Proximity() | Or():
            return [word for part in leaf.parts for word in _leaf_words(part)]
        case Phrase():
            return leaf.tokens
        case _:
            return tokenize(str(Query("", leaf))).tokens


def _exact(
    library: Catalogue,
    tree: Node,
    vector: NDArray[np.float32] | None,
    tokens: Sequence[Sequence[str]],
    dense: float,
) -> _Ranking:
    found = matching_rows(library, tree, tokens)
    cosines: Mapping[int, float] = {}
    if vector is not None:
        cosines = index_of(library).cosines(vector, list(found.scores))
    return _fused(found, cosines, tree, dense)


def _open(
    library: Catalogue,
    query: Query | None,
    vector: NDArray[np.float32] | None,
    filters: Filters,
    tokens: Sequence[Sequence[str]],
) -> _Ranking:
    tree = None if query is None else _any_word(query)
    found = (
        LexicalRows({}, []) if tree is None else best_rows(library, tree, tokens, MAX_CANDIDATES)
    )
    assert vector is not None  # noqa: S101 - `find` asks for it
    rows = None
    for field in tree_fields(query.tree) if query else ():
        inside = field_rows(library, field, tokens)
        rows = inside if rows is None else rows & inside
    index = index_of(library)
    cosines = index.nearest(filters, tokens, vector, MAX_CANDIDATES, rows)
    cosines |= index.cosines(vector, list(found.scores.keys() - cosines.keys()))
    return _fused(found, cosines, tree, 1.0)


def _any_word(query: Query) -> Node:
    """Return a plain question as OR of its significant words."""
    asked = dict.fromkeys(
        leaf for leaf, _, _ in tree_leaves(query.tree) if not isinstance(leaf, Field)
    )
    telling = [leaf for leaf in asked if not set(_leaf_words(leaf)) <= _IDLE]
    if not telling:
        return query.tree
    any_of = telling[0] if len(telling) == 1 else Or(tuple(telling))
    within = tree_fields(query.tree)
    return And((any_of, *within)) if within else any_of


def _fused(
    found: LexicalRows, cosines: Mapping[int, float], tree: Node | None, dense: float
) -> _Ranking:
    lexical_ranks, dense_ranks = ranks(found.scores), ranks(cosines)
    fused = fuse_ranks([(lexical_ranks, 1.0), (dense_ranks, dense)])
    return _Ranking(fused, found, lexical_ranks, cosines, dense_ranks, tree)


def _hits(library: Catalogue, ranking: _Ranking, limit: int) -> list[Hit]:
    """Return the first hits, disjoint, with their places in page and outline."""
    texts: dict[str, str] = {}
    placed: list[FoundPassage] = []
    # Ties are common: two passages may have each other's ranks. Words decide, then position.
    rest = sorted(ranking.fused.keys() - ranking.lexical_ranks.keys())
    ordered = iter(sort_by_score([*ranking.lexical_ranks, *rest], ranking.fused))
    while len(placed) < limit and (batch := list(islice(ordered, _BATCH))):
        passages = library.passage_rows(batch)
        for row in (each for each in batch if each in passages):
            document, passage = passages[row].document, passages[row].passage
            if document not in texts:
                texts[document] = library.text(document)
            span = passage.span
            spots = _matched(ranking.tree, span.text_in(texts[document]))
            matched = tuple(one.shift(span.start) for one in spots)
            found = FoundPassage(document, passage.ordinal, passage.node, span, matched, row)
            add_disjoint(placed, found, texts[document])
            if len(placed) == limit:
                break
    hits = []
    for one in placed:
        text = texts[one.document]
        scores = _scores(ranking, one.row, one.span.text_in(text))
        with library.decoding(one.document, "outline"):
            hits.append(DocumentPlaces.load(library, one.document).hit(one, text, scores))
    return hits


def _matched(tree: Node | None, text: str) -> list[Span]:
    shown = None if tree is None else without_fields(tree)
    if shown is None:
        return []
    return matched_spans(shown, WordIndex(text))


def _scores(ranking: _Ranking, row: int, words: str) -> dict[str, float]:
    scores = {"score": ranking.fused[row]}
    if row in ranking.lexical_ranks:
        scores["lexical"] = ranking.lexical.scores[row]
        scores["lexical_rank"] = ranking.lexical_ranks[row]
        for label, part in ranking.lexical.terms(row, words):
            name = f"term {label}"
            scores[name] = scores.get(name, 0.0) + part
    if row in ranking.cosines:
        scores["cosine"] = ranking.cosines[row]
        scores["dense_rank"] = ranking.dense_ranks[row]
    return scores
