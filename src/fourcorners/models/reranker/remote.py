"""`RemoteReranker`: passages read again by a server that speaks Cohere's or Jina's protocol."""

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

    from fourcorners.settings import RerankerSettings

_PATH = "/rerank"
_TINY = 1e-6  # keeps a share off 0 and 1


class RemoteReranker:
    """A reranker behind HTTP: Cohere, Jina, vLLM, llama.cpp and others.

    The question and the passages are sent to the server, `batch` passages at a time; a text is cut
    at 8,000 characters. Scores that are all from 0 to 1 are taken for shares, whose log-odds are
    returned; others for logits.

    Args:
        url: Up to the version, such as `https://api.cohere.com/v2`, or the whole endpoint.
        key: What the server knows this user by; empty if it wants none.
    """

    def __init__(
        self,
        *,
        url: str,
        model: str,
        key: SecretStr | None = None,
        batch: int = 64,
        retry_policy: RetryPolicy = RetryPolicy(),  # noqa: B008 - it cannot change
    ) -> None:
        require_url(url)
        self._url = endpoint_url(url, _PATH)
        self._model = model
        self._key = key
        self._batch = batch
        self._retry_policy = retry_policy

    @property
    def name(self) -> str:
        """Name the model; where it runs may change."""
        return f"remote/{self._model}"

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage, in the order of the passages; equal passages are sent once.

        Raises:
            ModelError: If the server cannot be reached, refuses, or answers what is no ranking.
        """
        texts = [request_text(each) for each in passages]
        unique = list(dict.fromkeys(texts))
        found: dict[str, float] = {}
        for at in range(0, len(unique), self._batch):
            batch = unique[at : at + self._batch]
            found |= zip(batch, self._batch_scores(question, batch), strict=True)
        raw = np.array([found[text] for text in texts], np.float64)
        if len(raw) and raw.min() >= 0.0 and raw.max() <= 1.0:
            shares = raw.clip(_TINY, 1.0 - _TINY)
            raw = np.log(shares / (1.0 - shares))
        return raw.astype(np.float32)

    def _batch_scores(self, question: str, texts: Sequence[str]) -> list[float]:
        body = {
            "model": self._model,
            "query": request_text(question),
            "documents": list(texts),
            "top_n": len(texts),
        }
        headers = key_headers(self._url, self._key)
        try:
            answer = post_json(self._url, body, headers=headers, retry_policy=self._retry_policy)
        except CallError as error:
            raise with_remedy(error, "reranker", self._model) from None
        results = answer.get("results") if isinstance(answer, dict) else None
        by_index: dict[int, float] = {}
        for each in results if isinstance(results, list) else ():
            index = each.get("index") if isinstance(each, dict) else None
            score = each.get("relevance_score") if isinstance(each, dict) else None
            if isinstance(index, int) and isinstance(score, int | float) and np.isfinite(score):
                by_index[index] = float(score)
        if by_index.keys() != set(range(len(texts))):
            raise ModelError(
                f"{redact_url(self._url)}: the answer does not score each passage once.",
                remedy="Check that url under [reranker] is of Cohere's or Jina's protocol, and "
                "that model names a reranker.",
            )
        return [by_index[place] for place in range(len(texts))]


def remote_reranker(settings: RerankerSettings) -> RemoteReranker:
    """Return the reranker that the settings describe; nothing is sent before it is asked.

    Raises:
        ConfigError: If they lack its URL or its model.
    """
    missing = [name for name in ("url", "model") if not getattr(settings, name)]
    if missing:
        raise ConfigError(
            f"a remote reranker needs {' and '.join(missing)}.",
            remedy=f"Say {missing[0]} under [reranker] in fourcorners.toml, or "
            f"FOURCORNERS_RERANKER_{missing[0].upper()} in the environment.",
        )
    return RemoteReranker(
        url=settings.url,
        model=settings.model,
        key=settings.key,
    )
