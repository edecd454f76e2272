"""Models behind HTTP: an encoder and a reranker, where calls go, with which key, and what fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit, urlunsplit

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import CallError, ConfigError, ModelError
from fourcorners.net import RetryPolicy, post_json, redact_url, require_url

if TYPE_CHECKING:
    from pydantic import SecretStr

    from fourcorners.settings import EncoderSettings, RerankerSettings

MAX_CHARACTERS = 8_000  # servers refuse, rather than cut, what is longer than their model reads
_AZURE = ".azure.com"  # its servers know a key by a header of their own


@dataclass(kw_only=True)
class RemoteModel:
    """A model behind HTTP, as a section of the settings names it.

    Attributes:
        url: Up to the version, such as `http://localhost:11434/v1`, or the whole endpoint.
        key: What the server knows this user by; empty if it wants none.
        batch: How many texts one request has.
    """

    section: ClassVar[str]
    path: ClassVar[str]
    url: str
    model: str
    key: SecretStr | None = None
    batch: int = 64
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)

    def __post_init__(self) -> None:
        require_url(self.url)
        self.endpoint = _endpoint_url(self.url, self.path)

    @property
    def name(self) -> str:
        """Name the model; where it runs may change."""
        return f"remote/{self.model}"

    def post(self, body: Mapping[str, object]) -> object:
        """Send a request; return the JSON of the answer.

        Raises:
            CallError: If the server cannot be reached, or refuses.
        """
        headers = _key_headers(self.endpoint, self.key)
        try:
            return post_json(
                self.endpoint,
                {"model": self.model, **body},
                headers=headers,
                retry_policy=self.retry_policy,
            )
        except CallError as error:
            error.remedy = _remedy(error.status, self.section, self.model)
            raise

    def wrong_answer(self, what: str, protocol: str, meant: str) -> ModelError:
        """Return an error for an answer that cannot be used."""
        return ModelError(
            f"{redact_url(self.endpoint)}: the answer {what}.",
            remedy=f"Check that url under [{self.section}] is {protocol}, and that model names "
            f"{meant}.",
        )


def _require_settings(section: str, settings: object, *names: str) -> None:
    """Refuse settings of a remote model that lack any of these.

    Raises:
        ConfigError: If they do.
    """
    if missing := [name for name in names if not getattr(settings, name)]:
        raise ConfigError(
            f"a remote {section} needs {' and '.join(missing)}.",
            remedy=f"Say {missing[0]} under [{section}] in fourcorners.toml, or "
            f"FOURCORNERS_{section.upper()}_{missing[0].upper()} in the environment.",
        )


def _endpoint_url(url: str, path: str) -> str:
    """Return the whole URL of an endpoint: the query of Azure's deployments stays at its end."""
    parts = urlsplit(url)
    place = parts.path.rstrip("/")
    if not place.endswith(path):
        place += path
    return urlunsplit((parts.scheme, parts.netloc, place, parts.query, ""))


def _request_text(text: str) -> str:
    """Return a text as servers take it: cut, whole characters only, and never empty."""
    words = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return words if words.strip() else " "


def _key_headers(url: str, key: SecretStr | None) -> dict[str, str]:
    """Return the header by which a server knows its user; none without a key."""
    words = key.get_secret_value().strip() if key else ""
    if not words:
        return {}
    if (urlsplit(url).hostname or "").endswith(_AZURE):
        return {"api-key": words}
    return {"Authorization": f"Bearer {words}"}


def _remedy(status: int | None, section: str, model: str) -> str:
    """Return what to do about a failed call in the section of the settings."""
    if status is None:
        return f"Check that the server runs, and url under [{section}]; then do the same again."
    if status in {401, 403}:
        variable = f"FOURCORNERS_{section.upper()}_KEY"
        return f"Check key under [{section}], or {variable} in the environment."
    if status in {404, 405} or 300 <= status < 400:
        return f"Check url and model under [{section}]: is {model!r} there, and the URL up to /v1?"
    if status == 429:
        return f"Do the same again later, or set a smaller batch under [{section}]."
    if status in {400, 413, 422}:
        return f"Check model under [{section}], or set a smaller batch."
    if status >= 500:
        return "See the server's log; then do the same again."
    return f"Check that url under [{section}] is that of the protocol which it names."


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
            rows.setdefault(_request_text(text), []).append(row)
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
    _require_settings("encoder", settings, "url", "model", "dimension")
    return RemoteEncoder(
        url=settings.url,
        model=settings.model,
        dimension=settings.dimension or 0,
        key=settings.key,
        batch=settings.batch,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 64)


_TINY = 1e-6  # keeps a share off 0 and 1


class RemoteReranker(RemoteModel):
    """A reranker behind HTTP: Cohere, Jina, vLLM, llama.cpp and others.

    The question and the passages are sent to the server, `batch` passages at a time; a text is cut
    at 8,000 characters. Scores that are all from 0 to 1 are taken for shares, whose log-odds are
    returned; others for logits.
    """

    section = "reranker"
    path = "/rerank"

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage, in the order of the passages; equal passages are sent once.

        Raises:
            ModelError: If the server cannot be reached, refuses, or answers what is no ranking.
        """
        texts = [_request_text(each) for each in passages]
        unique = list(dict.fromkeys(texts))
        found: dict[str, float] = {}
        for at in range(0, len(unique), self.batch):
            batch = unique[at : at + self.batch]
            found |= zip(batch, self._batch_scores(question, batch), strict=True)
        raw = np.array([found[text] for text in texts], np.float64)
        if len(raw) and raw.min() >= 0.0 and raw.max() <= 1.0:
            shares = raw.clip(_TINY, 1.0 - _TINY)
            raw = np.log(shares / (1.0 - shares))
        return raw.astype(np.float32)

    def _batch_scores(self, question: str, texts: Sequence[str]) -> list[float]:
        answer = self.post(
            {
                "query": _request_text(question),
                "documents": list(texts),
                "top_n": len(texts),
            }
        )
        results = answer.get("results") if isinstance(answer, dict) else None
        by_index: dict[int, float] = {}
        for each in results if isinstance(results, list) else ():
            index = each.get("index") if isinstance(each, dict) else None
            score = each.get("relevance_score") if isinstance(each, dict) else None
            if isinstance(index, int) and isinstance(score, int | float) and np.isfinite(score):
                by_index[index] = float(score)
        if by_index.keys() != set(range(len(texts))):
            what = "does not score each passage once"
            raise self.wrong_answer(what, "of Cohere's or Jina's protocol", "a reranker")
        return [by_index[place] for place in range(len(texts))]


def remote_reranker(settings: RerankerSettings) -> RemoteReranker:
    """Return the reranker that the settings describe; nothing is sent before it is asked.

    Raises:
        ConfigError: If they lack its URL or its model.
    """
    _require_settings("reranker", settings, "url", "model")
    return RemoteReranker(url=settings.url, model=settings.model, key=settings.key)
