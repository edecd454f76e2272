"""A model in a GGUF file: what is refused, and what the user is told to set."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.llm.configure import role_plans
from fourcorners.llm.local import LOCAL_PORT, LocalModel, local_url, serve_model
from fourcorners.settings import LlmSettings


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "contract.gguf"
    file.write_text("This Agreement")

    with pytest.raises(ConfigError, match=r"contract\.gguf is no GGUF file"):
        serve(file)


def test_a_file_that_is_not_there_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.gguf cannot be read: No such file"):
        serve(tmp_path / "none.gguf")


def test_what_serves_models_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(ConfigError, match="not installed") as raised:
        serve(file)

    assert "fourcorners[local]" in raised.value.remedy


def test_a_damaged_model_is_refused_with_a_remedy(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF and nothing of a model")

    with pytest.raises(ConfigError, match=r"model\.gguf was not served"):
        serve(file)


def test_the_settings_shown_are_those_that_ask_it() -> None:
    usual = LocalModel("qwen-7b", local_url(LOCAL_PORT), 8_192)
    other = LocalModel("qwen-7b", local_url(9000), 8_192)

    assert usual.settings == ("[llm]", 'model = "local:qwen-7b"', "context = 8192")
    assert 'url = "http://127.0.0.1:9000/v1"' in other.settings
    plan = next(iter(role_plans(LlmSettings(model="local:qwen-7b")).values()))
    assert (plan.url, plan.model) == (usual.url, "qwen-7b")


def serve(file: Path) -> None:
    with serve_model(file, port=0, context=512, threads=1):
        pass
