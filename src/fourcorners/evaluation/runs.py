"""Run files: the raw answers of a benchmark, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.text.span import Span

MOST_CANDIDATES = 50


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
        candidates = self.candidates[:MOST_CANDIDATES]
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


def write_extractions(path: Path, run: Iterable[Extraction]) -> None:
    """Write a run of the extraction benchmark."""
    with path.open("w", encoding="utf-8") as file:
        for line in run:
            file.write(line.to_json() + "\n")


def read_extractions(path: Path) -> list[Extraction]:
    """Read a run of the extraction benchmark.

    Raises:
        ConfigError: If a line is not of the run file's form; the message names it.
    """
    return list(_lines(path))


def _lines(path: Path) -> Iterator[Extraction]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                record = json.loads(line)
                yield Extraction(
                    name=record["name"],
                    provision=record["provision"],
                    quotes=tuple(Span(start, end) for start, end in record["quotes"]),
                    score=float(record["score"]),
                    candidates=tuple(
                        (Span(start, end), float(score))
                        for start, end, score in record.get("candidates", ())
                    ),
                )
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigError(
                    f"{path}, line {number}: not a line of an extraction run ({error})."
                ) from error
