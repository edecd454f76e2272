"""Which documents of a library to read for a question: those whose passages lead a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.library.catalogue import Catalogue
from fourcorners.search.concepts import Concept
from fourcorners.search.dense import nearest
from fourcorners.search.filters import Filters
from fourcorners.search.fusion import best_first, fuse, ranks
from fourcorners.search.lexical import lexical
from fourcorners.search.query import Node, Or, Word
from fourcorners.search.stems import telling
from fourcorners.text.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASSAGES = 200
"""How many passages each side brings."""


def leading(
    library: Catalogue,
    asked: str,
    vector: NDArray[np.float32] | None,
    concepts: Sequence[tuple[Concept, float]],
    filters: Filters,
    limit: int,
) -> list[str]:
    """Return the ids of at most `limit` documents, the one with the best passage first.

    Passages are ranked by the question's words, by the queries of the concepts it asks for and by
    meaning, and the rankings are fused.
    """
    tokens = filters.tokens(library)
    told = list(dict.fromkeys(telling(words(asked).tokens)))
    trees: list[Node] = [Or(tuple(Word(token) for token in told))] if len(told) > 1 else []
    trees += [Word(token) for token in told if len(told) == 1]
    trees += [concept.query.tree for concept, _ in concepts]
    rankings = []
    for tree in trees:
        scores = lexical(library, tree, tokens).scores
        best = best_first(sorted(scores), scores)[:PASSAGES]
        rankings.append((ranks({row: scores[row] for row in best}), 1.0))
    if vector is not None:
        rankings.append((ranks(nearest(library, filters, tokens, vector, PASSAGES)), 1.0))
    fused = fuse(rankings)
    ordered = best_first(sorted(fused), fused)
    passages = library.passage_rows(ordered)
    return list(dict.fromkeys(passages[row].document for row in ordered))[:limit]
