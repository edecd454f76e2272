"""`OnnxEncoder`: a text encoder on ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.card import ModelInfo

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MAX_CHARACTERS = 20_000  # 256 tokens of prose are some 1,500; a whole file must not be tokenised


class OnnxEncoder:
    """An encoder whose graph takes token ids and gives pooled, normalised vectors.

    A text is cut at the model's `max_tokens` (and at 20,000 characters). Every text is a run of
    its own: int8 activations are scaled by the largest value in the run, so in a batch a vector
    would depend on its neighbours (cosine to the lone run .995 on average, .989 at worst). A run of
    one needs no padding, so nothing is lost by it: 17 CPU-seconds per 1,000 passages of 164 tokens,
    in batches of 16, sorted by length, 23; for titles of ten tokens 1.3, in batches 1.0.
    `threads` texts run at a time, each on one core. The files are read and verified on first use;
    threads may share an encoder, and all encoders of one model in a process share a session.

    Args:
        threads: Cores to use; by default those this process may run on.
    """

    def __init__(self, info: ModelInfo, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be 1 or more, not {threads}")
        self.info = info
        self.threads = threads or usable_cores()
        self._opened = _opened(info)

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
        self._opened.load()
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            rows.setdefault(text, []).append(row)
        longest_first = sorted(rows, key=len, reverse=True)  # so that no core is left waiting
        if self.threads == 1 or len(longest_first) == 1:
            for text in longest_first:
                vectors[rows[text]] = self._vector(text)
            return vectors
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="encode")
        try:
            found = pool.map(self._vector, longest_first)
            for text, vector in zip(longest_first, found, strict=True):
                vectors[rows[text]] = vector
        finally:  # an interrupt must not wait for the texts that are left
            pool.shutdown(cancel_futures=True)
        return vectors

    def _vector(self, text: str) -> NDArray[np.float32]:
        tokenizer, session = self._opened.load()
        # A lone surrogate, which a damaged PDF can hold, has no UTF-8: it becomes a question mark.
        words = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        ids = np.array([tokenizer.encode(words).ids], dtype=np.int64)
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
                self._loaded = (
                    read_tokenizer(self._info),
                    open_session(self._info.read("model.onnx")),
                )
            return self._loaded


@cache
def _opened(info: ModelInfo) -> _Opened:
    return _Opened(info)


def read_tokenizer(info: ModelInfo) -> Tokenizer:
    """Return the model's tokenizer, which cuts at `info.max_tokens` and never pads."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(info.read("tokenizer.json").decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(info.max_tokens)
    return tokenizer


def open_session(model: bytes) -> InferenceSession:
    """Return a session that runs on the thread that calls it, and on no other.

    Many threads may call it at once: a run releases the interpreter's lock.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Without it, processors that have AVX2 but no VNNI add products of int8 in 16 bits, where they
    # overflow: vectors then are as .993 (cosine) to those of other machines, for 4% of the time.
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def usable_cores() -> int:
    """Count the cores this process may run on, which can be fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1
