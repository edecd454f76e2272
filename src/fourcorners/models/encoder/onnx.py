"""`OnnxEncoder`: a text encoder on ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ModelError
from fourcorners.models.card import ModelInfo

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

T = TypeVar("T")
R = TypeVar("R")
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
        ids = np.array([tokenizer.encode(readable_text(text)).ids], dtype=np.int64)
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
                tokenizer = read_tokenizer(self._info)
                tokenizer.enable_truncation(self._info.max_tokens)
                self._loaded = tokenizer, open_session(self._info.read("model.onnx"))
            return self._loaded


@cache
def _open_session(info: ModelInfo) -> _Opened:
    return _Opened(info)


def read_tokenizer(info: ModelInfo) -> Tokenizer:
    """Return the model's tokenizer, which never pads, and does not cut before it is told to.

    Raises:
        ModelError: If its file is missing, damaged or no tokenizer's.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(info.read("tokenizer.json").decode("utf-8"))
    except ModelError:
        raise
    except Exception as error:  # the library raises nothing narrower
        raise file_error(info, "tokenizer.json", error) from error
    tokenizer.no_padding()
    return tokenizer


def file_error(info: ModelInfo, file: str, error: Exception) -> ModelError:
    message = " ".join(str(error).split())[:200]
    return ModelError(
        f"model {info.name}: {info.folder / file} cannot be used: {message}", remedy=info.remedy
    )


def readable_text(text: str) -> str:
    """Return what can be tokenised: a lone surrogate, as of a damaged PDF, has no UTF-8."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def run_in_threads(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return what work gives for each item; an interrupt does not wait for those that are left."""
    if threads == 1 or len(items) <= 1:
        return [work(each) for each in items]
    pool = ThreadPoolExecutor(threads, thread_name_prefix="model")
    try:
        return list(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)


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
