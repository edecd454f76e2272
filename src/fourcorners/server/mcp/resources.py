"""Documents as resources, `fourcorners://documents/ID`, and prompts from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

from mcp.types import (
    GetPromptResult,
    ListResourcesResult,
    Prompt,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)
from pydantic import Field, TypeAdapter

from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.server.api import documents
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.summaries import without_orders
from fourcorners.text.patterns import load_yaml

TEXT_URI = "fourcorners://documents/{document}"
OUTLINE_URI = "fourcorners://documents/{document}/outline"
_LONGEST = 4_000  # characters of an argument
_UNSAID = "whatever fits best"
_ADDRESS = re.compile(r"fourcorners://documents/([\w-]{1,40})(/outline)?")
_PART = 200  # resources of one part of the list


RESOURCE_TEMPLATES = (
    ResourceTemplate(
        name="contract",
        title="The text of a contract",
        uri_template=TEXT_URI,
        mime_type="text/plain",
        description="Spans count its characters from 0. White space replaces words that give "
        "orders to their reader.",
    ),
    ResourceTemplate(
        name="outline",
        title="The outline of a contract",
        uri_template=OUTLINE_URI,
        mime_type="application/json",
    ),
)


def list_resources(context: RequestContext, cursor: str) -> ListResourcesResult:
    found = documents.list_documents(context, None, cursor, _PART)
    return ListResourcesResult(
        resources=[
            Resource(
                uri=TEXT_URI.format(document=each.id),
                name=each.name,
                title=each.title or each.name,
                description=f"{each.characters:,} characters, in {each.collection}",
                mime_type="text/plain",
            )
            for each in found.items
        ],
        next_cursor=found.next,
    )


def read_resource(context: RequestContext, address: str) -> ReadResourceResult:
    """Return what an address names.

    Raises:
        NotFound: If it names nothing that one may read.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise NotFound("there is no such resource.", remedy=f"Addresses are like {TEXT_URI}.")
    document, outline = found.groups()
    if outline:
        body, kind = documents.get_outline(context, document).model_dump_json(), "application/json"
    else:
        text = documents.get_text(context, document).text
        body, kind = without_orders(context, document, text, 0), "text/plain"
    return ReadResourceResult(
        contents=[TextResourceContents(uri=address, text=body, mime_type=kind)]
    )


class PromptTemplate(Prompt):
    """A prompt; in its text `$name` stands for an argument."""

    text: str = Field(exclude=True)


@cache
def load_prompts() -> Mapping[str, PromptTemplate]:
    written = files(__package__).joinpath("prompts.yaml").read_text("utf-8")
    found = TypeAdapter(tuple[PromptTemplate, ...]).validate_python(load_yaml(written))
    return {each.name: each for each in found}


def fill_prompt(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its arguments filled in.

    Raises:
        NotFound: If no prompt has that name.
        Refusal: If an argument is missing, unknown, or too long.
    """
    if name not in load_prompts():
        raise NotFound(f"there is no prompt {name[:60]!r}.", remedy=", ".join(load_prompts()))
    prompt = load_prompts()[name]
    arguments = prompt.arguments or []
    known = [each.name for each in arguments]
    missing = [e.name for e in arguments if e.required and not given.get(e.name, "").strip()]
    if missing or set(given) - set(known) or any(len(each) > _LONGEST for each in given.values()):
        raise Refusal(
            f"the prompt {name} takes {', '.join(known)}, each of at most {_LONGEST:,} characters.",
            remedy=f"Missing: {', '.join(missing)}." if missing else "Give no others.",
        )
    values = {each: given.get(each, "").strip() or _UNSAID for each in known}
    text = Template(prompt.text).substitute(values)
    return GetPromptResult(
        description=prompt.description,
        messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))],
    )
