"""Findings as files to send and to read: HTML, Excel, JSON, and the grid in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, cast

from fourcorners.errors import ConfigError
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import Review
from fourcorners.work_folder import replace_file

__all__ = ["Grid", "exporter_for", "write"]

Export: TypeAlias = Callable[[Grid, Path], None]
"""Writes a grid as one file of its format."""


_SHIPPED = MappingProxyType({".html": "html", ".json": "json_file", ".xlsx": "xlsx"})
"""The modules of this room with an `export`, by its suffix; each is imported when it is used."""


def exporter_for(path: Path) -> Export:
    """Return the exporter of the format that the file's suffix names.

    Raises:
        ConfigError: If no exporter has the suffix; the remedy lists those there are.
    """
    suffix = path.suffix.lower()
    if suffix not in _SHIPPED:
        what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        *others, last = sorted(_SHIPPED)
        raise ConfigError(
            f"{path}: no report has {what}.",
            remedy=f"End the name in {', '.join(others)} or {last}.",
        )
    return cast("Export", import_module(f"fourcorners.reports.{_SHIPPED[suffix]}").export)


def write(review: Review, path: Path) -> None:
    """Write a review in the format that the suffix of `path` names, whole or not at all.

    Raises:
        ConfigError: If no exporter has the suffix, or the file cannot be written.
        EvidenceError: If a quote is not the text at its span, or the grid has a hole.
    """
    export = exporter_for(path)
    replace_file(path, partial(export, Grid(review)))
