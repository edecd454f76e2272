"""`PairModel`: a transformer on ONNX Runtime that reads a question and a text together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ModelError
from fourcorners.models.card import ModelInfo
from fourcorners.models.session import (
    GRAPH,
    open_graph,
    read_tokenizer,
    readable_text,
    run_in_threads,
    usable_cores,
)

if TYPE_CHECKING:
    from tokenizers import Encoding

BATCH = 16  # pairs a pass
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_QUANTISED_AS_IT_COMES = b"DynamicQuantize"  # how the names of such operators begin
Outputs = Mapping[str, NDArray[np.float32]]


class PairModel:
    """A graph that takes token ids and gives some values a pair, in one or more outputs.

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

    @property
    def outputs(self) -> tuple[str, ...]:
        """Return the names of the graph's outputs, in its order.

        Raises:
            ModelError: If a file of the model is missing, damaged or does not take pairs of text.
        """
        return self._load().outputs

    def run(self, question: str, texts: Sequence[str]) -> Outputs:
        """Return each output by its name: a row a text, in their order; equal texts run once.

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
        found: dict[int, Sequence[NDArray[np.float32]]] = {}
        outputs = run_in_threads(
            lambda batch: model.run([pairs[at] for at in batch]), batches, self.threads
        )
        for batch, batch_scores in zip(batches, outputs, strict=True):
            for row, at in enumerate(batch):
                found[at] = [output[row] for output in batch_scores]
        of_text = {row: at for at, own in enumerate(rows.values()) for row in own}
        return {
            name: np.array([found[of_text[row]][place] for row in range(len(texts))], np.float32)
            for place, name in enumerate(model.outputs)
        }

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
        self.outputs = tuple(each.name for each in self._session.get_outputs())
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

    def run(self, pairs: Sequence[Encoding]) -> list[NDArray[np.float32]]:
        """Run pairs together, padded to the longest; return a row a pair of each output."""
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
        return [
            np.asarray(output, dtype=np.float32).reshape(len(pairs), -1)
            for output in self._session.run(None, feed)
        ]
