"""What every benchmark records with its figures: settings, versions, models, seconds."""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from fourcorners.version import __version__
from fourcorners.work_folder import replace_text

T = TypeVar("T")
Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
OnProgress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is done, how much of it, and of how much."""


@dataclass(slots=True)
class Record:
    """The record of one run of a benchmark, as its `--json` file holds it."""

    benchmark: str
    settings: dict[str, Json]
    measures: dict[str, Json] = field(default_factory=dict)
    models: dict[str, Json] = field(default_factory=dict)
    started: float = field(default_factory=time.time)

    def write(self, path: Path | None) -> None:
        """Write the record with the versions of what did the work, if there is a place for it."""
        if path is None:
            return
        content = {
            "benchmark": self.benchmark,
            "settings": self.settings,
            "measures": self.measures,
            "models": self.models,
            "versions": {
                "fourcorners": __version__,
                "python": platform.python_version(),
                **{name: version(name) for name in ("apsw", "onnxruntime", "pypdfium2")},
            },
            "seconds": round(time.time() - self.started, 1),
        }
        serialized = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
        replace_text(path, serialized + "\n")


def json_figures(value: object, digits: int = 4) -> Json:
    """Return figures as a record holds them: rounded, in mappings and lists, None for NaN."""
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, digits)
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(key): json_figures(each, digits) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_figures(each, digits) for each in value]
    return value if isinstance(value, str | int) else None


def with_progress(items: Sequence[T], what: str, on_progress: OnProgress | None) -> Iterator[T]:
    """Yield each, and tell afterwards how many are done."""
    for done, each in enumerate(items, start=1):
        yield each
        if on_progress:
            on_progress(what, done, len(items))


class _Steps(Protocol):
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...


def step_progress(what: str, on_progress: OnProgress | None) -> Callable[[_Steps], None] | None:
    """Return what `add_files` and `review_library` tell how far they are."""
    if on_progress is None:
        return None
    return lambda steps: on_progress(what, steps.done, steps.total)


def package_text(name: str) -> str:
    return files("fourcorners_bench").joinpath(name).read_text("utf-8")


@cache
def published_data(benchmark: str) -> Any:  # noqa: ANN401 - each paper reports in its own form
    """Return what papers report of a benchmark."""
    return json.loads(package_text(f"{benchmark}/published.json"))
