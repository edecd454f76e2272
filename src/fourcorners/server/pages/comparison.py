"""Comparing versions of a contract: chosen from the library, or with a file that is not kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import Response
from pydantic import BaseModel, Field

from fourcorners.comparison.comparison import Comparison
from fourcorners.documents.archive.container import MAX_BYTES, safe_name
from fourcorners.errors import FourcornersError
from fourcorners.library.entries import Entry
from fourcorners.operations.contracts.comparison import (
    FORMS,
    CompareFileRequest,
    CompareRequest,
    compare_contracts,
    compare_file,
    list_candidates,
    record_comparison,
    write_comparison,
)
from fourcorners.operations.errors import NotAllowed, NotFound, Refusal
from fourcorners.operations.principal import Role
from fourcorners.reports.comparison.html import comparison_view
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.server.context import Context, RequestContext, send_written
from fourcorners.server.errors import TooLarge
from fourcorners.work_folder import make_temporary_folder

router = APIRouter()
_PART = 1 << 20  # bytes read at once
_MOST = 1_000  # contracts that a list offers; a collection narrows it
_Id = Annotated[str, Field(max_length=40)]


class _CompareQuery(BaseModel):
    """The fields of the form; what is empty was not chosen yet."""

    c: Annotated[str, Field(max_length=500)] = ""
    before: _Id = ""
    after: _Id = ""
    between: Annotated[list[_Id], Field(max_length=20)] = Field(default_factory=list)

    @property
    def address(self) -> str:
        given = [("before", self.before), ("after", self.after)]
        return urlencode([*given, *(("between", each) for each in self.between)])


@router.get("/compare")
def show(context: Context, asked: Annotated[_CompareQuery, Query()]) -> Response:
    """Show the form and, once two versions are chosen, what differs between them."""
    if not (asked.before and asked.after):
        return _page(context, asked)
    encoder = context.state.engines.encoder
    found, problem = context.attempt(lambda own: compare_contracts(own, _request(asked), encoder))
    return _page(context, asked, found, problem)


@router.get("/compare/report.{form}")
def export(context: Context, form: str, asked: Annotated[_CompareQuery, Query()]) -> Response:
    """Send a comparison as a file."""
    if form not in FORMS:
        raise NotFound("Unsupported format.", remedy=f"Choose one of {', '.join(FORMS)}.")
    with context.access() as access:
        found = compare_contracts(access, _request(asked), context.state.engines.encoder)
        detail = {"comparison": asked.after, "as": form}
        record_comparison(access, (asked.before, asked.after), detail, "export")
    write = partial(write_comparison, found, author=context.principal.name)
    return send_written(f"comparison.{form}", FILE_TYPES[form], write)


@router.post("/compare/upload")
def compare_upload(
    context: Context,
    after: Annotated[str, Form(max_length=40)],
    file: Annotated[UploadFile, File()],
    file_is: Annotated[Literal["earlier", "later"], Form()] = "later",
    form: Annotated[Literal["", "docx", "pdf", "html"], Form()] = "",
) -> Response:
    """Compare a contract with a file, which is not kept: its result is shown or sent at once."""
    asked = CompareFileRequest.from_fields(document=after, file_is=file_is)
    here = _CompareQuery(after=after)
    try:
        with compared_file(context, asked, file) as found:
            if form:
                write = partial(write_comparison, found, author=context.principal.name)
                return send_written(f"comparison.{form}", FILE_TYPES[form], write)
            return _page(context, here, found, is_upload=True)
    except (NotFound, NotAllowed):
        raise
    except FourcornersError as problem:
        return _page(context, here, problem=problem, is_upload=True)


@contextmanager
def compared_file(
    context: RequestContext, asked: CompareFileRequest, file: UploadFile
) -> Iterator[Comparison]:
    """Compare a contract with an uploaded file, which is there for as long as the block lasts.

    Raises:
        NotFound: If they may not know of the contract.
        Refusal: If there is no file.
        TooLarge: If it is larger than any contract.
        FourcornersError: If it cannot be read or compared.
    """
    with context.access() as access:
        access.visible(asked.document)
    name = PurePosixPath(safe_name(file.filename or "")).name
    if not file.filename or not file.size:
        raise Refusal("no file was sent.", remedy="Choose a file first.")
    if file.size > MAX_BYTES:
        raise TooLarge(f"{name} is larger than {MAX_BYTES >> 20} MB.", remedy="Split it.")
    with make_temporary_folder() as folder:
        path = folder / name
        with path.open("wb") as copy:
            while part := file.file.read(_PART):
                copy.write(part)
        with context.access() as access:
            found = compare_file(
                access, asked, path, context.state.settings, context.state.engines.encoder
            )
        yield found


def _request(asked: _CompareQuery) -> CompareRequest:
    return CompareRequest.from_fields(
        before=asked.before, after=asked.after, between=tuple(asked.between)
    )


def _page(
    context: RequestContext,
    asked: _CompareQuery,
    found: Comparison | None = None,
    problem: FourcornersError | None = None,
    *,
    is_upload: bool = False,
) -> Response:
    with context.access() as access:
        if asked.c:
            access.require(Role.READER, asked.c)
        collections = [each.name for each in access.collections() if each.documents]
        likely: list[Entry] = []
        if asked.after:
            entry = access.visible(asked.after).entry
            asked = asked.model_copy(update={"c": entry.collection})
            likely, rest = list_candidates(access, asked.after)
            offered = [entry, *likely, *rest][:_MOST]
        else:
            offered = access.documents(asked.c or None)[:_MOST]
        called = access.titles(each.id for each in offered)
    return context.page(
        "compare.html.j2",
        asked=asked,
        collections=collections,
        likely={each.id for each in likely},
        contracts=[(each.id, str(called[each.id]), each.name) for each in offered],
        comparison=found,
        view=comparison_view(found) if found else None,
        problem=problem,
        is_upload=is_upload,
        forms=FORMS,
    )
