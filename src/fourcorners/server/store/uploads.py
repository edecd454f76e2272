"""Uploaded files: kept next to the library, under names that lead nowhere else.

Each upload has a separate folder. Archives are kept as they came, and nothing is ever unpacked:
the reader opens their members in place, with its limits on bombs.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from fourcorners.documents.archive.container import MAX_BYTES, safe_name
from fourcorners.documents.discovery import is_ignored_name
from fourcorners.library.database import as_string
from fourcorners.library.jobs import is_worker_lost, worker_name
from fourcorners.library.store import Library
from fourcorners.server.errors import TooLarge
from fourcorners.system import private_files

MAX_FILES = 5_000
"""Files of one upload, at most."""
MAX_UPLOAD_BYTES = 4 << 30
"""Bytes of one upload, at most."""
PAGES_FOLDER = "pages"
"""The folder among them of what was drawn of Word documents; uploads have random names."""

_PART = 1 << 20  # bytes read at once


class Upload:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0  # of files that were kept
        self._seen = self._size = 0
        private_files.make_folder(folder)

    def save_file(self, name: str, source: BinaryIO) -> None:
        """Write one file, named as its sender called it (folders included).

        One that is hidden, or left behind by a program, is passed over.

        Raises:
            TooLarge: If it is larger than any contract, or the upload has grown too large.
        """
        relative = PurePosixPath(safe_name(name))
        self._seen += 1
        if is_ignored_name(relative.name):
            return
        if self._seen > MAX_FILES:
            raise TooLarge(
                f"an upload takes at most {MAX_FILES:,} files.",
                remedy="Upload the rest afterwards, or pack it in an archive.",
            )
        place = self._free(self.folder.joinpath(*relative.parts))
        private_files.make_folder(place.parent)
        self._write(place, name, source)
        self.count += 1

    def delete(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, place: Path, name: str, source: BinaryIO) -> None:
        size = 0
        with private_files.open_new(place) as file:
            while part := source.read(_PART):
                size += len(part)
                self._size += len(part)
                if size > MAX_BYTES:
                    raise TooLarge(
                        f"{safe_name(name)} is larger than {MAX_BYTES >> 20} MB.",
                        remedy="Split it, or reduce its pictures.",
                    )
                if self._size > MAX_UPLOAD_BYTES:
                    raise TooLarge(
                        f"the upload is larger than {MAX_UPLOAD_BYTES >> 30} GB.",
                        remedy="Upload the rest afterwards.",
                    )
                file.write(part)

    def _free(self, place: Path) -> Path:
        """Return the path, numbered where it, or a folder of its name, is there already."""
        number, tried = 1, place
        while tried.exists() or any(
            parent.is_file() for parent in tried.parents if self.folder in parent.parents
        ):
            number += 1
            tried = place.with_name(f"{place.stem} ({number}){place.suffix}")
            if number > MAX_FILES:
                raise TooLarge("too many files have the same name.")
        return tried


def settle_upload(library: Library, folder: str) -> None:
    """Forget that an upload is being received; call it in the transaction that starts its task."""
    library.execute("DELETE FROM server_uploads WHERE folder = ?", (folder,))


class UploadFolder:
    """The folder that holds what was uploaded to a library.

    Args:
        is_shared: Whether each server of the library sees it.
    """

    def __init__(self, root: Path, *, is_shared: bool = True) -> None:
        self.root = root
        self.is_shared = is_shared

    def create(self, library: Library) -> Upload:
        """Make the folder of an upload, of which the library knows that it is being received."""
        private_files.make_folder(self.root)
        private_files.restrict(self.root)
        name = secrets.token_hex(8)
        library.execute("INSERT INTO server_uploads VALUES (?, ?)", (name, worker_name()))
        return Upload(self.root / name)

    def delete_abandoned(self, library: Library) -> None:
        """Remove what was being received by servers of this machine that are gone."""
        for folder, worker in library.execute("SELECT folder, worker FROM server_uploads"):
            if is_worker_lost(as_string(worker)):
                shutil.rmtree(self.root / as_string(folder), ignore_errors=True)
                settle_upload(library, as_string(folder))

    def display_path(self, path: str) -> str:
        """Return a document's path for people: without the folders of this server."""
        with suppress(ValueError):
            inside = Path(path).relative_to(self.root).parts
            return "/".join(inside[1:])
        return Path(path).name
