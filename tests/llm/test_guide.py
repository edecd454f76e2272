"""The guide to language models holds: its settings are read, its Python runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fourcorners.llm.configure import role_plans
from fourcorners.settings import LlmSettings

GUIDE = (Path(__file__).parents[2] / "docs" / "language-models.md").read_text("utf-8")
TOML = re.findall(r"^```toml\n(.*?)^```$", GUIDE, re.M | re.S)
(PYTHON,) = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.M | re.S)


def test_the_guide_was_read() -> None:
    assert len(TOML) == 9
    for name in ("Ollama", "llama.cpp", "vLLM", "Azure", "Anthropic", "Google"):
        assert name in GUIDE


@pytest.mark.parametrize("text", TOML)
def test_its_settings_are_enough(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-test")
    read = tomllib.loads(text)
    assert read.keys() == {"llm"}
    assert role_plans(LlmSettings.model_validate(read["llm"]))


def test_its_python_runs_without_a_model_and_calls_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PYTHON],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0\ncheck@1 <<<data ")
