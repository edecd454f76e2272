"""`AnswerReader`: reads a question and sentences, and tells which of them answer it.

Taught on questions that people ask of contracts in everyday words (`training/README.md`). What it
reads is a sentence below its headings (`search/sentences/answer_scores.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from fourcorners.errors import ModelError
from fourcorners.models.card import ModelInfo, load_card
from fourcorners.models.pair_model import PairModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND = "answer-reader"
_ANSWER = "answer"
_MAX_CACHED = 4_096  # pairs of question and sentence whose reading stays at hand


class AnswerReader(Protocol):
    """A question and sentences in, a logit each out: the higher, the likelier it answers."""

    @property
    def name(self) -> str: ...

    def read(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Return a logit for each sentence, in their order; not calibrated by itself."""


class OnnxAnswerReader:
    """The reader in a folder: `model.onnx` with the output `answer`.

    What was read last is kept: a question is put to one contract in several ways. One reader may be
    shared by threads.
    """

    def __init__(self, info: ModelInfo, *, threads: int | None = None) -> None:
        self.info = info
        self._pairs = PairModel(info, threads=threads)
        self._cached: dict[tuple[str, str], float] = {}

    @property
    def name(self) -> str:
        return self.info.identity

    def read(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Return a logit for each sentence; equal sentences are read once.

        Raises:
            ModelError: If a file of the model is missing, damaged or no such reader's.
        """
        import numpy as np

        cached = self._cached
        known = {each: cached[question, each] for each in sentences if (question, each) in cached}
        missing = [each for each in dict.fromkeys(sentences) if each not in known]
        if missing:
            known |= zip(missing, self._read(question, missing), strict=True)
            if len(cached) + len(missing) > _MAX_CACHED:
                cached = {}
            self._cached = cached | {
                (question, each): known[each] for each in missing[:_MAX_CACHED]
            }
        return np.array([known[each] for each in sentences], np.float64)

    def _read(self, question: str, sentences: Sequence[str]) -> list[float]:
        scores = self._pairs.run(question, sentences)
        shapes = {name: rows.shape[1] for name, rows in scores.items()}
        if shapes != {_ANSWER: 1}:
            raise ModelError(
                f"model {self.info.name}: its graph gives {shapes}, and is no reader of answers.",
                remedy=self.info.remedy,
            )
        return [float(logit) for logit in scores[_ANSWER][:, 0]]


def open_answer_reader(folder: Path) -> OnnxAnswerReader:
    """Return the reader in a folder; its files are read and verified when it is first asked.

    Raises:
        ModelError: If its card is missing or damaged, or another model's.
    """
    info = load_card(folder)
    if info.kind != KIND:
        raise ModelError(f"the model in {folder} is no reader of answers: it is a {info.kind}.")
    return OnnxAnswerReader(info)
