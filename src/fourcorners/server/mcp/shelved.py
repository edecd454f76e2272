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
from fourcorners.server.desk import DeskOf
from fourcorners.server.refusals import NotFound

TEXT = "fourcorners://documents/{document}"
OUTLINE = "fourcorners://documents/{document}/outline"
_ADDRESS = re.compile(r"fourcorners://documents/([\w-]{1,40})(/outline)?")
_PART = 200  # resources of one part of the list


def templates() -> list[ResourceTemplate]:
    """Return the forms of addresses."""
    return [
        ResourceTemplate(
            name="contract",
            title="The text of a contract",
            uri_template=TEXT,
            mime_type="text/plain",
            description="Spans count its characters from 0.",
        ),
        ResourceTemplate(
            name="outline",
            title="The outline of a contract",
            uri_template=OUTLINE,
            mime_type="application/json",
        ),
    ]


def listed(desk: DeskOf, cursor: str) -> ListResourcesResult:
    """List the documents that one may read, in parts."""
    found = documents.documents(desk, None, cursor, _PART)
    return ListResourcesResult(
        resources=[
            Resource(
                uri=TEXT.format(document=each.id),
                name=each.name,
                title=each.title or each.name,
                description=f"{each.characters:,} characters, in {', '.join(each.collections)}",
                mime_type="text/plain",
            )
            for each in found.items
        ],
        next_cursor=found.next,
    )


def read(desk: DeskOf, address: str) -> ReadResourceResult:
    """Return what an address names.

    Raises:
        NotFound: If it names nothing that one may read.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise NotFound("there is no such resource.", remedy=f"Addresses are like {TEXT}.")
    document, outline = found.groups()
    if outline:
        told, kind = documents.outline(desk, document).model_dump_json(), "application/json"
    else:
        told, kind = documents.text(desk, document).text, "text/plain"
    return ReadResourceResult(
        contents=[TextResourceContents(uri=address, text=told, mime_type=kind)]
    )
