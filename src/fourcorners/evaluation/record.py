"""What every benchmark records beside its figures: settings, versions, models, seconds."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from fourcorners.version import __version__

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"


@dataclass(slots=True)
class Record:
    """The record of one run of a benchmark, as its `--json` file holds it."""

    benchmark: str
    settings: dict[str, Json]
    measures: dict[str, Json] = field(default_factory=dict)
    models: dict[str, Json] = field(default_factory=dict)
    started: float = field(default_factory=time.time)

    def to_json(self) -> str:
        """Return the record as JSON, with the versions of what did the work."""
        return json.dumps(
            {
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
            },
            ensure_ascii=False,
            indent=2,
            allow_nan=False,
        )

    def write(self, path: Path | None) -> None:
        """Write the record, if there is a place for it."""
        if path is not None:
            path.write_text(self.to_json() + "\n", encoding="utf-8")
