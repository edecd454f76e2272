"""Run files: the raw answers of a benchmark, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fourcorners.errors import ConfigError
from fourcorners.text.span import Span

MAX_CANDIDATES = 50


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


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A node of an outline in a run file; `parent` is its parent's position among the nodes."""

    label: str
    kind: str
    heading: str
    start: int
    end: int
    parent: int | None


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """The outline of one contract; no nodes means that it was not trusted, and windows are used."""

    name: str
    confidence: float
    nodes: tuple[OutlineNode, ...]

    def depth(self, index: int) -> int:
        """Return how many nodes stand above the one at `index`."""
        above, steps = self.nodes[index].parent, 0
        while above is not None:
            above, steps = self.nodes[above].parent, steps + 1
        return steps

    def to_json(self) -> str:
        """Return the line of the run file."""
        return json.dumps(
            {
                "name": self.name,
                "confidence": round(self.confidence, 6),
                "nodes": [
                    {
                        "label": node.label,
                        "kind": node.kind,
                        "heading": node.heading,
                        "start": node.start,
                        "end": node.end,
                        "parent": node.parent,
                    }
                    for node in self.nodes
                ],
            },
            ensure_ascii=False,
        )


def write_outlines(path: Path, run: Iterable[OutlineAnswer]) -> None:
    """Write a run of the outline benchmark."""
    with path.open("w", encoding="utf-8") as file:
        for line in run:
            file.write(line.to_json() + "\n")


def read_outlines(path: Path) -> list[OutlineAnswer]:
    """Read a run of the outline benchmark.

    Raises:
        ConfigError: If a line is not of the run file's form; the message names it.
    """
    read = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                record = json.loads(line)
                nodes = tuple(_outlined(each, at) for at, each in enumerate(record["nodes"]))
                read.append(OutlineAnswer(record["name"], float(record["confidence"]), nodes))
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigError(
                    f"{path}, line {number}: not a line of an outline run ({error})."
                ) from error
    return read


def _outlined(record: Mapping[str, Any], at: int) -> OutlineNode:
    parent = record["parent"]
    if parent is not None and not 0 <= parent < at:
        raise ValueError(f"node {at} has the parent {parent}, which does not stand before it")
    return OutlineNode(
        label=record["label"],
        kind=record["kind"],
        heading=record["heading"],
        start=int(record["start"]),
        end=int(record["end"]),
        parent=parent,
    )


def is_outline_run(path: Path) -> bool:
    """Whether a run file is one of the outline benchmark, by its first line."""
    with path.open(encoding="utf-8") as file:
        try:
            record = json.loads(file.readline())
        except ValueError:
            return False
    return isinstance(record, dict) and "nodes" in record
