"""A review as a file to send: the reports of `fourcorners review` and `fourcorners report`."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.reports.tree import ReportKind
from fourcorners.research.columns.report import add_columns
from fourcorners.research.columns.store import review_columns
from fourcorners.review.finding import Finding, Review
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.errors import NotFound, TooLarge
from fourcorners.server.grid.dates import current_date
from fourcorners.server.store import playbook_store as books

router = APIRouter()
_MOST = 1_000  # contracts; of more, the command writes the reports without a browser waiting
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class _Form:
    """A file that a review can be had as; `kind` for the reports of a law firm."""

    suffix: str
    media_type: str
    kind: ReportKind | None = None


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_FORMS = {
    "xlsx": _Form(".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "html": _Form(".html", "text/html; charset=utf-8"),
    "json": _Form(".json", "application/json"),
    "docx": _Form(".docx", _WORD, ReportKind.DUE_DILIGENCE),
    "flags.docx": _Form(".docx", _WORD, ReportKind.RED_FLAGS),
}


@router.get("/reviews/export")
def export(
    context: Context,
    c: Annotated[str, Query(max_length=500)],
    p: Annotated[str, Query(max_length=200)],
    as_: Annotated[str, Query(alias="as", max_length=20)],
) -> Response:
    """Write a report and send it; what is written here is gone again with the answer."""
    from fourcorners.reports import write
    from fourcorners.reports.send import write_report
    from fourcorners.review.stored_review import load_review

    form = _FORMS.get(as_)
    if form is None:
        raise NotFound(f"no report is called {as_!r}.", remedy=f"There are: {', '.join(_FORMS)}.")
    with context.access() as access:
        library = access.library_for(c, Role.READER)
        book = books.load_playbook(library, p)
        visible = {entry.id for entry in access.documents(c)}
        if len(visible) > _MOST:
            raise TooLarge(
                f"a report on {len(visible):,} contracts is written by the command.",
                remedy=f"Run: fourcorners review --collection {c!r} --playbook {book.id} "
                f"--out report{form.suffix}",
            )
        told = context.state.uploads.display_path
        whole = add_columns(
            library,
            load_review(library, book, collection=c, as_of=current_date()),
            review_columns(library, c, book.id),
        )
        review = _walled(whole, visible, told)
        access.record("export", {"collection": c, "playbook": book.id, "as": as_}, always=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"report{form.suffix}"
        if form.kind is None:
            write(review, path)
        else:
            write_report(review, form.kind, path, prepared_by=context.principal.name)
        data = path.read_bytes()
    name = _UNSAFE.sub("-", f"{review.title} {book.id}").strip("-") or "review"
    sent = f"attachment; filename*=UTF-8''{quote(f'{name}.{as_}')}"
    return Response(data, media_type=form.media_type, headers={"Content-Disposition": sent})


def _walled(review: Review, visible: set[str], told: Callable[[str], str]) -> Review:
    """Leave out what names a document of another collection, and where the server keeps files."""
    return replace(
        review,
        documents=tuple(replace(each, path=told(each.path)) for each in review.documents),
        unread=tuple(replace(each, path=told(each.path)) for each in review.unread),
        findings=tuple(_of_these(each, visible) for each in review.findings),
        provenance=tuple(each for each in review.provenance if each[0] != "Library"),
    )


def _of_these(finding: Finding, visible: set[str]) -> Finding:
    nearest = finding.outlier
    return replace(
        finding,
        amendments=tuple(each for each in finding.amendments if each.document in visible),
        outlier=None if nearest is not None and nearest.nearest not in visible else nearest,
    )
