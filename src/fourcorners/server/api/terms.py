"""Dates, obligations and comparisons of contracts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from fourcorners.errors import InputError
from fourcorners.operations.comparison import CompareRequest, compare_contracts
from fourcorners.operations.dates import Dates, DatesRequest, list_dates
from fourcorners.operations.obligations import Obligations, ObligationsRequest, read_obligations
from fourcorners.reports.comparison.values import ComparisonValue, comparison_value
from fourcorners.reports.comparison.writers import comparison_writer
from fourcorners.server.api.models import file_responses
from fourcorners.server.context import Context, send_written

router = APIRouter(tags=["Dates and obligations"])
_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
}


@router.get("/dates")
def get_dates(context: Context, asked: Annotated[DatesRequest, Query()]) -> Dates:
    """List the ends, renewals and last days for notice that fall due."""
    with context.access() as access:
        return list_dates(access, asked)


@router.get("/obligations")
def get_obligations(context: Context, asked: Annotated[ObligationsRequest, Query()]) -> Obligations:
    """List who must do what by when, and what nobody may do."""
    with context.access() as access:
        return read_obligations(access, asked)


@router.get("/comparison")
def compare(context: Context, asked: Annotated[CompareRequest, Query()]) -> ComparisonValue:
    """Compare two versions of a contract, clause by clause."""
    with context.access() as access:
        found = compare_contracts(access, asked, context.state.engines.encoder)
    return comparison_value(found)


class ComparisonFileRequest(CompareRequest):
    """Which versions, and what to write."""

    format: Literal["docx", "html", "pdf"] = Field(
        "docx", description="Of the file; docx has tracked changes, pdf the marked text."
    )


@router.get(
    "/comparison/report", response_class=Response, responses=file_responses(_TYPES.values())
)
def export_comparison(
    context: Context, asked: Annotated[ComparisonFileRequest, Query()]
) -> Response:
    """Return a comparison as a file to send."""
    with context.access() as access:
        found = compare_contracts(access, asked, context.state.engines.encoder)
    by = context.principal.name

    def write(path: Path) -> None:
        written = comparison_writer(path)(found, path, author=by)
        if written.differences:
            raise InputError(
                f"The file would not be both versions: {'; '.join(written.differences)}.",
                remedy="Compare the two in Word.",
            )

    return send_written(f"comparison.{asked.format}", _TYPES[asked.format], write)
