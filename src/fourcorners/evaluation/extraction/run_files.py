"""Run files: the raw answers of a benchmark, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fourcorners.evaluation.run_files import read_lines
from fourcorners.text.span import Span

MAX_CANDIDATES = 50  # of one provision that are scored


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was extracted of one provision from one contract; no quotes means not found."""

    name: str
    provision: str
    quotes: tuple[Span, ...]
    score: float
    candidates: tuple[tuple[Span, float], ...] = field(default=())

    def to_json(self) -> str:
        """Return the line of the run file."""
        candidates = self.candidates[:MAX_CANDIDATES]
        return json.dumps(
            {
                "name": self.name,
                "provision": self.provision,
                "quotes": [[span.start, span.end] for span in self.quotes],
                "score": round(self.score, 6),
                "candidates": [[s.start, s.end, round(score, 6)] for s, score in candidates],
            },
            ensure_ascii=False,
        )


def read_extractions(path: Path) -> list[Extraction]:
    """Read a run; a line of another form is a `ConfigError` that names it."""
    return read_lines(path, _extraction, "a line of an extraction run")


def _extraction(record: Mapping[str, Any]) -> Extraction:
    return Extraction(
        name=record["name"],
        provision=record["provision"],
        quotes=tuple(Span(start, end) for start, end in record["quotes"]),
        score=float(record["score"]),
        candidates=tuple(
            (Span(start, end), float(score)) for start, end, score in record.get("candidates", ())
        ),
    )
