"""`read`: a file becomes a `Document`, whatever its extension says it is."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fourcorners.documents.archive.container import load_bytes
from fourcorners.documents.document import Document
from fourcorners.documents.formats import READERS, UNSUPPORTED
from fourcorners.documents.media_types import MediaType, sniff_media_type
from fourcorners.documents.ocr.recognition import OcrOptions, recognise_pages
from fourcorners.documents.reader import RawFile
from fourcorners.errors import InputError

_EXTENSIONS = {
    ".txt": MediaType.TEXT,
    ".md": MediaType.MARKDOWN,
    ".pdf": MediaType.PDF,
    ".docx": MediaType.DOCX,
    ".doc": MediaType.DOC,
    ".rtf": MediaType.RTF,
    ".html": MediaType.HTML,
    ".htm": MediaType.HTML,
    ".odt": MediaType.ODT,
    ".eml": MediaType.EMAIL,
}
_TYPE_NAMES = {
    MediaType.TEXT: "plain text",
    MediaType.MARKDOWN: "Markdown text",
    MediaType.PDF: "a PDF",
    MediaType.DOCX: "a Word document",
    MediaType.DOC: "an old Word document",
    MediaType.ODT: "an OpenDocument text",
    MediaType.RTF: "rich text (RTF)",
    MediaType.HTML: "a web page",
    MediaType.EMAIL: "an e-mail",
    MediaType.IMAGE: "a picture",
}


def read_document(path: Path, ocr: OcrOptions = OcrOptions()) -> Document:  # noqa: B008 - it cannot change
    """Read one file in this process; `Workers` runs it with limits on memory and time.

    Pages without text are recognised where an engine is installed and `ocr` has it enabled.

    Raises:
        InputError: If the file cannot be read, is empty, damaged, locked, or of a format that
            no reader takes; the message names the file and the remedy says the way out.
    """
    data = load_bytes(path)
    if not data.strip():
        raise InputError(
            f"{path}: the file is empty.", remedy="Supply the contract again, or leave it out."
        )
    media_type = sniff_media_type(data, path.name)
    reader = READERS.get(media_type)
    if reader is None:
        kind, remedy = UNSUPPORTED[media_type]
        raise InputError(f"{path}: format not supported yet: {kind}.", remedy=remedy)
    file = RawFile(path, data, media_type)
    content, engine = recognise_pages(file, reader.read(file), ocr)
    sha256 = hashlib.sha256(data).hexdigest()
    return Document(
        id=sha256[:16],
        name=path.name,
        path=str(path),
        sha256=sha256,
        media_type=media_type.value,
        reader=f"{reader.name}/{reader.version}{f'+{engine}' if engine else ''}",
        text=content.text,
        pages=content.pages,
        marks=content.marks,
        warnings=(*_extension_warnings(path, media_type), *content.warnings),
        words=content.words,
    )


def media_type_of(path: Path) -> MediaType:
    """Return what a file is by its content.

    Raises:
        InputError: If it cannot be read at all.
    """
    return sniff_media_type(load_bytes(path), path.name)


def _extension_warnings(path: Path, media_type: MediaType) -> tuple[str, ...]:
    expected = _EXTENSIONS.get(path.suffix.lower())
    if expected is None or expected == media_type:
        return ()
    return (
        f"The file is named {path.suffix} but holds {_TYPE_NAMES[media_type]}; it was read so.",
    )
