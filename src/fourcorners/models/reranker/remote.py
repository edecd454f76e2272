"""`RemoteReranker`: passages read again by a server that speaks Cohere's or Jina's protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.remote import RemoteModel, request_text, require_settings

if TYPE_CHECKING:
    from fourcorners.settings import RerankerSettings

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
        texts = [request_text(each) for each in passages]
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
                "query": request_text(question),
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
    require_settings("reranker", settings, "url", "model")
    return RemoteReranker(url=settings.url, model=settings.model, key=settings.key)
