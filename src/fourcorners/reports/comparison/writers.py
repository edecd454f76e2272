"""The files a comparison is written as, by their suffix."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from fourcorners.comparison.comparison import Clause, Comparison
from fourcorners.documents.document import Document
from fourcorners.documents.docx.marks import xml_text
from fourcorners.documents.docx.versions.authors import Round, name_versions
from fourcorners.documents.docx.versions.check import find_differences
from fourcorners.documents.docx.versions.merge import MergedFile, merge_versions
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.office_package import OfficePackage
from fourcorners.errors import ConfigError
from fourcorners.reports.comparison.html import comparison_page
from fourcorners.reports.comparison.pdf import comparison_pdf
from fourcorners.reports.comparison.values import comparison_value
from fourcorners.reports.word.package import open_template
from fourcorners.value import Value
from fourcorners.work_folder import replace_file


@dataclass(frozen=True, slots=True)
class WrittenComparison:
    """What a person should know of a file that was written.

    Attributes:
        untracked: What differs between the versions and is not tracked: Word has no mark for it.
        differences: Where the file does not become what it should when its changes are resolved.
        format_changes: How many runs of words and paragraphs stay and look otherwise.
        missing: Which characters of a PDF are empty boxes, and what to do.
    """

    untracked: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    format_changes: int = 0
    missing: tuple[str, ...] = ()


class ComparisonWriter(Protocol):
    """Writes a comparison as one file; the author is whom Word names for its tracked changes."""

    def __call__(
        self, comparison: Comparison, path: Path, *, author: str, formatting: bool = False
    ) -> WrittenComparison:
        """Write it, and check it if it has tracked changes; of formatting, too, if asked."""
        ...


_PROPERTIES: Final = "docProps/core.xml"
_MODIFIED: Final = "{http://purl.org/dc/terms/}modified"
_Write: TypeAlias = Callable[[Comparison, Path, str, bool], WrittenComparison]


def comparison_writer(path: Path) -> ComparisonWriter:
    """Return what writes the format that the file's suffix names.

    Raises:
        ConfigError: If there is none.
    """
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise ConfigError(
            f"{path}: no comparison has {what}.",
            remedy="End the name in .html, .docx, .pdf or .json.",
        )
    return partial(_replace, write)


def _replace(
    write: _Write,
    comparison: Comparison,
    path: Path,
    *,
    author: str,
    formatting: bool = False,
) -> WrittenComparison:
    written: list[WrittenComparison] = []
    replace_file(
        path,
        lambda scratch: written.append(write(comparison, scratch, author, formatting)),
    )
    return written[0]


def _write_page(comparison: Comparison, path: Path, *_: object) -> WrittenComparison:
    path.write_text(comparison_page(comparison), encoding="utf-8", newline="\n")
    return WrittenComparison()


def _write_pdf(comparison: Comparison, path: Path, *_: object) -> WrittenComparison:
    made = comparison_pdf(comparison, datetime.now().astimezone())
    path.write_bytes(made.data)
    return WrittenComparison(missing=(made.warning,) if made.warning else ())


def _write_json(comparison: Comparison, path: Path, *_: object) -> WrittenComparison:
    write_value(comparison_value(comparison), path)
    return WrittenComparison()


def write_value(value: Value, path: Path) -> None:
    """Write a value as JSON for people to read too."""
    text = json.dumps(value.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _write_word(
    comparison: Comparison, path: Path, author: str, formatting: bool
) -> WrittenComparison:
    """Track changes in the first version's own file; if one is no Word file, in a plain one."""
    before, after = _files(comparison)
    merged = _merge(comparison, author, formatting)
    data, authors = merged.data, frozenset({merged.author})
    if comparison.rounds:
        rounds = [
            Round(number, _saved_at(each.after), _merge(each, author, formatting))
            for number, each in comparison.rounds.items()
        ]
        data, authors = name_versions(merged, rounds)
    path.write_bytes(data)
    differences = find_differences(data, before, after, author=authors, formatting=formatting)
    return WrittenComparison(merged.untracked, tuple(map(str, differences)), merged.format_changes)


def _merge(comparison: Comparison, author: str, formatting: bool) -> MergedFile:
    paths = Path(comparison.before.path), Path(comparison.after.path)
    return merge_versions(
        *_files(comparison), paths, author=author, at=datetime.now(UTC), formatting=formatting
    )


def _files(comparison: Comparison) -> tuple[bytes, bytes]:
    """Return both versions as Word files: their own, or plain ones if one is no Word file."""
    before, after = _original_file(comparison.before), _original_file(comparison.after)
    if before is None or after is None:
        return _plain_files(comparison)
    return before, after


def _saved_at(document: Document) -> datetime | None:
    """Return when a Word file says that it was last saved."""
    data = _original_file(document)
    root = None if data is None else OfficePackage(data, Path(document.path)).xml_root(_PROPERTIES)
    moment = None if root is None else root.findtext(_MODIFIED)
    try:
        return datetime.fromisoformat(moment or "")
    except ValueError:
        return None


def _plain_files(comparison: Comparison) -> tuple[bytes, bytes]:
    """Return both versions with a paragraph for each clause, and nothing of how they were set.

    What is printed on every page is left out.
    """
    changes = comparison.clauses
    return (
        _plain_file((own for e in changes for own in e.before), comparison.before.text),
        _plain_file((own for e in changes for own in e.after), comparison.after.text),
    )


def _plain_file(clauses: Iterable[Clause], text: str) -> bytes:
    document = open_template(None)
    for clause in sorted(clauses, key=lambda each: each.span):
        document.add_paragraph(xml_text(" ".join(clause.span.text_in(text).split())))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _original_file(document: Document) -> bytes | None:
    """Return the Word file that a document was read from; None if it is none or is gone."""
    path = Path(document.path)
    if document.media_type != MediaType.DOCX.value or not path.is_file():
        return None
    data = path.read_bytes()
    return data if hashlib.sha256(data).hexdigest() == document.sha256 else None


_WRITERS: Final[Mapping[str, _Write]] = {
    ".html": _write_page,
    ".docx": _write_word,
    ".pdf": _write_pdf,
    ".json": _write_json,
}
