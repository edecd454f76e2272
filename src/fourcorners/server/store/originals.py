"""The files that documents were read from, as long as they are still those files."""

from __future__ import annotations

from pathlib import Path

from fourcorners.documents.archive.container import load_unchanged
from fourcorners.documents.document import Document
from fourcorners.errors import InputError
from fourcorners.server.errors import NotFound


def load_original(document: Document) -> bytes:
    """Return the bytes of the file that a document was read from, which may be in an archive.

    Raises:
        NotFound: If it is not there any more, or another one.
    """
    try:
        return load_unchanged(Path(document.path), document.sha256)
    except InputError as error:  # whose message has the server's own path
        raise NotFound(
            "the original file of this document is not available.",
            remedy="It was moved or changed since it was read: add it again.",
        ) from error
