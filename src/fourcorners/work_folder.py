"""A work folder next to the output; what a killed process left there is removed.

The folder is locked as SQLite locks a file: the lock ends with its process, however that ends.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.system import private_files

if TYPE_CHECKING:
    import apsw

_LOCK = "lock"
_STARTING = 10.0  # seconds in which a folder has its lock


@contextmanager
def make_temporary_folder() -> Iterator[Path]:
    """Make a folder among the temporary files, and remove it and what killed processes left."""
    with make_work_folder(Path(tempfile.gettempdir()) / "fourcorners", alone=False) as folder:
        yield folder


@contextmanager
def make_work_folder(
    target: Path, on_leftover: Callable[[Path], None] = lambda _: None, *, alone: bool = True
) -> Iterator[Path]:
    """Make a folder next to a target, and remove it at the end.

    What killed processes left of the same target is removed first; `on_leftover` is called with
    each such folder before. Only one process may work on a target, unless `alone` is off.

    Raises:
        ConfigError: If another process is making the same.
    """
    import apsw

    for folder in sorted(target.parent.glob(f".{target.name}.*.partial")):
        if not _is_abandoned(folder):
            if not alone:
                continue
            raise ConfigError(
                f"{target} is being made by another process.", remedy="Wait until it has ended."
            )
        on_leftover(folder)
        shutil.rmtree(folder, ignore_errors=True)
    folder = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    private_files.make_folder(folder)
    lock: apsw.Connection | None = None
    try:
        private_files.open_new(folder / _LOCK).close()
        lock = apsw.Connection(str(folder / _LOCK))
        lock.execute("BEGIN EXCLUSIVE")
        yield folder
    finally:
        if lock is not None:
            lock.close()
        shutil.rmtree(folder, ignore_errors=True)


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file next to `path` with the same suffix, then rename it.

    A reader sees what was there before or the new file, whole, whenever the process ends. What a
    link names is replaced, and not the link; a device or a pipe is written to as it is. The new
    file is private to its owner, even where the one before was not: it may hold other words.

    Raises:
        ConfigError: If the folder is missing or may not be written to.
    """
    try:
        if path.exists() and not path.is_file():
            write(path)
            return
        target = path.resolve()
        target.parent.stat()  # the work folder would make it
        with make_work_folder(target, alone=False) as folder:
            scratch = folder / f"whole{path.suffix}"
            private_files.open_new(scratch).close()
            write(scratch)
            private_files.restrict(scratch)  # `write` may have made it again
            with scratch.open("r+b") as written:  # Windows writes out only what may be written
                os.fsync(written.fileno())
            scratch.replace(target)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror or error}.",
            remedy="Name a folder that exists and that you may write to, close the file if it is "
            "open elsewhere, and check the space on the disk.",
        ) from error


def replace_text(path: Path, text: str) -> None:
    """Write a file of text, its line ends as they are, whole or not at all.

    Raises:
        ConfigError: As `replace_file` does.
    """
    replace_file(path, lambda scratch: scratch.write_text(text, encoding="utf-8", newline=""))


def _is_abandoned(folder: Path) -> bool:
    """Tell whether no process works in a folder any more."""
    import apsw

    lock = folder / _LOCK
    try:
        if not lock.exists():
            return time.time() - folder.stat().st_mtime > _STARTING
    except FileNotFoundError:
        return True
    except PermissionError:  # it is another user's
        return False
    try:
        with closing(apsw.Connection(str(lock))) as connection:
            connection.execute("BEGIN EXCLUSIVE")
    except (apsw.BusyError, apsw.CantOpenError):
        return False
    return True
