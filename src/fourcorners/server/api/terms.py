"""Dates, obligations and comparisons of contracts."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import Response
from pydantic import Field

from fourcorners.operations.contracts import obligations
from fourcorners.operations.contracts.comparison import (
    FORMS,
    CompareFileRequest,
    CompareRequest,
    compare_contracts,
    record_comparison,
    write_comparison,
)
from fourcorners.operations.contracts.dates import Dates, DatesRequest, list_dates, write_dates
from fourcorners.operations.contracts.obligations import (
    Obligations,
    ObligationsRequest,
    write_obligations,
)
from fourcorners.reports.comparison.values import ComparisonValue, comparison_value
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.server.api.models import file_responses
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context, send_written
from fourcorners.server.pages.comparison import compared_file
from fourcorners.server.tasks.handlers import obligations as obligations_task

router = APIRouter(tags=["Dates and obligations"], route_class=ApiRoute)


@router.get("/dates")
def get_dates(context: Context, asked: Annotated[DatesRequest, Query()]) -> Dates:
    """List the ends, renewals and last days for notice that fall due."""
    with context.access() as access:
        return list_dates(access, asked)


class DatesFileRequest(DatesRequest):
    """Which dates, and what to write."""

    format: Literal["ics", "xlsx"] = "ics"


@router.get(
    "/dates/report",
    response_class=Response,
    responses=file_responses([FILE_TYPES["ics"], FILE_TYPES["xlsx"]]),
)
def export_dates(context: Context, asked: Annotated[DatesFileRequest, Query()]) -> Response:
    """Return what falls due as a calendar or a workbook."""
    with context.access() as access:
        found = list_dates(access, asked)
    form = asked.format
    return send_written(f"dates.{form}", FILE_TYPES[form], partial(write_dates, found))


@router.get("/obligations")
def get_obligations(context: Context, asked: Annotated[ObligationsRequest, Query()]) -> Obligations:
    """List who must do what by when, and what nobody may do."""
    return obligations_task.read(context, asked)


class ObligationsFileRequest(ObligationsRequest):
    """Whose obligations, and what to write."""

    format: Literal["xlsx", "docx", "pdf", "html", "ics"] = "xlsx"


@router.get(
    "/obligations/report",
    response_class=Response,
    responses=file_responses(FILE_TYPES[each] for each in obligations.FORMS),
)
def export_obligations(
    context: Context, asked: Annotated[ObligationsFileRequest, Query()]
) -> Response:
    """Return obligations as a file to send."""
    found = obligations_task.read(context, asked, whole=True)
    form = asked.format
    return send_written(f"obligations.{form}", FILE_TYPES[form], partial(write_obligations, found))


@router.get("/comparison")
def compare(context: Context, asked: Annotated[CompareRequest, Query()]) -> ComparisonValue:
    """Compare two versions of a contract, clause by clause."""
    with context.access() as access:
        found = compare_contracts(access, asked, context.state.engines.encoder)
    return comparison_value(found)


@router.post("/comparison/upload")
def compare_upload(
    context: Context,
    document: Annotated[str, Form(min_length=1, max_length=40)],
    file: Annotated[UploadFile, File()],
    file_is: Annotated[
        Literal["earlier", "later"], Form(description="Which version the file is.")
    ] = "later",
) -> ComparisonValue:
    """Compare a contract with a file, which is not kept."""
    asked = CompareFileRequest(document=document, file_is=file_is)
    with compared_file(context, asked, file) as found:
        return comparison_value(found)


class ComparisonFileRequest(CompareRequest):
    """Which versions, and what to write."""

    format: Literal["docx", "html", "pdf"] = Field(
        "docx", description="Of the file; docx has tracked changes, pdf the marked text."
    )


@router.get(
    "/comparison/report",
    response_class=Response,
    responses=file_responses(FILE_TYPES[each] for each in FORMS),
)
def export_comparison(
    context: Context, asked: Annotated[ComparisonFileRequest, Query()]
) -> Response:
    """Return a comparison as a file to send."""
    with context.access() as access:
        found = compare_contracts(access, asked, context.state.engines.encoder)
        detail = {"comparison": asked.after, "as": asked.format}
        record_comparison(access, (asked.before, asked.after), detail, "export")
    write, form = partial(write_comparison, found, author=context.principal.name), asked.format
    return send_written(f"comparison.{form}", FILE_TYPES[form], write)
