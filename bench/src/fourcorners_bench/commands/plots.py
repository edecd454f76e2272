"""`--plots` of the benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourcorners_bench.record import Record


def require_plots(folder: Path | None) -> None:
    """Refuse, before the work, to draw plots where nothing draws them.

    Raises:
        ConfigError: If what draws is not installed.
    """
    if folder is not None:
        from fourcorners_bench.measures.plots import require_library

        require_library()


def plot_record(folder: Path | None, record: Record) -> None:
    """Draw what a run has measured, if there is a folder for it."""
    if folder is not None:
        from fourcorners_bench.figures.catalogue import plot_records
        from fourcorners_bench.figures.named_record import NamedRecord

        named = NamedRecord("this run", record.measures, record.settings)
        plot_records(folder, record.benchmark, [named])
