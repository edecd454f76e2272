"""The exporters by the suffix of the file they write: one module a format."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from fourcorners.errors import ConfigError
from fourcorners.reports.grid import Grid
from fourcorners.work_folder import make_work_folder


class Exporter(Protocol):
    """Writes a grid as one file of its format."""

    suffix: str

    def export(self, grid: Grid, path: Path) -> None: ...


_SHIPPED = MappingProxyType({".html": "html", ".json": "json", ".xlsx": "xlsx"})
"""The modules of this room with an `EXPORTER`, by its suffix; each is imported when it is used."""


def formats() -> tuple[str, ...]:
    return tuple(sorted(_SHIPPED))


def exporter_for(path: Path) -> Exporter:
    """Return the exporter of the format that the file's suffix names.

    Raises:
        ConfigError: If no exporter has the suffix; the remedy lists those there are.
    """
    suffix = path.suffix.lower()
    if suffix not in _SHIPPED:
        what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        *others, last = formats()
        raise ConfigError(
            f"{path}: no report has {what}.",
            remedy=f"End the name in {', '.join(others)} or {last}.",
        )
    return cast("Exporter", import_module(f"fourcorners.reports.{_SHIPPED[suffix]}").EXPORTER)


def write_atomically(exporter: Exporter, grid: Grid, path: Path) -> None:
    """Write beside `path`, then rename: a reader sees the old report or the new one, whole.

    Raises:
        ConfigError: If the folder is missing or may not be written to.
    """
    replace_file(path, partial(exporter.export, grid))


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path` with the same suffix, then rename it.

    Raises:
        ConfigError: If the folder is missing or may not be written to.
    """
    try:
        path.parent.stat()  # the work folder would make it
        with make_work_folder(path, alone=False) as folder:
            scratch = folder / f"whole{path.suffix}"
            write(scratch)
            scratch.chmod(0o666 & ~_umask())
            with scratch.open("rb") as written:
                os.fsync(written.fileno())
            scratch.replace(path)
    except OSError as error:
        raise ConfigError(
            f"{path}: the report cannot be written: {error.strerror or error}.",
            remedy="Name a folder that exists and that you may write to, close the file if it is "
            "open elsewhere, and check the space on the disk.",
        ) from error


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
