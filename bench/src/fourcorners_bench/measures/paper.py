"""What papers report of the benchmarks, as the file of each set states it."""

from __future__ import annotations

import json
from typing import Any

from fourcorners_bench.record import package_text


def published_data(benchmark: str) -> Any:  # noqa: ANN401 - each paper reports in its own form
    return json.loads(package_text(f"{benchmark}/published.json"))
