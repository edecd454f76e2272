"""`OnnxReranker`: a cross-encoder on ONNX Runtime, from a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ConfigError, ModelError
from fourcorners.models.card import CARD_FILE, ModelInfo, load_card
from fourcorners.models.reranker.pair_model import PairModel
from fourcorners.models.reranker.protocol import probabilities

FILES = ("model.onnx", "tokenizer.json")
MAX_TOKENS = 512  # of question and passage together, where no card says otherwise
STARS = 4  # chances: of at least two, three, four and five
REMEDY = "Name a folder with model.onnx and tokenizer.json as path under [reranker]."


class OnnxReranker:
    """A cross-encoder whose graph takes token ids and gives one logit a pair, or two classes.

    A graph may have a second output, `stars`: four logits, of at least two to five stars.
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
        rows = self._pairs.run(question, passages)[self._pairs.outputs[0]]
        if rows.shape[1] > 2:
            raise ModelError(
                f"model {self.info.name}: its graph gives {rows.shape[1]} values for a pair, "
                "not one or two."
            )
        # Of two, the first is the logit of "no" and the second of "yes".
        found: NDArray[np.float32] = rows[:, 0] if rows.shape[1] == 1 else rows[:, 1] - rows[:, 0]
        return found

    def stars(self, question: str, passages: Sequence[str]) -> NDArray[np.float64]:
        """Return a row a passage: the chances of at least two, three, four and five stars.

        Raises:
            ModelError: If a file of the model is missing or damaged, or it was not taught stars.
        """
        if "stars" not in self._pairs.outputs:
            raise ModelError(f"model {self.info.name} was not taught stars: its graph gives none.")
        if not passages:
            return np.empty((0, STARS))
        return probabilities(self._pairs.run(question, passages)["stars"])


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
