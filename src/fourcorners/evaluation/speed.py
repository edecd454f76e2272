"""How fast a folder of contracts becomes a library and a grid, and how large both grow."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.find import find_files
from fourcorners.errors import ConfigError
from fourcorners.evaluation.benchmark import Json
from fourcorners.library.ingest import add
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load
from fourcorners.review.run import review
from fourcorners.settings import Settings

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder import Encoder

_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes


def measure(
    library: Library,
    data: Path,
    *,
    limit: int | None,
    encoder: Encoder | None,
    settings: Settings,
    on_progress: Callable[[str, int, int], None],
) -> dict[str, Json]:
    """Add the contracts of `data` (texts and PDFs) and review them; return the figures.

    Raises:
        ConfigError: If the library holds something already: what is skipped takes no time.
    """
    if library.stats().documents:
        raise ConfigError(
            f"{library.path} is not empty.", remedy="Measure speed with a library of its own."
        )
    folders = [data / name for name in ("contracts", "pdf") if (data / name).is_dir()]
    paths = [path for path in find_files(folders) if isinstance(path, Path)][:limit]
    started = time.perf_counter()
    report = add(
        library,
        paths,
        collection="Speed",
        encoder=encoder,
        settings=settings,
        on_progress=lambda step: on_progress("Adding", step.done, step.total),
    )
    adding = time.perf_counter() - started
    book = load("due-diligence")
    started = time.perf_counter()
    grid = review(
        library,
        book,
        encoder=encoder,
        jobs=settings.jobs,
        on_progress=lambda step: on_progress("Reviewing", step.done, step.total),
    )
    reviewing = time.perf_counter() - started
    figures = library.stats()
    count = len(grid.documents)
    return {
        "files": len(paths),
        "added": report.added,
        "failed": len(report.failed),
        "characters": figures.characters,
        "passages": figures.passages,
        "add_seconds": round(adding, 1),
        "add_contracts_per_minute": round(60 * report.added / adding, 1),
        "stage_seconds": {name: round(spent, 1) for name, spent in report.seconds.items()},
        "review_seconds": round(reviewing, 1),
        "review_contracts_per_minute": round(60 * count / reviewing, 1),
        "cells": len(grid.findings),
        "library_megabytes": round(figures.bytes / 1e6, 1),
        "peak_megabytes_main": round(_peak(resource.RUSAGE_SELF), 1),
        "peak_megabytes_worker": round(_peak(resource.RUSAGE_CHILDREN), 1),
        "encoder": encoder is not None,
    }


def _peak(who: int) -> float:
    return resource.getrusage(who).ru_maxrss * _UNIT / 1e6


def table(figures: dict[str, Json]) -> Table:
    """Return the figures as a table of two columns."""
    from rich.table import Table

    shown = Table(title="Speed", title_justify="left", show_header=False)
    shown.add_column()
    shown.add_column(justify="right")
    for name, value in figures.items():
        if isinstance(value, dict):
            for stage, spent in value.items():
                shown.add_row(f"seconds, {stage}", str(spent))
        else:
            shown.add_row(name.replace("_", " "), f"{value:,}" if value is not None else "")
    return shown
