"""Findings as files to send and to read: HTML, Excel, JSON, and the grid in the terminal."""

from __future__ import annotations

from pathlib import Path

from fourcorners.reports.catalogue import (
    Exporter,
    exporter_for,
    formats,
    write_atomically,
)
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import Review

__all__ = ["Exporter", "Grid", "exporter_for", "formats", "write"]


def write(review: Review, path: Path) -> None:
    """Write a review in the format that the suffix of `path` names, whole or not at all.

    Raises:
        ConfigError: If no exporter has the suffix, or the file cannot be written.
        EvidenceError: If a quote is not the text at its span, or the grid has a hole.
    """
    exporter = exporter_for(path)
    write_atomically(exporter, Grid(review), path)
