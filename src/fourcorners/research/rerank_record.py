"""What the configured reranker did, and did not, for one question."""

from __future__ import annotations

from fourcorners.library.store import Library
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.search.sentences.retrieve import RERANKED, Retrieval

_NAMED = 8  # contracts that a sentence names


class RerankRecord:
    """What a report must say of the reranker; all searches for one question share it."""

    def __init__(self) -> None:
        self._failure = ""
        self._unread: dict[str, None] = {}

    def usable(self, reranker: Reranker | None) -> Reranker | None:
        """Return the reranker, unless it has failed: each call may take as long as the first."""
        return None if self._failure else reranker

    def add(self, found: Retrieval) -> None:
        self._failure = self._failure or found.failure
        self._unread.update(dict.fromkeys(found.unread))

    def describe(self, library: Library) -> list[str]:
        """Say that the reranker failed, and of which contracts it read nothing in a search."""
        sentences = [self._failure] if self._failure else []
        names = [library.entry(each).name for each in self._unread]
        if names:
            more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
            contracts = "1 contract" if len(names) == 1 else f"{len(names)} contracts"
            sentences.append(
                f"The reranker reads the first {RERANKED} passages of a search. In at least one it "
                f"read none of {contracts}, ranked by the search alone: "
                f"{'; '.join([*names[:_NAMED], *more])}."
            )
        return sentences
