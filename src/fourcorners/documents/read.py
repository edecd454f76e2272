"""Read a file by its content, regardless of its extension."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fourcorners.documents import image, plain
from fourcorners.documents.archive.container import load_bytes
from fourcorners.documents.conversion import libreoffice
from fourcorners.documents.document import Document
from fourcorners.documents.docx import reader as docx
from fourcorners.documents.html import reader as html
from fourcorners.documents.mail import reader as mail
from fourcorners.documents.media_types import FORMATS, MediaType, sniff_media_type
from fourcorners.documents.ocr.recognition import OcrOptions, ocr_remedy, recognise_pages
from fourcorners.documents.odf import reader as odf
from fourcorners.documents.pdf import reader as pdf
from fourcorners.documents.reader import RawFile, Reader
from fourcorners.documents.rtf import reader as rtf
from fourcorners.errors import InputError

READERS: dict[MediaType, Reader] = {
    media_type: reader
    for reader in (
        plain.READER, plain.MARKDOWN_READER, pdf.READER, docx.READER, html.READER, mail.READER,
        odf.READER, libreoffice.READER, rtf.READER, image.READER,
    )
    for media_type in sorted(reader.media_types)
}  # fmt: skip
MAX_CHARACTERS = 32_000_000  # of a text: ten thousand pages
MAX_BYTES_A_CHARACTER = 4  # in UTF-8 and UTF-32
_PLAIN = frozenset({MediaType.TEXT, MediaType.MARKDOWN})


def read_document(path: Path, ocr: OcrOptions = OcrOptions()) -> Document:  # noqa: B008 - it cannot change
    """Read one file in this process; a `ProcessPool` runs it with limits on memory and time.

    Text recognition reads pages without text, if an engine is installed and `ocr` enables it.

    Raises:
        InputError: If the file cannot be read, is empty, damaged, locked, or in a format that no
            reader supports; the message names the file and the remedy says what to do.
    """
    data = load_bytes(path)
    if not data.strip():
        raise InputError(
            f"{path}: the file is empty.", remedy="Supply the contract again, or leave it out."
        )
    media_type = sniff_media_type(data, path.name)
    reader = READERS.get(media_type)
    if reader is None:
        known = FORMATS[media_type]
        raise InputError(f"{path}: format not supported yet: {known.name}.", remedy=known.remedy)
    if media_type in _PLAIN and len(data) > MAX_BYTES_A_CHARACTER * MAX_CHARACTERS:
        raise _length_error(path, len(data) // MAX_BYTES_A_CHARACTER)
    file = RawFile(path, data, media_type)
    content, engine = recognise_pages(file, reader.read(file), ocr)
    if not content.text.strip() and content.ocr_hints.images:
        raise InputError(
            f"{path}: the document holds no text, and none was read of its pictures.",
            remedy=ocr_remedy(ocr),
        )
    if len(content.text) > MAX_CHARACTERS:
        raise _length_error(path, len(content.text))
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


def _length_error(path: Path, characters: int) -> InputError:
    return InputError(
        f"{path}: its text has {characters:,} characters or more: "
        f"at most {MAX_CHARACTERS:,} are read.",
        remedy="Split it, and add the parts.",
    )


def media_type_of(path: Path) -> MediaType:
    return sniff_media_type(load_bytes(path), path.name)


def _extension_warnings(path: Path, media_type: MediaType) -> tuple[str, ...]:
    suffix, held = path.suffix.lower(), FORMATS[media_type]
    known = any(suffix in each.extensions for each in FORMATS.values())
    if not known or suffix in held.extensions:
        return ()
    return (f"The file is named {path.suffix} but holds {held.name}; it was read as that.",)
