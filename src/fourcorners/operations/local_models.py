"""The local models that searches and tasks share: loaded when they are first needed."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from fourcorners.library.store import Library
from fourcorners.settings import Settings

if TYPE_CHECKING:
    from fourcorners.models import Encoder, Reranker
    from fourcorners.search.concepts import Concept
    from fourcorners.search.filters import Filters
    from fourcorners.search.run import SearchResult


class LocalModels:
    """One encoder and one reranker for all threads; ONNX Runtime sessions may be shared."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.Lock()

    @property
    def encoder(self) -> Encoder:
        """Return what makes the vectors.

        Raises:
            ModelError: If its files are missing or damaged.
        """
        with self._lock:
            return self._encoder

    @property
    def reranker(self) -> Reranker | None:
        with self._lock:
            return self._reranker

    def search(self, library: Library, query: str, filters: Filters, limit: int) -> SearchResult:
        """Search as a person does; call it through `Access.search` alone.

        Raises:
            QueryError: If the query does not parse.
            ConfigError: If it names what is not there.
        """
        from fourcorners.search.query import parse_query
        from fourcorners.search.run import search_library

        parsed = parse_query(query)
        return search_library(
            library,
            parsed,
            encoder=self.encoder if library.encoder else None,
            concepts=self._concepts if parsed.plain else (),
            reranker=self.reranker if parsed.plain else None,
            filters=filters,
            limit=limit,
        )

    @cached_property
    def _encoder(self) -> Encoder:
        from fourcorners.models import default_encoder

        return default_encoder(threads=self.settings.jobs)

    @cached_property
    def _reranker(self) -> Reranker | None:
        from fourcorners.models import default_reranker

        return default_reranker(threads=self.settings.jobs)

    @cached_property
    def _concepts(self) -> tuple[Concept, ...]:
        from fourcorners.playbooks.concepts import default_concepts

        return tuple(default_concepts())
