"""What the law firm's paper reports of extraction."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from fourcorners_bench.measures.paper import published_data


@cache
def paper_figures() -> Mapping[str, Mapping[str, float]]:
    """Return the F1 of each configuration of the paper, by provision and in the mean."""
    found: dict[str, dict[str, float]] = {}
    for each in published_data("extraction")["figures"]:
        found.setdefault(each["configuration"], {})[each["provision"]] = each["f1"]
    return found
