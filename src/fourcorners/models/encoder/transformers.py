"""`TransformersEncoder`: a model of the package sentence-transformers, if that is installed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

INSTALL = "pip install 'fourcorners[sentence-transformers]'"
_BATCH = 32  # texts a pass


class TransformersEncoder:
    """A sentence-transformers model that is on this machine already; nothing is downloaded.

    It is loaded when its dimension or a vector is first asked for.

    Args:
        model: The folder of a model, or a name that its package has in its cache.
        dimension: What it must have; by default whatever it has.
    """

    def __init__(self, model: str, *, dimension: int | None = None) -> None:
        self._model = model
        self._wanted = dimension
        self._loading = Lock()
        self._loaded: SentenceTransformer | None = None
        self._name = ""
        self._dimension = 0

    @property
    def name(self) -> str:
        """Name the model; of a folder, with a hash of its files."""
        if not self._name:
            folder = Path(self._model).expanduser()
            label = f"{folder.resolve().name}-{_hash(folder)}" if folder.is_dir() else self._model
            self._name = f"transformers/{label}"
        return self._name

    @property
    def dimension(self) -> int:
        """Return the length of a vector.

        Raises:
            ConfigError: If the package is not installed, or the model is of another dimension.
            ModelError: If the model is not on this machine.
        """
        self._load()
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row a text.

        Raises:
            ConfigError: If the package is not installed, or the model is of another dimension.
            ModelError: If the model is not on this machine.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._rows(self._load(), texts)

    def _rows(self, model: SentenceTransformer, texts: Sequence[str]) -> NDArray[np.float32]:
        found = model.encode(
            [text.encode("utf-8", "replace").decode("utf-8") for text in texts],
            batch_size=_BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(found, dtype=np.float32)

    def _load(self) -> SentenceTransformer:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._open_model()
            return self._loaded

    def _open_model(self) -> SentenceTransformer:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when the package is imported
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ConfigError(
                f"the encoder {self._model!r} needs sentence-transformers, which cannot be "
                f"imported: {error}.",
                remedy=f"Install it: {INSTALL}",
            ) from error
        try:
            model = SentenceTransformer(
                str(Path(self._model).expanduser()) if Path(self._model).is_dir() else self._model,
                local_files_only=True,
            )
        except (OSError, ValueError) as error:
            message = " ".join(str(error).split())[:200].rstrip(".")
            raise ModelError(
                f"the model {self._model!r} cannot be loaded: {message}.",
                remedy="It is never downloaded from here: fetch it with `hf download`, or say its "
                "folder as model under [encoder].",
            ) from error
        dimension = self._rows(model, ["dimension"]).shape[1]
        if self._wanted is not None and dimension != self._wanted:
            raise ConfigError(
                f"the model {self._model!r} gives vectors of {dimension} dimensions, "
                f"not of {self._wanted}.",
                remedy=f"Say dimension = {dimension} under [encoder], or leave it out.",
            )
        self._dimension = dimension
        return model


def _hash(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()} {digest}\n".encode())
    return whole.hexdigest()[:12]
