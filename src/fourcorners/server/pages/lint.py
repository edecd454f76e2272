"""The check of a contract's drafting: references, terms and numbering that a drafter looks at."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.operations.contracts.lint import LEVELS, LintRequest, lint_document
from fourcorners.server.context import Context

router = APIRouter()


@router.get("/d/{document}/lint")
def show(
    context: Context, document: str, least: Annotated[str, Query(max_length=10)] = "low"
) -> Response:
    """Show the slips of a contract, the most serious first."""
    with context.access() as access:
        found = lint_document(access, LintRequest.from_fields(document=document, least=least))
        entry, called = access.visible(document).entry, access.titles([document])[document]
    by_level = groupby(found.slips, key=lambda each: each.severity)
    return context.page(
        "lint.html.j2",
        entry=entry,
        called=called,
        found=found,
        groups=[(severity, [*slips]) for severity, slips in by_level],
        levels=LEVELS,
        least=least,
    )
