"""Prompts of the benchmarks by name, and the product's in other words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from fourcorners.llm import Prompt
from fourcorners.llm import load_prompt as load_any_prompt
from fourcorners.llm.exchange import PromptId

_FOLDER = Path(__file__).parent


@cache
def load_prompt(name: str) -> Prompt:
    return load_any_prompt(name, folder=_FOLDER)


def reword_prompt(prompt: Prompt, *, system: str = "", ending: str = "") -> Prompt:
    """Return a prompt with another system message, or with words after its end."""
    system = system or prompt.system
    user = f"{prompt.user.rstrip()}\n\n{ending}" if ending else prompt.user
    digest = sha256(f"{prompt.id.hash}\n{system}\n{user}".encode()).hexdigest()[:16]
    identity = PromptId(prompt.id.name, prompt.id.version, digest)
    return replace(prompt, id=identity, system=system, user=user)
