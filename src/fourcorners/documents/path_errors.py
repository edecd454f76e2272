"""What the system's errors about a path mean for the person who supplied the file."""

from __future__ import annotations

import errno
from pathlib import Path

from fourcorners.errors import InputError


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
