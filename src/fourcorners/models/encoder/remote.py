"""`RemoteEncoder`: vectors from any server that speaks OpenAI's `/v1/embeddings`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import CallError, ConfigError, ModelError
from fourcorners.models.remote import endpoint_url, key_headers, request_text, with_remedy
from fourcorners.net import RetryPolicy, post_json, redact_url, require_url

if TYPE_CHECKING:
    from pydantic import SecretStr

    from fourcorners.settings import EncoderSettings

_PATH = "/embeddings"


class RemoteEncoder:
    """An encoder behind HTTP: Ollama, llama.cpp, vLLM, OpenAI, Azure and others.

    Every text that is encoded is sent to the server: passages of contracts, and questions. A text
    is cut at 8,000 characters. The server must give a text the same vector whatever else it is
    asked; rows are normalised here.

    Args:
        url: Up to the version, such as `http://localhost:11434/v1`, or the whole endpoint.
        dimension: Of its vectors; an answer of another length is refused.
        key: What the server knows this user by; empty if it wants none.
    """

    def __init__(
        self,
        *,
        url: str,
        model: str,
        dimension: int,
        key: SecretStr | None = None,
        batch: int = 64,
        retry_policy: RetryPolicy = RetryPolicy(),  # noqa: B008 - it cannot change
    ) -> None:
        require_url(url)
        self._url = endpoint_url(url, _PATH)
        self._model = model
        self._dimension = dimension
        self._key = key
        self._batch = batch
        self._retry_policy = retry_policy

    @property
    def name(self) -> str:
        """Name the model; where it runs may change."""
        return f"remote/{self._model}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row a text; equal texts are sent once.

        Raises:
            ModelError: If the server cannot be reached, refuses, or answers what is no vectors of
                this dimension.
        """
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            rows.setdefault(request_text(text), []).append(row)
        by_length = sorted(rows, key=len)  # so that the server pads little
        for at in range(0, len(by_length), self._batch):
            batch = by_length[at : at + self._batch]
            for text, vector in zip(batch, self._vectors(batch), strict=True):
                vectors[rows[text]] = vector
        return vectors

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        try:
            answer = post_json(
                self._url,
                body,
                headers=key_headers(self._url, self._key),
                retry_policy=self._retry_policy,
            )
        except CallError as error:
            raise with_remedy(error, "encoder", self._model) from None
        found = np.empty((len(texts), self._dimension), dtype=np.float64)
        for row, numbers in enumerate(self._in_order(answer, len(texts))):
            if len(numbers) != self._dimension:
                raise ModelError(
                    f"{redact_url(self._url)}: {self._model} gives vectors of {len(numbers)} "
                    f"dimensions, not of {self._dimension}.",
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
        return ModelError(
            f"{redact_url(self._url)}: the answer {what}.",
            remedy="Check that url under [encoder] is that of OpenAI-compatible embeddings, and "
            "that model names one for embeddings.",
        )


def remote_encoder(settings: EncoderSettings) -> RemoteEncoder:
    """Return the encoder that the settings describe; nothing is sent before the first `encode`.

    Raises:
        ConfigError: If they lack its URL, its model or its dimension.
    """
    missing = [
        name
        for name, value in (
            ("url", settings.url),
            ("model", settings.model),
            ("dimension", settings.dimension),
        )
        if not value
    ]
    if missing or settings.dimension is None:
        raise ConfigError(
            f"a remote encoder needs {' and '.join(missing)}.",
            remedy=f"Say {missing[0]} under [encoder] in fourcorners.toml, or "
            f"FOURCORNERS_ENCODER_{missing[0].upper()} in the environment.",
        )
    return RemoteEncoder(
        url=settings.url,
        model=settings.model,
        dimension=settings.dimension,
        key=settings.key,
        batch=settings.batch,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 64)
