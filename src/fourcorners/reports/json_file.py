"""Write the whole review as one JSON object."""

from __future__ import annotations

import json
from pathlib import Path

from fourcorners.reports.grid import Grid
from fourcorners.reports.json import review_json


def export(grid: Grid, path: Path) -> None:
    """Write the report as UTF-8, keys in a fixed order."""
    words = json.dumps(review_json(grid), ensure_ascii=False, allow_nan=False, indent=1)
    # Names of files on disk may hold bytes that are no UTF-8; JSON can only escape them.
    path.write_bytes(f"{words}\n".encode("utf-8", "backslashreplace"))
