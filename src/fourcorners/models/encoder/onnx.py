"""`OnnxEncoder`: a text encoder on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.card import ModelInfo
from fourcorners.models.session import (
    open_graph,
    read_tokenizer,
    readable_text,
    run_in_threads,
)
from fourcorners.system.processes import usable_cores

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


class OnnxEncoder:
    """An encoder whose graph takes token ids and gives pooled, normalised vectors.

    A text is cut at the model's `max_tokens` (and at 20,000 characters). Every text is a run of
    its own: int8 activations are scaled by the largest value in the run, so in a batch a vector
    would depend on its neighbours (cosine to the lone run .995 on average, .989 at worst). A run of
    one needs no padding, so nothing is lost by it: 17 CPU-seconds per 1,000 passages of 164 tokens,
    in batches of 16, sorted by length, 23; for titles of ten tokens 1.3, in batches 1.0.
    `threads` texts run at a time, each on one core. The files are read and verified on first use;
    threads may share an encoder, and all encoders of one model in a process share a session.
    """

    def __init__(self, info: ModelInfo, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be 1 or more, not {threads}")
        self.info = info
        self.threads = threads or usable_cores()
        self._open_session = _open_session(info)

    @property
    def name(self) -> str:
        return self.info.identity

    @property
    def dimension(self) -> int:
        return self.info.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row a text; equal texts are encoded once.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        self._open_session.load()
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            rows.setdefault(text, []).append(row)
        longest_first = sorted(rows, key=len, reverse=True)  # so that no core is left waiting
        found = run_in_threads(self._vector, longest_first, self.threads)
        for text, vector in zip(longest_first, found, strict=True):
            vectors[rows[text]] = vector
        return vectors

    def _vector(self, text: str) -> NDArray[np.float32]:
        tokenizer, session = self._open_session.load()
        words = tokenizer.encode(readable_text(text), add_special_tokens=False)
        words.truncate(self.info.max_tokens - tokenizer.num_special_tokens_to_add(is_pair=False))
        ids = np.array([tokenizer.post_process(words).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vector: NDArray[np.float32] = session.run(None, feed)[0][0]
        return vector


class _Opened:
    """The tokenizer and the session of a model, for all its encoders in a process."""

    def __init__(self, info: ModelInfo) -> None:
        self._info = info
        self._lock = Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None

    def load(self) -> tuple[Tokenizer, InferenceSession]:
        """Return tokenizer and session, which are read and verified once.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = read_tokenizer(self._info), open_graph(self._info)
            return self._loaded


@cache
def _open_session(info: ModelInfo) -> _Opened:
    return _Opened(info)
