"""`read`: a file becomes a `Document`, whatever its extension says it is."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from fourcorners.documents.catalogue import READERS, UNREAD
from fourcorners.documents.document import Document
from fourcorners.documents.path_errors import unreadable
from fourcorners.documents.reader import RawFile
from fourcorners.documents.sniff import MediaType, sniff
from fourcorners.errors import InputError

MAX_BYTES = 512 << 20  # a contract is never half a gigabyte

_EXTENSIONS = {
    ".txt": MediaType.TEXT,
    ".md": MediaType.MARKDOWN,
    ".pdf": MediaType.PDF,
    ".docx": MediaType.DOCX,
    ".doc": MediaType.DOC,
    ".rtf": MediaType.RTF,
    ".html": MediaType.HTML,
    ".htm": MediaType.HTML,
}
_SPOKEN = {
    MediaType.TEXT: "plain text",
    MediaType.MARKDOWN: "Markdown text",
    MediaType.PDF: "a PDF",
    MediaType.DOCX: "a Word document",
}


def read(path: Path) -> Document:
    """Read one file in this process; `Workers` runs it with limits on memory and time.

    Raises:
        InputError: If the file cannot be read, is empty, damaged, locked, or of a format that
            no reader takes; the message names the file and the remedy says the way out.
    """
    data = _bytes(path)
    if not data.strip():
        raise InputError(
            f"{path}: the file is empty.", remedy="Supply the contract again, or leave it out."
        )
    media_type = sniff(data, path.name)
    reader = READERS.get(media_type)
    if reader is None:
        kind, remedy = UNREAD[media_type]
        raise InputError(f"{path}: format not supported yet: {kind}.", remedy=remedy)
    content = reader.read(RawFile(path, data, media_type))
    sha256 = hashlib.sha256(data).hexdigest()
    return Document(
        id=sha256[:16],
        name=path.name,
        path=str(path),
        sha256=sha256,
        media_type=media_type.value,
        reader=f"{reader.name}/{reader.version}",
        text=content.text,
        pages=content.pages,
        marks=content.marks,
        warnings=(*_misnamed(path, media_type), *content.warnings),
    )


def _misnamed(path: Path, media_type: MediaType) -> tuple[str, ...]:
    expected = _EXTENSIONS.get(path.suffix.lower())
    if expected is None or expected == media_type:
        return ()
    return (f"The file is named {path.suffix} but holds {_SPOKEN[media_type]}; it was read so.",)


def _bytes(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device or pipe"
            raise InputError(
                f"{path}: this is {kind}, not a file.", remedy="Name a file, or a folder to add."
            )
        size = status.st_size
        if size > MAX_BYTES:
            raise InputError(
                f"{path}: the file has {size >> 20} MB; at most {MAX_BYTES >> 20} MB are read.",
                remedy="Split it, or reduce its pictures.",
            )
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
