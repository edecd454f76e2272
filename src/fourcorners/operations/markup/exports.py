"""A mark-up as a file: the contract in Word with the changes that were accepted, or a table."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.documents.document import Document
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound
from fourcorners.operations.markup.proposals import find_markup
from fourcorners.operations.markup.word_file import require_all, write_word_file
from fourcorners.redline.decisions import decided_redline
from fourcorners.redline.proposal import Redline
from fourcorners.redline.word import redline_table
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.reports.lists.redline import redline_report
from fourcorners.reports.writers.pdf import export_pdf
from fourcorners.settings import Settings
from fourcorners.work_folder import make_temporary_folder

FORMS = ("docx", "pdf", "md")
"""What a mark-up is written as: the contract in Word, or a table of its changes."""


@dataclass(frozen=True, slots=True)
class MarkupExport:
    """The changes that are to be written, and into what."""

    redline: Redline
    read: Document
    form: str
    title: str
    author: str

    @property
    def media_type(self) -> str:
        return FILE_TYPES[self.form]


def load_markup(access: Access, document: str, playbook: str, form: str = "") -> MarkupExport:
    """Return the changes of a contract that were accepted or edited, and no other.

    `form` is `docx`, `pdf` or `md`; empty for Word where the original is a Word file that is kept.

    Raises:
        NotFound: If they may not know of the contract, or there is no such mark-up or form.
        Conflict: If no change was accepted.
    """
    found, read = find_markup(access, document, playbook), access.document(document)
    title = str(access.titles([document])[document])
    form = form or ("docx" if found.proposal.is_word else "md")
    if form not in FORMS:
        raise NotFound("unsupported format.", remedy=f"Choose one of {', '.join(FORMS)}.")
    redline = decided_redline(found.redline, found.decisions, read.text)
    if not redline.changes:
        raise Conflict("no change is accepted yet.", remedy="Accept or edit at least one change.")
    detail: dict[str, str | int] = {"document": document, "as": form}
    access.record("export", {**detail, "changes": len(redline.changes)}, always=True)
    return MarkupExport(redline, read, form, title, access.principal.name)


def write_markup(export: MarkupExport, settings: Settings) -> bytes:
    """Return the file.

    Raises:
        InputError: If the original is wanted and not there any more.
        ConfigError: If the file does not let a change be written.
    """
    if export.form == "md":
        return ("\n".join(redline_table(export.redline)) + "\n").encode("utf-8", "replace")
    if export.form == "pdf":
        with make_temporary_folder() as folder:
            path = folder / "changes.pdf"
            export_pdf(redline_report(export.redline, export.author), path)
            return path.read_bytes()
    data, written = write_word_file(settings, export.read, export.redline, author=export.author)
    require_all(written)
    return data
