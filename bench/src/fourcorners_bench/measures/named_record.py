"""A record of a benchmark with the name that it has in plots, and ways into its measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from fourcorners_bench.record import Json


@dataclass(frozen=True, slots=True)
class NamedRecord:
    name: str
    measures: Mapping[str, Json]
    settings: Mapping[str, Json] = field(default_factory=dict)

    def part(self, *path: str) -> Mapping[str, Json]:
        """Return the mapping at the end of a path; empty where there is none."""
        found: Json = self.measures
        for step in path:
            found = found.get(step) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    def number(self, *path: str) -> float | None:
        """Return the number at the end of a path, the first of a list; None where there is none."""
        found = self.part(*path[:-1]).get(path[-1])
        if isinstance(found, Sequence) and not isinstance(found, str) and found:
            found = found[0]
        return float(found) if isinstance(found, int | float) else None

    def interval(self, *path: str) -> tuple[float, float] | None:
        """Return the last two numbers of the list at the end of a path: its bounds."""
        found = self.part(*path[:-1]).get(path[-1])
        if not isinstance(found, list) or len(found) < 2 or None in found[-2:]:
            return None
        low, high = cast("list[float]", found[-2:])
        return low, high


def ordered_keys(records: Sequence[NamedRecord], *path: str) -> list[str]:
    """Return the keys of a mapping that any of the records has, in the order of the first."""
    return list(dict.fromkeys(key for each in records for key in each.part(*path)))
