"""Parameters that several routes take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Query

CollectionName = Annotated[
    str, Query(max_length=500, description="A collection's name.", examples=["Project Larch"])
]
PlaybookName = Annotated[
    str, Query(max_length=200, description="A playbook's id.", examples=["due-diligence"])
]
DocumentName = Annotated[
    str, Query(max_length=40, description="A document's id.", examples=["2843aeec286e22ab"])
]
Cursor = Annotated[str, Query(max_length=2_000, description="`next` of the part before.")]
Limit = Annotated[int, Query(ge=1, le=200)]


def file_responses(media_types: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """Return how the description says that a route answers with a file of one of these types."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    kinds = [each.partition(";")[0] for each in media_types]
    content = {each: {} if each == "application/json" else binary for each in kinds}
    return {200: {"content": content}}
