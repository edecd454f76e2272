"""`RemoteEncoder`: vectors from any server that speaks OpenAI's `/v1/embeddings`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ModelError
from fourcorners.models.remote import RemoteModel, request_text, require_settings
from fourcorners.net import redact_url

if TYPE_CHECKING:
    from fourcorners.settings import EncoderSettings


@dataclass(kw_only=True)
class RemoteEncoder(RemoteModel):
    """An encoder behind HTTP: Ollama, llama.cpp, vLLM, OpenAI, Azure and others.

    Every text that is encoded is sent to the server: passages of contracts, and questions. A text
    is cut at 8,000 characters. The server must give a text the same vector whatever else it is
    asked; rows are normalised here.

    Attributes:
        dimension: Of its vectors; an answer of another length is refused.
    """

    section = "encoder"
    path = "/embeddings"
    dimension: int

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row a text; equal texts are sent once.

        Raises:
            ModelError: If the server cannot be reached, refuses, or answers what is no vectors of
                this dimension.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            rows.setdefault(request_text(text), []).append(row)
        by_length = sorted(rows, key=len)  # so that the server pads little
        for at in range(0, len(by_length), self.batch):
            batch = by_length[at : at + self.batch]
            for text, vector in zip(batch, self._vectors(batch), strict=True):
                vectors[rows[text]] = vector
        return vectors

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        answer = self.post({"input": list(texts), "encoding_format": "float"})
        found = np.empty((len(texts), self.dimension), dtype=np.float64)
        for row, numbers in enumerate(self._in_order(answer, len(texts))):
            if len(numbers) != self.dimension:
                raise ModelError(
                    f"{redact_url(self.endpoint)}: {self.model} gives vectors of {len(numbers)} "
                    f"dimensions, not of {self.dimension}.",
                    remedy=f"Say dimension = {len(numbers)} under [encoder], or name another "
                    "model.",
                )
            found[row] = numbers
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        if not (np.isfinite(norms).all() and norms.all()):
            raise self._strange("holds vectors without a direction")
        vectors: NDArray[np.float32] = (found / norms).astype(np.float32)
        return vectors

    def _in_order(self, answer: object, count: int) -> list[list[float]]:
        """Return the vectors of an answer, in the order of the texts."""
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(each, dict) for each in data):
            raise self._strange("holds no list of vectors")
        if len(data) != count:
            raise self._strange(f"holds {len(data)} vectors for {count} texts")
        by_index: dict[int, list[float]] = {}
        for place, each in enumerate(data):
            numbers, index = each.get("embedding"), each.get("index", place)
            if not isinstance(numbers, list) or not all(map(_is_number, numbers)):
                raise self._strange("holds vectors that are no lists of numbers")
            if isinstance(index, int):
                by_index[index] = numbers
        if by_index.keys() != set(range(count)):
            raise self._strange("does not say which vector is which text's")
        return [by_index[place] for place in range(count)]

    def _strange(self, what: str) -> ModelError:
        protocol = "that of OpenAI-compatible embeddings"
        return self.wrong_answer(what, protocol, "one for embeddings")


def remote_encoder(settings: EncoderSettings) -> RemoteEncoder:
    """Return the encoder that the settings describe; nothing is sent before the first `encode`.

    Raises:
        ConfigError: If they lack its URL, its model or its dimension.
    """
    require_settings("encoder", settings, "url", "model", "dimension")
    return RemoteEncoder(
        url=settings.url,
        model=settings.model,
        dimension=settings.dimension or 0,
        key=settings.key,
        batch=settings.batch,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 64)
