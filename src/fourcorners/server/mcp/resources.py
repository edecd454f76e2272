"""Documents as resources: `fourcorners://documents/ID`."""

from __future__ import annotations

import re

from mcp.types import (
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from fourcorners.server.api import documents
from fourcorners.server.context import RequestContext
from fourcorners.server.errors import NotFound

TEXT_URI = "fourcorners://documents/{document}"
OUTLINE_URI = "fourcorners://documents/{document}/outline"
_ADDRESS = re.compile(r"fourcorners://documents/([\w-]{1,40})(/outline)?")
_PART = 200  # resources of one part of the list


def resource_templates() -> list[ResourceTemplate]:
    """Return the forms of addresses."""
    return [
        ResourceTemplate(
            name="contract",
            title="The text of a contract",
            uri_template=TEXT_URI,
            mime_type="text/plain",
            description="Spans count its characters from 0.",
        ),
        ResourceTemplate(
            name="outline",
            title="The outline of a contract",
            uri_template=OUTLINE_URI,
            mime_type="application/json",
        ),
    ]


def list_resources(context: RequestContext, cursor: str) -> ListResourcesResult:
    """List the documents that one may read, in parts."""
    found = documents.documents(context, None, cursor, _PART)
    return ListResourcesResult(
        resources=[
            Resource(
                uri=TEXT_URI.format(document=each.id),
                name=each.name,
                title=each.title or each.name,
                description=f"{each.characters:,} characters, in {', '.join(each.collections)}",
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
        told, kind = documents.outline(context, document).model_dump_json(), "application/json"
    else:
        told, kind = documents.text(context, document).text, "text/plain"
    return ReadResourceResult(
        contents=[TextResourceContents(uri=address, text=told, mime_type=kind)]
    )
