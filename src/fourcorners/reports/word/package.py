"""The file of a Word report: an empty document or a firm's template to begin with, and saving."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from docx.document import Document

_TEMPLATE: Final = b"wordprocessingml.template.main+xml"
_DOCUMENT: Final = b"wordprocessingml.document.main+xml"
_TYPES: Final = "[Content_Types].xml"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip file can state


def open_template(template: Path | None) -> Document:
    """Return the document to write into; a template's pages are emptied, its headers kept.

    Raises:
        ConfigError: If the template is not a Word document or template.
    """
    import docx

    if template is None:
        document = docx.Document()
        _forget_preview(document)
        return document
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    try:
        document = docx.Document(_as_document(template))
    except (OpcError, OSError, KeyError, ValueError, zipfile.BadZipFile, XMLSyntaxError) as error:
        raise ConfigError(
            f"{template}: this is not a Word document or template ({error}).",
            remedy="Give a .docx or .dotx file that Word opens.",
        ) from error
    body = document.element.body
    for child in list(body):
        if child is not body.sectPr:
            body.remove(child)
    return document


def _as_document(path: Path) -> io.BytesIO:
    """Return a .dotx as what it is but for one word: a .docx."""
    held = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(held, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            data = data.replace(_TEMPLATE, _DOCUMENT) if name == _TYPES else data
            target.writestr(zipfile.ZipInfo(name), data)  # with no time of the clock
    held.seek(0)
    return held


def _forget_preview(document: Document) -> None:
    """Leave out the preview picture that comes with the empty document: it shows another one."""
    package = document.part.package
    for identity, relation in list(package.rels.items()):
        if relation.reltype.endswith("/thumbnail"):
            package.rels.pop(identity)


def save(document: Document, path: Path) -> None:
    """Write the document with its parts in order, types first, and without the time of writing.

    So the same report is the same file, byte for byte.
    """
    held = io.BytesIO()
    document.save(held)
    with (
        zipfile.ZipFile(held) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in sorted(source.namelist(), key=lambda name: (name != _TYPES, name)):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))
