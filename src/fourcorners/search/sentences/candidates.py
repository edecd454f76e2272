"""Which documents of a library to read for a question: those whose passages lead a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.memory import VersionedCache
from fourcorners.search.concepts import Concept
from fourcorners.search.filters import Filters
from fourcorners.search.fusion import fuse_ranks, ranks, sort_by_score
from fourcorners.search.index import index_of
from fourcorners.search.lexical import best_rows
from fourcorners.search.query import Node, Or, Prefix, Word
from fourcorners.text.stems import content_tokens, stem_tokens
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_PASSAGES = 200
"""How many passages each side brings."""
_BATCH = 32  # passages whose documents are looked up at once
MIN_WORD = 4
"""Letters of a stem from which all words that start with it count as its forms."""


def leading_documents(
    library: Catalogue,
    question: str,
    vector: NDArray[np.float32] | None,
    concepts: Sequence[tuple[Concept, float]],
    filters: Filters,
    limit: int,
) -> list[str]:
    """Return the ids of at most `limit` documents, the one with the best passage first.

    Passages are ranked by the question's words and by its meaning, and by the examples of the
    concepts that it asks for (without vectors by their queries, which takes longer); the rankings
    are fused.
    """
    tokens = filters.tokens(library)
    trees = [any_word_form(question)]
    nearby: list[Mapping[int, float]] = []
    if vector is None:
        trees += [concept.query.tree for concept, _ in concepts]
    else:
        nearby = [index_of(library).nearest(filters, tokens, vector, MAX_PASSAGES, None)]
        nearby += [_nearest(library, filters, tokens, concept) for concept, _ in concepts]
    rankings = [
        (ranks(best_rows(library, tree, tokens, MAX_PASSAGES).scores), 1.0)
        for tree in trees
        if tree is not None
    ]
    rankings += [(ranks(near), 1.0) for near in nearby]
    fused = fuse_ranks(rankings)
    ordered = library.without_left_out(sort_by_score(sorted(fused), fused))
    found: dict[str, None] = {}
    for at in range(0, len(ordered), _BATCH):
        batch = ordered[at : at + _BATCH]
        passages = library.passage_rows(batch)
        found |= dict.fromkeys(passages[row].document for row in batch if row in passages)
        if len(found) >= limit:
            break
    return list(found)[:limit]


def _nearest(
    library: Catalogue, filters: Filters, tokens: Sequence[Sequence[str]], concept: Concept
) -> Mapping[int, float]:
    """Return the passages nearest to a concept's examples; kept, for they are asked for often."""
    examples = concept.examples
    if examples is None:
        return {}
    known: VersionedCache[Mapping[int, float]] = library.memory.cache("nearest passages")
    return known.get(
        library.content_version,
        (concept, filters),
        lambda: index_of(library).nearest(
            filters, tokens, examples.mean(axis=0), MAX_PASSAGES, None
        ),
    )


def any_word_form(question: str) -> Node | None:
    tokens = content_tokens(tokenize(question).tokens)
    forms: dict[str, Word | Prefix] = {}
    for token, stem in zip(tokens, stem_tokens(tokens), strict=True):
        same = takewhile(lambda pair: pair[0] == pair[1], zip(token, stem, strict=False))
        start = "".join(letter for letter, _ in same)
        forms[start] = Prefix(start) if len(start) >= MIN_WORD else Word(token)
    if len(forms) < 2:
        return next(iter(forms.values()), None)
    return Or(tuple(forms.values()))
