"""`OnnxReranker`: a cross-encoder on ONNX Runtime, from a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ConfigError, ModelError
from fourcorners.models.card import CARD, ModelInfo, read_card
from fourcorners.models.onnx_encoder import MAX_CHARACTERS, open_session, usable_cores
from fourcorners.models.reranker import probabilities

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

FILES = ("model.onnx", "tokenizer.json")
MAX_TOKENS = 512  # of question and passage together, where no card says otherwise
BATCH = 16
STARS = 4  # chances: of at least two, three, four and five
REMEDY = "Name a folder with model.onnx and tokenizer.json as path under [reranker]."
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_QUANTISED_AS_IT_COMES = b"DynamicQuantizeLinear"


class OnnxReranker:
    """A cross-encoder whose graph takes token ids and gives one logit a pair, or two classes.

    A graph may have a second output, `stars`: four logits, of at least two to five stars.

    Of a pair that is too long the passage is cut at its end, never the question; of a question
    longer than half of what the model reads, the end. Pairs of like length run together. A graph
    that scales its activations by the largest value of a run gets every pair alone, because in a
    batch a score would depend on its neighbours. `threads` runs go at a time, each on one core.
    The files are loaded on first use; one reranker may be shared by threads.

    Args:
        info: The model's card, or what `reranker_card` made up for a folder without one.
        threads: Cores to use; by default those this process may run on.
    """

    def __init__(self, info: ModelInfo, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be 1 or more, not {threads}")
        self.info = info
        self.threads = threads or usable_cores()
        self._loading = Lock()
        self._loaded: _Loaded | None = None

    @property
    def name(self) -> str:
        """Name the model, its version and a hash of its files."""
        return self.info.identity

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage, in the order of the passages; equal passages run once.

        Raises:
            ModelError: If a file of the model is missing, damaged or no cross-encoder's.
        """
        return self._read(question, passages, _Loaded.logits, ())

    def stars(self, question: str, passages: Sequence[str]) -> NDArray[np.float64]:
        """Return a row a passage: the chances of at least two, three, four and five stars.

        Raises:
            ModelError: If a file of the model is missing or damaged, or it was not taught stars.
        """
        return probabilities(self._read(question, passages, _Loaded.stars, (STARS,)))

    def _read(
        self,
        question: str,
        passages: Sequence[str],
        read: Callable[[_Loaded, Sequence[Encoding]], NDArray[np.float32]],
        each: tuple[int, ...],
    ) -> NDArray[np.float32]:
        """Return what `read` says of each pair, in values of the shape `each`."""
        values = np.empty((len(passages), *each), dtype=np.float32)
        if not passages:
            return values
        model = self._load()
        rows: dict[str, list[int]] = {}
        for row, passage in enumerate(passages):
            rows.setdefault(passage, []).append(row)
        pairs = model.pairs(question, list(rows))
        found = np.empty((len(pairs), *each), dtype=np.float32)
        longest_first = sorted(range(len(pairs)), key=lambda at: len(pairs[at].ids), reverse=True)
        batches = [longest_first[at : at + model.batch] for at in range(0, len(pairs), model.batch)]

        def run(batch: Sequence[int]) -> NDArray[np.float32]:
            return read(model, [pairs[at] for at in batch])

        if self.threads == 1 or len(batches) == 1:
            for batch in batches:
                found[batch] = run(batch)
        else:
            pool = ThreadPoolExecutor(self.threads, thread_name_prefix="rerank")
            try:
                for batch, told in zip(batches, pool.map(run, batches), strict=True):
                    found[batch] = told
            finally:  # an interrupt must not wait for the pairs that are left
                pool.shutdown(cancel_futures=True)
        for at, of_passage in enumerate(rows.values()):
            values[of_passage] = found[at]
        return values

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = _Loaded(self.info)
            return self._loaded


class _Loaded:
    """The model in memory."""

    def __init__(self, info: ModelInfo) -> None:
        self._name = info.name
        graph = info.read("model.onnx")
        self.batch = 1 if _QUANTISED_AS_IT_COMES in graph else BATCH
        self._longest_question = info.max_tokens // 2
        self._alone = _tokenizer(info)
        self._alone.enable_truncation(self._longest_question)
        self._pairs = _tokenizer(info)
        self._pairs.enable_truncation(info.max_tokens, strategy="only_second")
        self._session = _session(graph, info)
        self._inputs = {each.name for each in self._session.get_inputs()}
        if not {"input_ids"} <= self._inputs <= _INPUTS:
            raise ModelError(
                f"model {self._name}: its graph wants {', '.join(sorted(self._inputs))}, "
                "which is not what a cross-encoder of text takes.",
                remedy=info.remedy,
            )

    def pairs(self, question: str, passages: Sequence[str]) -> list[Encoding]:
        question = _sound(question)
        cut = self._alone.encode(question, add_special_tokens=False)
        if cut.overflowing:
            question = question[: cut.offsets[-1][1]]
        return self._pairs.encode_batch([(question, _sound(passage)) for passage in passages])

    def logits(self, pairs: Sequence[Encoding]) -> NDArray[np.float32]:
        """Run pairs together, padded to the longest; return one logit a pair."""
        columns = self._run(pairs, 0)
        if len(columns) > 2:
            raise ModelError(
                f"model {self._name}: its graph gives {len(columns)} values for a pair, "
                "not one or two."
            )
        # Of two, the first is the logit of "no" and the second of "yes".
        found: NDArray[np.float32] = columns[0] if len(columns) == 1 else columns[1] - columns[0]
        return found

    def stars(self, pairs: Sequence[Encoding]) -> NDArray[np.float32]:
        """Run pairs together; return a row of logits a pair, for at least two to five stars."""
        outputs = [each.name for each in self._session.get_outputs()]
        if "stars" not in outputs:
            raise ModelError(f"model {self._name} was not taught stars: its graph gives none.")
        return self._run(pairs, outputs.index("stars")).T

    def _run(self, pairs: Sequence[Encoding], output: int) -> NDArray[np.float32]:
        """Return the columns of one output of the graph."""
        shape = (len(pairs), max(len(pair.ids) for pair in pairs))
        feed = {name: np.zeros(shape, dtype=np.int64) for name in self._inputs}
        for row, pair in enumerate(pairs):
            values = {
                "input_ids": pair.ids,
                "attention_mask": pair.attention_mask,
                "token_type_ids": pair.type_ids,
            }
            for name, array in feed.items():
                array[row, : len(pair.ids)] = values[name]
        out = np.asarray(self._session.run(None, feed)[output], dtype=np.float32)
        columns: NDArray[np.float32] = out.reshape(len(pairs), -1).T
        return columns


def reranker_card(folder: Path, *, max_tokens: int | None = None) -> ModelInfo:
    """Return the card of the cross-encoder in `folder`.

    A folder without a card gets one with the hashes its files have now: they are what the model's
    name is made of, but nothing vouches for them.

    Args:
        folder: It holds model.onnx and tokenizer.json.
        max_tokens: Of question and passage together; by default the card's, else 512.

    Raises:
        ConfigError: If there is no such folder, or its card is another model's.
        ModelError: If a file is missing, or the card damaged.
    """
    from dataclasses import replace

    if not folder.is_dir():
        raise ConfigError(f"the reranker's folder {folder} is not there.", remedy=REMEDY)
    if (folder / CARD).is_file():
        info = replace(read_card(folder), remedy=f"Copy the model to {folder} again.")
        if info.kind != "reranker":
            raise ConfigError(
                f"the model in {folder} is no reranker: its card says {info.kind!r}.", remedy=REMEDY
            )
        return replace(info, max_tokens=max_tokens or info.max_tokens)
    return ModelInfo(
        name=folder.resolve().name,
        version="local",
        kind="reranker",
        description="",
        dimension=1,
        max_tokens=max_tokens or MAX_TOKENS,
        licence="",
        source=str(folder),
        folder=folder,
        files=tuple((name, _sha256(folder / name)) for name in FILES),
        remedy=REMEDY,
    )


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(f"cannot read the model's {path}: {reason}.", remedy=REMEDY) from error


def _tokenizer(info: ModelInfo) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(info.read("tokenizer.json").decode("utf-8"))
    except ModelError:
        raise
    except Exception as error:  # the library raises nothing narrower
        raise _unusable(info, "tokenizer.json", error) from error
    tokenizer.no_padding()
    return tokenizer


def _session(graph: bytes, info: ModelInfo) -> InferenceSession:
    try:
        return open_session(graph)
    except Exception as error:  # each fault of a graph has a class of its own
        raise _unusable(info, "model.onnx", error) from error


def _unusable(info: ModelInfo, file: str, error: Exception) -> ModelError:
    said = " ".join(str(error).split())[:200]
    return ModelError(
        f"model {info.name}: {info.folder / file} cannot be used: {said}", remedy=info.remedy
    )


def _sound(text: str) -> str:
    """Return what can be tokenised: a lone surrogate has no UTF-8."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
