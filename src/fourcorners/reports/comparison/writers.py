"""The files a comparison is written as, by their suffix."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from fourcorners.comparison.comparison import Comparison
from fourcorners.errors import ConfigError
from fourcorners.reports.comparison.html import comparison_page
from fourcorners.reports.comparison.values import comparison_value
from fourcorners.reports.comparison.word import write_word
from fourcorners.reports.comparison.word_original import mark_original, original_file
from fourcorners.work_folder import replace_file


class ComparisonWriter(Protocol):
    """Writes a comparison as one file; the author is whom Word names for its tracked changes."""

    def __call__(self, comparison: Comparison, path: Path, *, author: str) -> str:
        """Write it; return what a person should know of the file, empty if there is nothing."""
        ...


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
    write: Callable[[Comparison, Path, str], str],
    comparison: Comparison,
    path: Path,
    *,
    author: str,
) -> str:
    notes: list[str] = []
    replace_file(path, lambda scratch: notes.append(write(comparison, scratch, author)))
    return notes[0]


def _write_page(comparison: Comparison, path: Path, _: str) -> str:
    path.write_text(comparison_page(comparison), encoding="utf-8", newline="\n")
    return ""


def _write_json(comparison: Comparison, path: Path, _: str) -> str:
    value = comparison_value(comparison).model_dump(mode="json")
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return ""


def _write_word(comparison: Comparison, path: Path, author: str) -> str:
    """Track the changes in the first version's own Word file, or in a plain one."""
    data = original_file(comparison.before)
    if data is None:
        write_word(comparison, path, author)
        return ""
    marked, refused = mark_original(comparison, data, author)
    path.write_bytes(marked)
    if not refused:
        return ""
    changes = "1 change" if refused == 1 else f"{refused} changes"
    return f"{changes} could not be tracked in the file, and are comments there."


_WRITERS: Final[Mapping[str, Callable[[Comparison, Path, str], str]]] = {
    ".html": _write_page,
    ".docx": _write_word,
    ".json": _write_json,
}
