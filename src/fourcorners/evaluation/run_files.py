"""Run files: the raw answers of a benchmark, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from fourcorners.errors import ConfigError, FourcornersError

T = TypeVar("T")
_KEYS = {  # the key that only lines of this benchmark have
    "hypothesis": "entailment",
    "snippets": "retrieval",
    "ranking": "precedents",
    "nodes": "outline",
    "passages": "provisions",
}


class RunLine(Protocol):
    """An answer that a run file holds."""

    def to_json(self) -> str: ...


def write_lines(path: Path, run: Iterable[RunLine]) -> None:
    """Write one answer a line."""
    with path.open("w", encoding="utf-8") as file:
        for line in run:
            file.write(line.to_json() + "\n")


def read_lines(path: Path, parse: Callable[[Any], T], what: str, remedy: str = "") -> list[T]:
    """Return what `parse` makes of each line's JSON.

    Raises:
        ConfigError: If the file cannot be read, or a line is not `what`; the message names it.
    """
    try:
        with path.open(encoding="utf-8") as file:
            lines = list(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read ({error}).") from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(parse(json.loads(line)))
        except (ValueError, KeyError, TypeError, FourcornersError) as error:
            raise ConfigError(
                f"{path}, line {number}: not {what} ({error!r}).", remedy=remedy
            ) from error
    return found


def run_benchmark(path: Path) -> str:
    """Return which benchmark a run file is of, by its first line; extraction if no other."""
    with path.open(encoding="utf-8") as file:
        try:
            record = json.loads(file.readline())
        except ValueError:
            record = {}
    own = _KEYS.keys() & record if isinstance(record, dict) else ()
    return _KEYS[min(own)] if own else "extraction"
