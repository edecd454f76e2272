from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners import models
from fourcorners.errors import ConfigError, ModelError
from fourcorners.models import registry
from fourcorners.settings import Settings
from tests.models.graph import cross_encoder, write_tokenizer


def test_every_shipped_file_is_the_one_its_card_vouches_for() -> None:
    shipped = models.available_models()
    assert {"entailment", "fourcorners-encoder"} <= {info.name for info in shipped}
    for info in shipped:
        assert info.folder.name == info.name
        assert info.licence in {"Apache-2.0", "CC-BY-4.0"}
        on_disk = {path.name for path in info.folder.iterdir()} - {"card.yaml"}
        own = {name for name, _ in info.files if not name.startswith("../")}
        assert on_disk == own
        assert all(info.path(name).is_file() for name, _ in info.files)
        for name, _ in info.files:
            assert info.read(name)


def test_the_default_is_the_shipped_encoder_and_loads_late(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise AssertionError("read a file before it was needed")

    monkeypatch.setattr(models.ModelInfo, "read", refuse)
    encoder = models.default_encoder(threads=1)
    assert encoder.dimension == 384
    assert encoder.name.startswith("fourcorners-encoder/1-")


def test_an_unknown_name_offers_a_near_one() -> None:
    with pytest.raises(ConfigError, match=r"'fourcorner'.*Did you mean 'fourcorners-encoder'"):
        models.load_encoder("fourcorner")
    with pytest.raises(ConfigError, match="There are: fourcorners-encoder"):
        models.load_encoder("something else")


def test_missing_weights_are_a_model_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path)
    assert models.available_models() == []
    with pytest.raises(ModelError, match=r"card\.yaml.*Reinstall"):
        models.default_encoder()


def test_a_model_of_another_kind_is_no_encoder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path)
    folder = tmp_path / "judge"
    folder.mkdir()
    folder.joinpath("card.yaml").write_text(
        "{name: judge, version: '1', kind: reranker, description: d, dimension: 1, "
        "max_tokens: 8, licence: MIT, source: s, files: {}}"
    )
    with pytest.raises(ConfigError, match="'judge' is no encoder: it is a reranker"):
        models.load_encoder("judge")


def test_there_is_no_reranker_unless_one_is_configured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOURCORNERS_RERANKER_PATH", raising=False)
    assert models.default_reranker(Settings.load().reranker) is None
    folder = tmp_path / "summing"
    folder.mkdir()
    folder.joinpath("model.onnx").write_bytes(cross_encoder())
    write_tokenizer(folder)
    monkeypatch.setenv("FOURCORNERS_RERANKER_PATH", str(folder))
    reranker = models.default_reranker(Settings.load().reranker, threads=1)
    assert reranker is not None
    assert reranker.name.startswith("summing/local-")
    assert reranker.scores("notice", ["law"]).shape == (1,)
    monkeypatch.setenv("FOURCORNERS_RERANKER_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="nowhere is not there"):
        models.default_reranker(Settings.load().reranker)
