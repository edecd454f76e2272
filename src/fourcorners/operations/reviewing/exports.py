"""Exports: a review as a file to send, whole or some of its contracts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import Field

from fourcorners.errors import ConfigError
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.principal import Role
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.reports.tree import ReportKind
from fourcorners.review.finding import Finding, Review
from fourcorners.value import Value

ReportForm = Literal["xlsx", "html", "json", "docx", "pdf", "flags.docx", "flags.pdf"]
FORMS: Final[tuple[ReportForm, ...]] = get_args(ReportForm)
"""The files that a review can be had as."""
_KINDS: Final[Mapping[str, ReportKind]] = {
    "docx": ReportKind.DUE_DILIGENCE,
    "pdf": ReportKind.DUE_DILIGENCE,
    "flags.docx": ReportKind.RED_FLAGS,
    "flags.pdf": ReportKind.RED_FLAGS,
}
MOST_AT_ONCE = 200
"""Contracts of a report that is written while its reader waits; a longer one is a task."""


class ExportRequest(Value):
    """Which review, which of its contracts, and what to write."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    format: ReportForm = Field(
        default="xlsx",
        description="Of the file; `docx` and `pdf` are the due-diligence report, `flags.docx` and "
        "`flags.pdf` the red flags alone.",
    )
    documents: list[Annotated[str, Field(max_length=40)]] = Field(
        default_factory=list, max_length=500, description="Only these contracts, by id."
    )


def media_type_of(form: str) -> str:
    return FILE_TYPES[form.rpartition(".")[2]]


def count_contracts(access: Access, asked: ExportRequest) -> int:
    """Return how many contracts a report would have.

    Raises:
        NotFound: If they may not know of the collection, one of the contracts is not in it, or
            there is no such playbook.
    """
    inside = {entry.id for entry in access.documents(asked.collection)}
    load_playbook(access, asked.playbook, asked.collection)
    for each in asked.documents:
        if access.visible(each).entry.id not in inside:
            raise NotFound(f"there is no document {each!r} in this collection.")
    return len(set(asked.documents) or inside)


def load_export(
    access: Access, asked: ExportRequest, shown_path: Callable[[str], str] = str
) -> Review:
    """Return the review that is to be written; `shown_path` is how a file is named to its reader.

    Raises:
        NotFound: If they may not know of the collection, a contract is not in it, or there is no
            such playbook.
        ConfigError: If no contract was reviewed by the playbook as it is now, or some were for
            another party.
    """
    from fourcorners.research.columns.report import add_columns
    from fourcorners.research.columns.store import review_columns
    from fourcorners.review.stored_review import load_review

    count_contracts(access, asked)
    library = access.library_for(asked.collection, Role.READER)
    book = load_playbook(access, asked.playbook, asked.collection)
    visible = {entry.id for entry in access.documents(asked.collection)}
    day, chosen = datetime.now(UTC).date(), frozenset(asked.documents) or None
    try:
        loaded = load_review(
            library,
            book,
            collection=asked.collection,
            as_of=day,
            documents=chosen,
            unfinished=True,
        )
    except ConfigError as error:  # its remedy is a command
        remedy = "Choose “Review what is new” above the grid, and export it when that is done."
        raise ConfigError(error.message, remedy=remedy) from error
    if len(loaded.documents) < len(visible):
        title = f"{loaded.title}: {len(loaded.documents)} of {len(visible)} contracts"
        loaded = replace(loaded, title=title)
    whole = add_columns(library, loaded, review_columns(library, asked.collection, book.id))
    detail = {"collection": asked.collection, "playbook": book.id, "as": asked.format}
    access.record("export", {**detail, "contracts": len(whole.documents)}, always=True)
    return _hide_others(whole, visible, shown_path)


def write_export(review: Review, form: ReportForm, path: Path, prepared_by: str) -> None:
    """Write a review to a path whose suffix is the form's.

    Raises:
        ConfigError: If it cannot be written, or what writes the format is not installed.
    """
    from fourcorners.reports import write
    from fourcorners.reports.send import write_report

    if kind := _KINDS.get(form):
        write_report(review, kind, path, prepared_by=prepared_by)
    else:
        write(review, path)


def _hide_others(review: Review, visible: set[str], shown_path: Callable[[str], str]) -> Review:
    """Leave out what names a document of another collection, and where the server keeps files."""
    return replace(
        review,
        documents=tuple(replace(each, path=shown_path(each.path)) for each in review.documents),
        unread=tuple(replace(each, path=shown_path(each.path)) for each in review.unread),
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
