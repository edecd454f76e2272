"""Write the whole review as one JSON object."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fourcorners.reports.grid import Grid
from fourcorners.reports.json import review_json

_SURROGATE = re.compile("[\ud800-\udfff]")


def export(grid: Grid, path: Path) -> None:
    """Write the report as UTF-8, keys in a fixed order."""
    words = json.dumps(review_json(grid), ensure_ascii=False, allow_nan=False, indent=1)
    # Names of files on disk may hold bytes that are no UTF-8; JSON can only escape them.
    safe = _SURROGATE.sub(lambda lone: f"\\u{ord(lone.group()):04x}", words)
    path.write_text(safe + "\n", encoding="utf-8", newline="\n")
