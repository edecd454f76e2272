"""The ways to rank clauses; `default` is what a user gets by default."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """A named way to rank.

    `hybrid` adds the two scores below it; the two that end in `rerank` have the first hundred read
    again by the reranker of the settings.
    """

    DEFAULT = "default"
    HYBRID = "hybrid"
    DENSE = "dense"
    BM25 = "bm25"
    DENSE_RERANK = "dense-rerank"
    BM25_RERANK = "bm25-rerank"
