"""Originals that were fetched from a bucket: kept for the next page, next to the uploaded files.

They are in no backup, and go with their documents as the pages of Word documents do.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.errors import InputError
from fourcorners.library.originals.files import Originals
from fourcorners.server.store.uploads import PAGES_FOLDER
from fourcorners.system import private_files

_MOST_BYTES = 1 << 30  # of all that are kept; those fetched first go


class FetchedFiles:
    """Files of this machine with the bytes of objects.

    Args:
        files: The folder of uploaded files.
    """

    def __init__(self, files: Path, originals: Originals) -> None:
        self._folder, self._originals = files / PAGES_FOLDER, originals
        self._checked: set[tuple[str, int, int]] = set()

    def fetch(self, document: Document) -> Path:
        """Return a file with the bytes of a document's original in a bucket.

        Raises:
            InputError: If it is in none, or is another than was read.
            CallError: If the bucket cannot be reached.
            ConfigError: If the bucket is not in the settings any more.
        """
        if document.stored is None:
            raise InputError(f"the original of {document.name} is in no bucket.")
        path = self._folder / f"{document.id}.original"
        if not self._is_whole(path, document.sha256):
            data = self._originals.load(document)
            private_files.make_folder(self._folder)
            private_files.restrict(self._folder)
            new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            try:
                with private_files.open_new(new) as file:
                    file.write(data)
                new.replace(path)
            finally:
                new.unlink(missing_ok=True)
            self._remove_oldest(path)
        return path

    def _is_whole(self, path: Path, sha256: str) -> bool:
        """Tell whether a file has these bytes; known while it stays as it is."""
        try:
            status = path.stat()
            key = (f"{path} {sha256}", status.st_mtime_ns, status.st_size)
            if key not in self._checked:
                if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
                    return False
                self._checked.add(key)
        except FileNotFoundError:
            return False
        return True

    def _remove_oldest(self, newest: Path) -> None:
        found = [(each.stat(), each) for each in self._folder.glob("*.original") if each != newest]
        size = sum(status.st_size for status, _ in found) + newest.stat().st_size
        for status, path in sorted(found, key=lambda each: each[0].st_mtime_ns):
            if size <= _MOST_BYTES:
                return
            path.unlink(missing_ok=True)
            size -= status.st_size
