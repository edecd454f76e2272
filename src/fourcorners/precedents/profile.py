"""The ways to rank clauses; `default` is what a user gets by default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.errors import ConfigError, name_remedy


class Profile(StrEnum):
    """A named way to rank.

    `full` has the first two hundred weighed by what was learned from lawyers' stars, if that is
    for the encoder at hand, and is `hybrid` otherwise; `default` is the same. `hybrid` adds the
    two scores below it; those that end in `rerank` have the first hundred read again by the
    reranker of the settings.
    """

    DEFAULT = "default"
    FULL = "full"
    HYBRID = "hybrid"
    DENSE = "dense"
    BM25 = "bm25"
    FULL_RERANK = "full-rerank"
    HYBRID_RERANK = "hybrid-rerank"
    DENSE_RERANK = "dense-rerank"
    BM25_RERANK = "bm25-rerank"


RETRIEVERS = (Profile.BM25, Profile.DENSE, Profile.HYBRID, Profile.FULL)
RERANKED = {Profile(f"{each}-rerank"): each for each in RETRIEVERS}
"""For each profile whose first hundred are read again, the retriever that ranks them first."""
RERANKERS = tuple(RERANKED)


class Rerank(StrEnum):
    """How a language model reads the first of a ranking again.

    `pointwise` has it give stars to each clause by itself, `pairwise` compare two at a time.
    """

    POINTWISE = "pointwise"
    PAIRWISE = "pairwise"


@dataclass(frozen=True, slots=True)
class RankingMethod:
    """A profile, and how a language model reads the first of its ranking again, if one does."""

    profile: Profile
    rerank: Rerank | None = None

    @property
    def name(self) -> str:
        return f"{self.profile}-{self.rerank}" if self.rerank else self.profile.value


_WAYS: Mapping[str, RankingMethod] = {
    way.name: way
    for way in (
        *(RankingMethod(profile) for profile in Profile),
        *(RankingMethod(profile, rerank) for rerank in Rerank for profile in RETRIEVERS),
    )
}


def parse_method(name: str) -> RankingMethod:
    """Return a way to rank by name: a profile, or a retriever with a language model's reading.

    Raises:
        ConfigError: If no profile has that name.
    """
    if name not in _WAYS:
        raise ConfigError(f"there is no profile {name!r}.", remedy=name_remedy(name, _WAYS))
    return _WAYS[name]


def require_model_profile(way: RankingMethod, reread: int | None) -> None:
    """Refuse to say how many clauses a language model reads where none does.

    Raises:
        ConfigError: If that is so.
    """
    if reread is not None and way.rerank is None:
        raise ConfigError(
            "--reread is about a language model.",
            remedy="Name a profile that asks one, such as full-pointwise or full-pairwise.",
        )


def uses_reranker(how: Profile) -> bool:
    return how in RERANKERS


def uses_learned_model(how: Profile) -> bool:
    return how in (Profile.DEFAULT, Profile.FULL, Profile.FULL_RERANK)


def uses_vectors(how: Profile) -> bool:
    return how not in (Profile.BM25, Profile.BM25_RERANK)
