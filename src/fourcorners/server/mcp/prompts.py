"""Prompts that programs offer to people, from a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

import yaml
from mcp.types import GetPromptResult, Prompt, PromptMessage, TextContent
from pydantic import Field, TypeAdapter

from fourcorners.server.errors import HttpError, NotFound

_LONGEST = 4_000  # characters of an argument
_UNSAID = "whatever fits best"


class PromptTemplate(Prompt):
    """A prompt; in its text `$name` stands for an argument."""

    text: str = Field(exclude=True)


@cache
def load_prompts() -> Mapping[str, PromptTemplate]:
    """Return the prompts by name."""
    written = files(__package__).joinpath("prompts.yaml").read_text("utf-8")
    found = TypeAdapter(tuple[PromptTemplate, ...]).validate_python(yaml.safe_load(written))
    return {each.name: each for each in found}


def fill_prompt(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its arguments filled in.

    Raises:
        NotFound: If there is none of that name.
        Refusal: If an argument is missing, unknown, or too long.
    """
    if name not in load_prompts():
        raise NotFound(f"there is no prompt {name[:60]!r}.", remedy=", ".join(load_prompts()))
    prompt = load_prompts()[name]
    arguments = prompt.arguments or []
    known = [each.name for each in arguments]
    missing = [e.name for e in arguments if e.required and not given.get(e.name, "").strip()]
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
