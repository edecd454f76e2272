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
from fourcorners.documents.docx.versions.check import find_differences
from fourcorners.documents.docx.versions.merge import merge_versions
from fourcorners.documents.media_types import MediaType
from fourcorners.errors import ConfigError
from fourcorners.reports.comparison.html import comparison_page
from fourcorners.reports.comparison.values import comparison_value
from fourcorners.reports.word.package import open_template
from fourcorners.work_folder import replace_file


@dataclass(frozen=True, slots=True)
class WrittenComparison:
    """What a person should know of a file that was written.

    Attributes:
        untracked: What differs between the versions and is not tracked: Word has no mark for it.
        differences: Where the file does not become what it should when its changes are resolved.
        format_changes: How many runs of words and paragraphs stay and look otherwise.
    """

    untracked: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    format_changes: int = 0


class ComparisonWriter(Protocol):
    """Writes a comparison as one file; the author is whom Word names for its tracked changes."""

    def __call__(
        self, comparison: Comparison, path: Path, *, author: str, formatting: bool = False
    ) -> WrittenComparison:
        """Write it, and check it if it has tracked changes; of formatting, too, if asked."""
        ...


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
            f"{path}: no comparison has {what}.", remedy="End the name in .html, .docx or .json."
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


def _write_json(comparison: Comparison, path: Path, *_: object) -> WrittenComparison:
    value = comparison_value(comparison).model_dump(mode="json")
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return WrittenComparison()


def _write_word(
    comparison: Comparison, path: Path, author: str, formatting: bool
) -> WrittenComparison:
    """Track changes in the first version's own file; if one is no Word file, in a plain one."""
    before, after = _original_file(comparison.before), _original_file(comparison.after)
    if before is None or after is None:
        before, after = _plain_files(comparison)
    paths = Path(comparison.before.path), Path(comparison.after.path)
    merged = merge_versions(
        before, after, paths, author=author, at=datetime.now(UTC), formatting=formatting
    )
    path.write_bytes(merged.data)
    differences = find_differences(
        merged.data, before, after, author=merged.author, formatting=formatting
    )
    return WrittenComparison(merged.untracked, tuple(map(str, differences)), merged.format_changes)


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
    ".json": _write_json,
}
