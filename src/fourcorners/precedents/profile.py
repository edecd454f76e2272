"""The ways to rank clauses; `default` is what a user gets by default."""

from __future__ import annotations

from enum import StrEnum

from fourcorners.errors import ConfigError


class Profile(StrEnum):
    """A named way to rank.

    `default` has the first two hundred weighed by what was learned from lawyers' stars, if that is
    for the encoder at hand, and is `hybrid` otherwise. `hybrid` adds the two scores below it; the
    two that end in `rerank` have the first hundred read again by the reranker of the settings.
    """

    DEFAULT = "default"
    HYBRID = "hybrid"
    DENSE = "dense"
    BM25 = "bm25"
    DENSE_RERANK = "dense-rerank"
    BM25_RERANK = "bm25-rerank"


def named(name: str) -> Profile:
    """Return a profile by name.

    Raises:
        ConfigError: If there is none of that name.
    """
    try:
        return Profile(name)
    except ValueError:
        raise ConfigError(
            f"there is no profile {name!r}.", remedy=f"There are: {', '.join(Profile)}."
        ) from None


def reranks(how: Profile) -> bool:
    """Tell whether a profile needs a reranker."""
    return how in (Profile.DENSE_RERANK, Profile.BM25_RERANK)
