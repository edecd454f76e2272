"""What the law firm's paper reports of retrieval, in percent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from fourcorners_bench.measures.paper import published_data


@cache
def paper_figures() -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]:
    """Return the paper's figures by scenario or chunking, provision and system."""
    found: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]] = published_data(
        "provisions"
    )
    return found
