"""`OnnxReranker`: a cross-encoder on ONNX Runtime, from a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ConfigError, ModelError
from fourcorners.models.card import CARD_FILE, ModelInfo, load_card
from fourcorners.models.session import (
    GRAPH,
    open_graph,
    read_tokenizer,
    readable_text,
    run_in_threads,
)
from fourcorners.system.processes import usable_cores

if TYPE_CHECKING:
    from tokenizers import Encoding

FILES = ("model.onnx", "tokenizer.json")
MAX_TOKENS = 512  # of question and passage together, where no card says otherwise
REMEDY = "Name a folder with model.onnx and tokenizer.json as path under [reranker]."


class OnnxReranker:
    """A cross-encoder whose graph takes token ids and gives one logit a pair, or two classes.

    `PairModel` says how pairs are cut and run. One reranker may be shared by threads.
    """

    def __init__(self, info: ModelInfo, *, threads: int | None = None) -> None:
        self.info = info
        self._pairs = PairModel(info, threads=threads)

    @property
    def name(self) -> str:
        return self.info.identity

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage, in the order of the passages; equal passages run once.

        Raises:
            ModelError: If a file of the model is missing, damaged or no cross-encoder's.
        """
        if not passages:
            return np.empty(0, np.float32)
        rows = self._pairs.run(question, passages)
        if rows.shape[1] > 2:
            raise ModelError(
                f"model {self.info.name}: its graph gives {rows.shape[1]} values for a pair, "
                "not one or two."
            )
        # Of two, the first is the logit of "no" and the second of "yes".
        found: NDArray[np.float32] = rows[:, 0] if rows.shape[1] == 1 else rows[:, 1] - rows[:, 0]
        return found


def reranker_card(folder: Path) -> ModelInfo:
    """Return the card of the cross-encoder in `folder`.

    A folder without a card gets one with the hashes its files have now: they are what the model's
    name is made of, but nothing vouches for them.

    Raises:
        ConfigError: If there is no such folder, or its card is another model's.
        ModelError: If a file is missing, or the card damaged.
    """
    from dataclasses import replace

    if not folder.is_dir():
        raise ConfigError(f"the reranker's folder {folder} is not there.", remedy=REMEDY)
    if (folder / CARD_FILE).is_file():
        info = replace(load_card(folder), remedy=f"Copy the model to {folder} again.")
        if info.kind != "reranker":
            raise ConfigError(
                f"the model in {folder} is no reranker: its card says {info.kind!r}.", remedy=REMEDY
            )
        return info
    return ModelInfo(
        name=folder.resolve().name,
        version="local",
        kind="reranker",
        description="",
        dimension=1,
        max_tokens=MAX_TOKENS,
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


BATCH = 16  # pairs a pass
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_QUANTISED_AS_IT_COMES = b"DynamicQuantize"  # how the names of such operators begin


class PairModel:
    """A graph that takes token ids and gives some values a pair, in its first output.

    Of a pair that is too long the text is cut at its end, never the question; of a question longer
    than half of what the model reads, the end. Pairs of like length run together. A graph that
    scales its activations by the largest value of a run gets every pair alone, because in a batch a
    value would depend on its neighbours. `threads` runs go at a time, each on one core. The files
    are loaded on first use; one model may be shared by threads.
    """

    def __init__(self, info: ModelInfo, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be 1 or more, not {threads}")
        self.info = info
        self.threads = threads or usable_cores()
        self._loading = Lock()
        self._loaded: _Loaded | None = None

    def run(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row a text, in their order; equal texts run once.

        Raises:
            ModelError: If a file of the model is missing, damaged or does not take pairs of text.
        """
        model = self._load()
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            rows.setdefault(text, []).append(row)
        pairs = model.pairs(question, list(rows))
        longest_first = sorted(range(len(pairs)), key=lambda at: len(pairs[at].ids), reverse=True)
        batches = [longest_first[at : at + model.batch] for at in range(0, len(pairs), model.batch)]
        found: dict[int, NDArray[np.float32]] = {}
        outputs = run_in_threads(
            lambda batch: model.run([pairs[at] for at in batch]), batches, self.threads
        )
        for batch, batch_scores in zip(batches, outputs, strict=True):
            found |= zip(batch, batch_scores, strict=True)
        of_text = {row: at for at, own in enumerate(rows.values()) for row in own}
        return np.array([found[of_text[row]] for row in range(len(texts))], np.float32)

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = _Loaded(self.info)
            return self._loaded


class _Loaded:
    def __init__(self, info: ModelInfo) -> None:
        self.batch = 1 if _QUANTISED_AS_IT_COMES in info.read(GRAPH) else BATCH
        self._longest = info.max_tokens
        self._tokenizer = read_tokenizer(info)
        self._session = open_graph(info)
        self._inputs = {each.name for each in self._session.get_inputs()}
        if not {"input_ids"} <= self._inputs <= _INPUTS:
            raise ModelError(
                f"model {info.name}: its graph wants {', '.join(sorted(self._inputs))}, "
                "which is not what a cross-encoder of text takes.",
                remedy=info.remedy,
            )

    def pairs(self, question: str, texts: Sequence[str]) -> list[Encoding]:
        asked = self._words(question)
        asked.truncate(self._longest // 2)
        room = self._longest - self._tokenizer.num_special_tokens_to_add(is_pair=True)
        encodings = [self._words(text) for text in texts]
        for each in encodings:
            each.truncate(max(0, room - len(asked.ids)))
        return [self._tokenizer.post_process(asked, each) for each in encodings]

    def _words(self, text: str) -> Encoding:
        return self._tokenizer.encode(readable_text(text), add_special_tokens=False)

    def run(self, pairs: Sequence[Encoding]) -> NDArray[np.float32]:
        """Run pairs together, padded to the longest; return a row a pair."""
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
        first = self._session.run(None, feed)[0]
        return np.asarray(first, dtype=np.float32).reshape(len(pairs), -1)
