"""Find the files under the paths that a user names."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fourcorners.errors import InputError

_OBJECT = re.compile(r"^s3:/(?!/)")  # as in a path
_LEADS_OUT = (
    "this link leads out of the folder, and is not followed.",
    "To read its target, add the target by its own path.",
)
_LEADS_NOWHERE = (
    "this link leads to a file that is not there.",
    "Remove the link, or put its target back and add it again.",
)
_NO_FILE = "Copy what it gives into a file, and add that."
_PART = 1 << 20  # bytes hashed at once
IGNORED_NAMES = frozenset({"Thumbs.db", "desktop.ini", "__MACOSX"})


@dataclass(frozen=True, slots=True)
class UnreadPath:
    path: Path
    reason: str
    remedy: str


def find_files(paths: Iterable[Path]) -> Iterator[Path | UnreadPath]:
    """Yield the files at and under the paths, each once, folders in order of name.

    A file named explicitly is always yielded. Within folders, hidden files and leftovers of systems
    and office programs are skipped; a folder that cannot be entered is yielded as an error value,
    and so are a link that leads out of the named folder or nowhere, a pipe, a socket and a device.
    """
    seen: set[Path] = set()
    for path in paths:
        yield from _find_in(path, seen)


def is_bucket_object(path: Path) -> bool:
    return path.parts[:1] == ("s3:",)


def path_or_url(path: str | Path) -> str:
    """Return a path as text; the URL of an object in a bucket."""
    return _OBJECT.sub("s3://", str(path))


def is_ignored_name(name: str) -> bool:
    return name.startswith((".", "~$")) or name in IGNORED_NAMES


def _find_in(root: Path, seen: set[Path]) -> Iterator[Path | UnreadPath]:
    inside = Path(os.path.realpath(root))
    waiting = [(root, inside)]  # with their real paths, as far as no link leads elsewhere
    while waiting:
        path, real = waiting.pop()
        try:
            path.stat()
            if path is not root and path.is_symlink():
                real = Path(os.path.realpath(path))
                if not real.is_relative_to(inside):
                    yield UnreadPath(path, *_LEADS_OUT)
                    continue
            if real in seen:  # so that a link back up the tree is not followed
                continue
            seen.add(real)
            entries = sorted(path.iterdir()) if path.is_dir() else []
        except OSError as error:
            if isinstance(error, FileNotFoundError) and path.is_symlink():
                yield UnreadPath(path, *_LEADS_NOWHERE)
                continue
            problem = unreadable_error(path, error)
            yield UnreadPath(path, problem.message, problem.remedy)
            continue
        if path.is_file():
            yield path
        elif not path.is_dir():
            yield UnreadPath(path, f"this is {_kind_of(path)}, not a file.", _NO_FILE)
        waiting += [
            (below, real / below.name)
            for below in reversed(entries)
            if not is_ignored_name(below.name)
        ]


def _kind_of(path: Path) -> str:
    if path.is_fifo():
        return "a pipe"
    return "a socket" if path.is_socket() else "a device"


def unreadable_error(path: Path, error: OSError) -> InputError:
    match error:
        case FileNotFoundError():
            problem = "there is no such file (any more)"
            remedy = "Check the path; if it was moved meanwhile, add it from its new place."
        case PermissionError():
            problem = "no permission to read it"
            remedy = "Allow this program to read it, and add it again."
        case OSError(errno=errno.ELOOP):
            problem, remedy = "this link leads back to itself", "Remove it, or add its target."
        case OSError(errno=errno.ENAMETOOLONG):
            problem, remedy = "the name is longer than this system allows", "Shorten its name."
        case _:
            problem = f"it cannot be read: {error.strerror or error}"
            remedy = "Check the disk or the network folder that it lies on."
    return InputError(f"{path}: {problem}.", remedy=remedy)


def digest_file(path: Path, most_bytes: int) -> str | InputError:
    """Return the SHA-256 of a file; empty if it has more than `most_bytes`, or grows."""
    try:
        with path.open("rb") as file:
            left = os.fstat(file.fileno()).st_size
            if left > most_bytes:
                return ""
            digest = sha256()
            while left and (part := file.read(min(left, _PART))):
                digest.update(part)
                left -= len(part)
            return "" if left or file.read(1) else digest.hexdigest()
    except OSError as error:
        return unreadable_error(path, error)
