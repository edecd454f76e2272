"""The local models that searches and tasks share: loaded when they are first needed."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from fourcorners.settings import Settings

if TYPE_CHECKING:
    from fourcorners.models import Encoder, Reranker
    from fourcorners.search.concepts import Concept


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

    @cached_property
    def _encoder(self) -> Encoder:
        from fourcorners.models import default_encoder

        return default_encoder(self.settings.encoder, threads=self.settings.jobs)

    @cached_property
    def _reranker(self) -> Reranker | None:
        from fourcorners.models import default_reranker

        return default_reranker(self.settings.reranker, threads=self.settings.jobs)

    @cached_property
    def concepts(self) -> tuple[Concept, ...]:
        from fourcorners.playbooks.concepts import default_concepts

        return tuple(default_concepts())
