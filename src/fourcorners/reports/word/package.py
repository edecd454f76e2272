"""Saving a Word document so that the same report is the same file, byte for byte."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from docx.document import Document

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip file can state


def save(document: Document, path: Path) -> None:
    """Write the document with its parts in order and without the time of writing."""
    held = io.BytesIO()
    document.save(held)
    with (
        zipfile.ZipFile(held) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in _ordered(source.namelist()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))


def _ordered(names: list[str]) -> list[str]:
    """Return the names with the list of types first, as readers expect."""
    first = "[Content_Types].xml"
    return [*([first] if first in names else []), *sorted(set(names) - {first})]
