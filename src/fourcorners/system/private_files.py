"""Files and folders that none but their owner can read, whatever the umask says."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

_FILE, _FOLDER = 0o600, 0o700


def make_folder(path: Path) -> None:
    """Make a folder, with those above it that are missing; one that is there stays as it is."""
    for missing in reversed([each for each in (path, *path.parents) if not each.exists()]):
        with suppress(FileExistsError):
            missing.mkdir(mode=_FOLDER)
    path.mkdir(exist_ok=True)  # a file in its place is an error


def open_new(path: Path) -> BinaryIO:
    """Open a file for writing that must not be there yet.

    Raises:
        FileExistsError: If it is.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, _FILE), "wb")


def open_to_append(path: Path) -> BinaryIO:
    """Open a file for appending, and make it if it is not there."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags, _FILE), "ab")
    restrict(path)
    return file


def restrict(path: Path) -> None:
    """Take an existing file or folder from all but its owner; one of another owner stays.

    A device or a pipe stays, too: others may need it.
    """
    with suppress(PermissionError, FileNotFoundError):
        if os.name == "posix" and (path.is_file() or path.is_dir()):
            mode = path.stat().st_mode & 0o777
            wanted = mode & (_FOLDER if path.is_dir() else _FILE)
            if mode != wanted:
                path.chmod(wanted)
