"""Which files lie under the paths that a user names."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fourcorners.errors import InputError

_OBJECT = re.compile(r"^s3:/(?!/)")  # as a path holds it
IGNORED_NAMES = frozenset({"Thumbs.db", "desktop.ini", "__MACOSX"})


@dataclass(frozen=True, slots=True)
class UnreadPath:
    path: Path
    reason: str
    remedy: str


def find_files(paths: Iterable[Path]) -> Iterator[Path | UnreadPath]:
    """Yield the files at and under the paths, each once, folders in order of name.

    A file named outright is yielded whatever its name. Within folders, hidden files and what
    systems and office programs leave behind are passed over; what cannot be entered is a value.
    """
    seen: set[str] = set()
    for path in paths:
        try:
            path.stat()
        except OSError as error:
            yield _unread_path(path, error)
            continue
        yield from _walk(path, seen)


def is_bucket_object(path: Path) -> bool:
    return path.parts[:1] == ("s3:",)


def path_or_url(path: str | Path) -> str:
    """Return a path as it is written: of an object of a bucket, its URL."""
    return _OBJECT.sub("s3://", str(path))


def is_ignored_name(name: str) -> bool:
    return name.startswith((".", "~$")) or name in IGNORED_NAMES


def _walk(path: Path, seen: set[str]) -> Iterator[Path | UnreadPath]:
    real = os.path.realpath(path)  # so that a link back up the tree ends there
    if real in seen:
        return
    seen.add(real)
    if not path.is_dir():
        if path.is_file():
            yield path
        return
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        yield _unread_path(path, error)
        return
    for below in entries:
        if is_ignored_name(below.name):
            continue
        try:
            below.stat()
        except OSError as error:
            yield _unread_path(below, error)
            continue
        yield from _walk(below, seen)


def _unread_path(path: Path, error: OSError) -> UnreadPath:
    problem = unreadable_error(path, error)
    return UnreadPath(path, problem.message, problem.remedy)


def unreadable_error(path: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(
            f"{path}: there is no such file (any more).",
            remedy="Check the path; if it was moved meanwhile, add it from its new place.",
        )
    if isinstance(error, PermissionError):
        return InputError(
            f"{path}: no permission to read it.",
            remedy="Give yourself the right to read it and run the command again.",
        )
    if error.errno == errno.ELOOP:
        return InputError(
            f"{path}: this link leads back to itself.", remedy="Remove it, or add what it means."
        )
    if error.errno == errno.ENAMETOOLONG:
        return InputError(
            f"{path}: the name is longer than this system allows.", remedy="Shorten its name."
        )
    return InputError(
        f"{path}: it cannot be read: {error.strerror or error}.",
        remedy="Check the disk or the network folder that it lies on.",
    )
