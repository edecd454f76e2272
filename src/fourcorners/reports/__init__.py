"""Findings as files to send and to read: HTML, Excel, JSON, and the grid in the terminal."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from fourcorners.errors import ConfigError
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import Review
from fourcorners.work_folder import replace_file

__all__ = ["Exporter", "Grid", "exporter_for", "formats", "write"]


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


def write(review: Review, path: Path) -> None:
    """Write a review in the format that the suffix of `path` names, whole or not at all.

    Raises:
        ConfigError: If no exporter has the suffix, or the file cannot be written.
        EvidenceError: If a quote is not the text at its span, or the grid has a hole.
    """
    exporter = exporter_for(path)
    replace_file(path, partial(exporter.export, Grid(review)))
