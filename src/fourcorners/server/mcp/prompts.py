"""Prompts that programs offer to people, from a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

import yaml
from mcp.types import GetPromptResult, PromptArgument, PromptMessage, TextContent
from mcp.types import Prompt as Listed
from pydantic import BaseModel, ConfigDict, TypeAdapter

from fourcorners.server.errors import HttpError, NotFound

_LONGEST = 4_000  # characters of an argument
_UNSAID = "whatever fits best"


class Argument(BaseModel):
    """What a person fills in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    required: bool


class Prompt(BaseModel):
    """A prompt; in its text `$name` stands for an argument."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: str


@cache
def load_prompts() -> Mapping[str, Prompt]:
    """Return the prompts by name."""
    written = files(__package__).joinpath("prompts.yaml").read_text("utf-8")
    found = TypeAdapter(tuple[Prompt, ...]).validate_python(yaml.safe_load(written))
    return {each.name: each for each in found}


def list_prompts() -> list[Listed]:
    """Return the prompts as the protocol lists them."""
    return [
        Listed(
            name=each.name,
            title=each.title,
            description=each.description,
            arguments=[PromptArgument(**one.model_dump()) for one in each.arguments],
        )
        for each in load_prompts().values()
    ]


def fill_prompt(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its arguments filled in.

    Raises:
        NotFound: If there is none of that name.
        Refusal: If an argument is missing, unknown, or too long.
    """
    if name not in load_prompts():
        raise NotFound(f"there is no prompt {name[:60]!r}.", remedy=", ".join(load_prompts()))
    prompt = load_prompts()[name]
    known = [each.name for each in prompt.arguments]
    missing = [e.name for e in prompt.arguments if e.required and not given.get(e.name, "").strip()]
    if missing or set(given) - set(known) or any(len(each) > _LONGEST for each in given.values()):
        raise HttpError(
            f"the prompt {name} takes {', '.join(known)}, each of at most {_LONGEST:,} characters.",
            remedy=f"Missing: {', '.join(missing)}." if missing else "Give no others.",
        )
    values = {each: given.get(each, "").strip() or _UNSAID for each in known}
    text = Template(prompt.text).substitute(values)
    return GetPromptResult(
        description=prompt.description,
        messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))],
    )
