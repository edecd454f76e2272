from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners import models
from fourcorners.errors import ConfigError, ModelError
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.encoder.transformers import TransformersEncoder
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder


class SentenceTransformer:
    """What the encoder asks of the class of that name."""

    opened: list[tuple[str, bool]] = []  # noqa: RUF012 - shared on purpose

    def __init__(self, name: str, *, local_files_only: bool) -> None:
        if name == "absent":
            raise OSError("absent is not a local folder\nand is not in the cache")
        self.opened.append((name, local_files_only))
        self._fake = HashEncoder(16)

    def encode(
        self,
        texts: Sequence[str],
        *,
        batch_size: int,
        normalize_embeddings: bool,
        convert_to_numpy: bool,
        show_progress_bar: bool,
    ) -> NDArray[np.float64]:
        assert normalize_embeddings
        assert convert_to_numpy
        assert not show_progress_bar
        assert batch_size >= 1
        return self._fake.encode(texts).astype(np.float64)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> type[SentenceTransformer]:
    module = ModuleType("sentence_transformers")
    monkeypatch.setattr(module, "SentenceTransformer", SentenceTransformer, raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(SentenceTransformer, "opened", [])
    return SentenceTransformer


def test_vectors_are_the_models(installed: type[SentenceTransformer]) -> None:
    encoder: Encoder = TransformersEncoder("firm/model")
    assert encoder.name == "transformers/firm/model"
    assert installed.opened == []
    assert encoder.dimension == 16
    found = encoder.encode(["notice", "\ud800 term"])
    assert np.allclose(found, HashEncoder(16).encode(["notice", "? term"]), atol=1e-6)
    assert found.dtype == np.float32
    assert encoder.encode([]).shape == (0, 16)
    assert installed.opened == [("firm/model", True)]  # once, and nothing is downloaded


def test_a_folder_is_named_with_a_hash(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "weights").write_bytes(b"1")
    name = TransformersEncoder(str(tmp_path)).name
    assert name.startswith(f"transformers/{tmp_path.name}-")
    (tmp_path / "part" / "weights").write_bytes(b"2")
    assert TransformersEncoder(str(tmp_path)).name != name


@pytest.mark.usefixtures("installed")
def test_another_dimension_is_refused() -> None:
    assert TransformersEncoder("m", dimension=16).dimension == 16
    with pytest.raises(ConfigError, match="16 dimensions, not of 384") as caught:
        TransformersEncoder("m", dimension=384).encode(["x"])
    assert "dimension = 16" in caught.value.remedy


@pytest.mark.usefixtures("installed")
def test_a_model_that_is_not_here_is_named_with_the_remedy() -> None:
    with pytest.raises(ModelError, match="'absent' cannot be loaded: absent is not a local") as got:
        TransformersEncoder("absent").encode(["x"])
    assert "hf download" in got.value.remedy


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError, match="needs sentence-transformers") as caught:
        TransformersEncoder("m").encode(["x"])
    assert caught.value.remedy == ("Install it: pip install 'fourcorners[sentence-transformers]'")


def test_the_settings_choose_it(
    installed: type[SentenceTransformer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOURCORNERS_ENCODER_KIND", "sentence-transformers")
    with pytest.raises(ConfigError, match="needs model"):
        models.default_encoder(Settings.load().encoder)
    monkeypatch.setenv("FOURCORNERS_ENCODER_MODEL", "firm/model")
    encoder = models.default_encoder(Settings.load().encoder)
    assert installed.opened == []
    assert (encoder.name, encoder.dimension) == ("transformers/firm/model", 16)
