"""The exporters by the suffix of the file they write: one module a format."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from fourcorners.errors import ConfigError
from fourcorners.reports.grid import Grid
from fourcorners.work_folder import replace_file


class Exporter(Protocol):
    """Writes a grid as one file of its format."""

    suffix: str

    def export(self, grid: Grid, path: Path) -> None: ...


_SHIPPED = MappingProxyType({".html": "html", ".json": "json_file", ".xlsx": "xlsx"})
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
    """Write next to `path`, then rename: a reader sees the whole old report or the whole new one.

    Raises:
        ConfigError: If the folder is missing or may not be written to.
    """
    replace_file(path, partial(exporter.export, grid))
