"""How fast a folder of contracts becomes a library and a grid, and how large both grow.

`parts` measures the steps on the way one by one, in one process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from fourcorners.documents.discovery import find_files
from fourcorners.errors import ConfigError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.run import Workers, review_library
from fourcorners.settings import Settings
from fourcorners_bench.measures.tables import summary_table
from fourcorners_bench.outline.run import contract_texts
from fourcorners_bench.performance.usage import cpu_seconds, peak_bytes
from fourcorners_bench.record import Json, OnProgress, step_progress

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder.protocol import Encoder


def measure(
    library: Library,
    data: Path,
    *,
    limit: int | None,
    encoder: Encoder | None,
    settings: Settings,
    on_progress: OnProgress,
) -> dict[str, Json]:
    """Add the contracts of `data` (texts and PDFs) and review them; return the figures.

    Raises:
        ConfigError: If the library holds something already: what is skipped takes no time.
    """
    if library.stats().documents:
        raise ConfigError(
            f"{library.path} is not empty.", remedy="Measure speed with a separate library."
        )
    folders = [data / name for name in ("contracts", "pdf") if (data / name).is_dir()]
    paths = [path for path in find_files(folders) if isinstance(path, Path)][:limit]
    started, spent = time.perf_counter(), cpu_seconds()
    report = add_files(
        library,
        paths,
        collection="Speed",
        encoder=encoder,
        settings=settings,
        on_progress=step_progress("Adding", on_progress),
    )
    adding, spent = time.perf_counter() - started, cpu_seconds() - spent
    book = load_playbook("due-diligence")
    started = time.perf_counter()
    grid = review_library(
        library,
        book,
        encoder=encoder,
        on_progress=step_progress("Reviewing", on_progress),
        workers=Workers(jobs=settings.jobs),
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
        "add_cpu_seconds": round(spent, 1),
        "stage_seconds": {name: round(spent, 1) for name, spent in report.seconds.items()},
        "review_seconds": round(reviewing, 1),
        "review_contracts_per_minute": round(60 * count / reviewing, 1),
        "cells": len(grid.findings),
        "library_megabytes": round(figures.bytes / 1e6, 1),
        "peak_megabytes_main": round(peak_bytes() / 1e6, 1),
        "peak_megabytes_worker": round(peak_bytes(of_children=True) / 1e6, 1),
        "encoder": encoder is not None,
    }


def parts(
    data: Path, *, limit: int | None, repeats: int, on_progress: OnProgress
) -> dict[str, Json]:
    """Read, outline and cut the texts of `data` in this process; return the speed of each step.

    Speeds are characters per second of this process's CPU time, the median of the repeats.
    `outline` is the whole outline with the terms and references in it.

    Raises:
        ConfigError: If there are no texts.
    """
    paths = contract_texts(data)[:limit]
    rounds: list[dict[str, float]] = []
    characters = _take(paths[0], {})  # so that nothing is loaded while the clock runs
    for number in range(repeats):
        spent: dict[str, float] = {}
        characters = 0
        for done, path in enumerate(paths, 1):
            characters += _take(path, spent)
            on_progress("Measuring", number * len(paths) + done, repeats * len(paths))
        rounds.append(spent)
    return {
        "files": len(paths),
        "characters": characters,
        "repeats": repeats,
        "characters_per_cpu_second": {
            part: round(characters / max(median(each[part] for each in rounds), 1e-9))
            for part in rounds[0]
        },
    }


def _take(path: Path, spent: dict[str, float]) -> int:
    """Take one text through every step; add the CPU seconds of each, return its characters."""
    from fourcorners.documents.read import read_document
    from fourcorners.outline.build import build_outline
    from fourcorners.outline.card.read import read_card
    from fourcorners.outline.passages.cut import cut_passages
    from fourcorners.outline.references.find import find_references
    from fourcorners.outline.terms import find_terms

    @contextmanager
    def timed(part: str) -> Iterator[None]:
        began = time.process_time()
        yield
        spent[part] = spent.get(part, 0.0) + time.process_time() - began

    with timed("reading"):
        document = read_document(path)
    with timed("outline"):
        outline = build_outline(document)
    with timed("terms"):
        find_terms(document.text)
    with timed("references"):
        find_references(document.text, outline.nodes)
    with timed("card"):
        read_card(document, outline)
    with timed("passages"):
        cut_passages(document, outline)
    return len(document.text)


def table(figures: dict[str, Json]) -> Table:
    flat: dict[str, Json] = {}
    for name, value in figures.items():
        stages = value if isinstance(value, dict) else {"": value}
        for stage, spent in stages.items():
            label = f"{name.replace('_', ' ')}, {stage}" if stage else name
            flat[label] = f"{spent:,}" if spent is not None else ""
    return summary_table("Speed", flat)
