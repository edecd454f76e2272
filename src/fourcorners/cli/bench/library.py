"""The library that a benchmark works in."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourcorners.library.store import Library


@contextmanager
def bench_library(path: Path | None) -> Iterator[Library]:
    """Open the library to keep, or one that is gone afterwards."""
    from fourcorners.library.store import Library

    with (
        tempfile.TemporaryDirectory(prefix="fourcorners-") as folder,
        Library.open(path or Path(folder) / "bench.db") as library,
    ):
        yield library
