"""The reports a law firm sends, by the suffix of the file: Word, HTML and PDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from fourcorners.errors import ConfigError
from fourcorners.reports import html, word
from fourcorners.reports.chapters import compose
from fourcorners.reports.chapters.earlier import EarlierReview, with_changes
from fourcorners.reports.grid import Grid
from fourcorners.reports.tree import Report, ReportKind
from fourcorners.reports.writers import pdf
from fourcorners.review.finding import Review
from fourcorners.work_folder import replace_file


class ReportExporter(Protocol):
    """Writes a report as one file of its format, in a firm's template if one is given."""

    def __call__(self, report: Report, path: Path, *, template: Path | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format of reports, with the suffixes of the templates that fit it."""

    export: ReportExporter
    templates: tuple[str, ...]


FORMATS: Final[Mapping[str, ReportFormat]] = {
    ".docx": ReportFormat(word.export, (".docx", ".dotx")),
    ".html": ReportFormat(html.export_html, (".css",)),
    ".pdf": ReportFormat(pdf.export_pdf, (".typ",)),
}


def format_for(path: Path, template: Path | None = None) -> ReportFormat:
    """Return the format that the suffix of `path` names.

    Raises:
        ConfigError: If no format has the suffix, or the template is of another format or missing.
    """
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise ConfigError(
            f"{path}: no report to send has {what}.",
            remedy="End the name in .docx, .html or .pdf.",
        )
    if template is not None and template.suffix.lower() not in found.templates:
        raise ConfigError(
            f"{template}: not a template for a {path.suffix.lower()} report.",
            remedy=f"Give a {' or '.join(found.templates)} file.",
        )
    if template is not None and not template.is_file():
        raise ConfigError(f"{template}: there is no such file.", remedy="Check the path.")
    return found


def write_report(
    review: Review,
    kind: ReportKind,
    path: Path,
    *,
    template: Path | None = None,
    prepared_by: str = "",
    whole_quotes: bool = False,
    since: EarlierReview | None = None,
) -> None:
    """Write a report on a review in the format that the suffix names, whole or not at all.

    With `whole_quotes`, no quote of the due-diligence report is cut, however many there are. With
    `since`, what is new since that review comes first.

    Raises:
        ConfigError: If the format, its extra or the template is not there, or the file cannot be
            written.
        EvidenceError: If a quote is not the text at its span, or the grid has a hole.
    """
    chosen = format_for(path, template)
    grid = Grid(review)
    report = compose(grid, kind, prepared_by=prepared_by, whole_quotes=whole_quotes)
    if since:
        report = with_changes(report, grid, since)
    replace_file(path, partial(chosen.export, report, template=template))
