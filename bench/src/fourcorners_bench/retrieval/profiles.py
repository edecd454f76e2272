"""Named pipelines of retrieval: the papers' baselines, their parts, and what a user gets.

A pipeline cuts documents into chunks, ranks them by words (BM25), by meaning or by both fused, and
may rerank. `default` is different: it is `fourcorners.search.sentences`, with its own passages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import Catalogue
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.outline.tree import Passage
from fourcorners.search.filters import Filters
from fourcorners.search.fusion import fuse_ranks, ranks, sort_by_score
from fourcorners.search.index import index_of
from fourcorners.search.lexical import matching_rows
from fourcorners.search.query import Node, Or, Word
from fourcorners.text.stems import IDLE
from fourcorners.text.tokenization import tokenize
from fourcorners_bench.retrieval.chunks import OUTLINE, STRUCTURAL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Pipeline:
    """How chunks are made and ranked.

    Attributes:
        chunks: The chunking, as `chunk_document` names it.
        depth: How many chunks each ranking brings.
        limit: How many are left of the fused ranking, and reranked.
        min_score: The share of the best BM25 score below which a chunk is left out.
        rerank: Whether a reranker is needed, used if there is one, or not used.
        rewrites: Whether a language model rewrites the query.
        filters: Whether it marks the words that count in the best chunks, which alone are returned.
    """

    chunks: str
    lexical: bool = False
    dense: bool = True
    depth: int = 100
    limit: int = 64
    min_score: float = 0.0
    rerank: str = "no"
    rewrites: bool = False
    filters: bool = False
    description: str = ""


DEFAULT = "default"
FULL = "full"
"""Another name of `DEFAULT`."""

# PAKTON, appendix F.2: the two configurations differ by the reranker that its authors ran.
_PAKTON = {
    f"pakton-{number}": Pipeline(
        STRUCTURAL,
        lexical=True,
        min_score=0.6,
        rerank="may",
        description=f"PAKTON's Configuration {number}",
    )
    for number in (1, 2)
}
PIPELINES: Mapping[str, Pipeline] = {
    "bm25": Pipeline(
        OUTLINE, lexical=True, dense=False, description="the outline's passages by words"
    ),
    "dense": Pipeline(OUTLINE, description="the outline's passages by meaning"),
    "hybrid": Pipeline(OUTLINE, lexical=True, description="both, fused"),
    # LegalBench-RAG, section 4.2. It names a size for fixed chunks alone; 500 serves both.
    "naive": Pipeline("fixed-500", description="500 characters each, by meaning"),
    "rcts": Pipeline("recursive-500", description="recursive chunks of 500 at most, by meaning"),
    "naive-rerank": Pipeline("fixed-500", rerank="must", description="naive, reranked"),
    "rcts-rerank": Pipeline("recursive-500", rerank="must", description="rcts, reranked"),
    "rcts-hybrid": Pipeline("recursive-500", lexical=True, description="rcts and BM25, fused"),
    "views": Pipeline(STRUCTURAL, lexical=True, description="PAKTON's three views, both fused"),
    **_PAKTON,
    **{
        f"{name}-rewritten": replace(each, rewrites=True, description=f"{name}, query rewritten")
        for name, each in _PAKTON.items()
    },
    **{
        f"{name}-filtered": replace(
            each, rewrites=True, filters=True, description=f"{name}, rewritten and filtered"
        )
        for name, each in _PAKTON.items()
    },
}
PROFILE_NAMES = (DEFAULT, FULL, *PIPELINES)
RERANKED = frozenset(name for name, each in PIPELINES.items() if each.rerank != "no")
"""The profiles in which a reranker has its place."""


def find_pipeline(name: str, reranker: Reranker | None = None) -> Pipeline | None:
    """Return the pipeline of a profile; None for `default`, which has none.

    Raises:
        ConfigError: If there is no such profile, or it needs a reranker and there is none.
    """
    if name in (DEFAULT, FULL):
        return None
    if name not in PIPELINES:
        near = get_close_matches(name, PROFILE_NAMES, n=1)
        raise ConfigError(
            f"there is no profile {name!r}.",
            remedy=f"Did you mean {near[0]!r}?"
            if near
            else f"There are: {', '.join(PROFILE_NAMES)}.",
        )
    found = PIPELINES[name]
    if found.rerank == "must" and reranker is None:
        raise ConfigError(
            f"the profile {name!r} needs a reranker, and no model of that kind is configured.",
            remedy=f"Run {name.removesuffix('-rerank')!r}, which is the same without it.",
        )
    return found


def profile_notes(name: str, reranker: Reranker | None = None) -> list[str]:
    """Return by what a profile is reranked, and what it leaves out of what its paper did."""
    if name not in RERANKED:
        return []
    notes = [f"{name} is reranked by {reranker.name}." if reranker else f"{name} is not reranked."]
    if name in _PAKTON:
        notes.append(f"{name} runs without query rewriting and filtering by a language model.")
    return notes


def rank_passages(
    library: Catalogue,
    question: str,
    vector: NDArray[np.float32] | None,
    filters: Filters,
    how: Pipeline,
    *,
    limit: int,
    reranker: Reranker | None = None,
) -> list[tuple[str, Passage, float]]:
    """Return the best chunks of a library for a question: document, chunk and score.

    Every word of the question but stop words counts for BM25.
    """
    tokens = filters.tokens(library)
    rankings: list[Mapping[int, float]] = []
    if how.lexical:
        found = matching_rows(library, _any_word(question), tokens).scores
        best = sort_by_score(sorted(found), found)[: how.depth]
        floor = how.min_score * found[best[0]] if best else 0.0
        rankings.append({row: found[row] for row in best if found[row] >= floor})
    if how.dense and vector is not None:
        rankings.append(index_of(library).nearest(filters, tokens, vector, how.depth, None))
    scores = (
        rankings[0] if len(rankings) == 1 else fuse_ranks([(ranks(one), 1.0) for one in rankings])
    )
    ordered = sort_by_score(sorted(scores), scores)[: how.limit]
    rows = library.passage_rows(ordered)
    chunks = [(rows[row].document, rows[row].passage, scores[row]) for row in ordered]
    if reranker is not None and how.rerank != "no":
        texts = [passage.span.text_in(library.text(document)) for document, passage, _ in chunks]
        reranker_scores = reranker.scores(question, texts).tolist()
        order = sorted(range(len(chunks)), key=lambda at: -reranker_scores[at])
        chunks = [(*chunks[at][:2], float(reranker_scores[at])) for at in order]
    return chunks[:limit]


def _any_word(question: str) -> Node:
    tokens = list(dict.fromkeys(tokenize(question).tokens))
    content_tokens = [token for token in tokens if token not in IDLE] or tokens
    return (
        Word(content_tokens[0])
        if len(content_tokens) == 1
        else Or(tuple(Word(token) for token in content_tokens))
    )
