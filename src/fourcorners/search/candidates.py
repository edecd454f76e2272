"""Which documents of a library to read for a question: those whose passages lead a search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from fourcorners.library.catalogue import Catalogue
from fourcorners.search.concepts import Concept
from fourcorners.search.dense import nearest
from fourcorners.search.filters import Filters
from fourcorners.search.fusion import best_first, fuse, ranks
from fourcorners.search.lexical import best
from fourcorners.search.query import Node, Or, Prefix, Word
from fourcorners.search.stems import stemmed, telling
from fourcorners.text.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASSAGES = 200
"""How many passages each side brings."""
SHORTEST = 4
"""Letters of a stem from which all words that start with it count as its forms."""


def leading(
    library: Catalogue,
    asked: str,
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
    trees = [any_form(asked)]
    near: list[NDArray[np.float32]] = []
    if vector is None:
        trees += [concept.query.tree for concept, _ in concepts]
    else:
        means = [each.examples.mean(axis=0) for each, _ in concepts if each.examples is not None]
        near = [vector, *means]
    rankings = [
        (ranks(best(library, tree, tokens, PASSAGES).scores), 1.0)
        for tree in trees
        if tree is not None
    ]
    rankings += [(ranks(nearest(library, filters, tokens, one, PASSAGES)), 1.0) for one in near]
    fused = fuse(rankings)
    ordered = best_first(sorted(fused), fused)
    passages = library.passage_rows(ordered)
    return list(dict.fromkeys(passages[row].document for row in ordered))[:limit]


def any_form(asked: str) -> Node | None:
    """Return the question as OR of its telling words, in any of their forms."""
    tokens = telling(words(asked).tokens)
    forms: dict[str, Word | Prefix] = {}
    for token, stem in zip(tokens, stemmed(tokens), strict=True):
        same = takewhile(lambda pair: pair[0] == pair[1], zip(token, stem, strict=False))
        start = "".join(letter for letter, _ in same)
        forms[start] = Prefix(start) if len(start) >= SHORTEST else Word(token)
    if len(forms) < 2:
        return next(iter(forms.values()), None)
    return Or(tuple(forms.values()))
