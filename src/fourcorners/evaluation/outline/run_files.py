"""Run files of the outline benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourcorners.evaluation.run_files import read_lines


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


def read_outlines(path: Path) -> list[OutlineAnswer]:
    """Read a run; a line of another form is a `ConfigError` that names it."""
    return read_lines(path, _outline, "a line of an outline run")


def _outline(record: Mapping[str, Any]) -> OutlineAnswer:
    nodes = tuple(_outlined(each, at) for at, each in enumerate(record["nodes"]))
    return OutlineAnswer(record["name"], float(record["confidence"]), nodes)


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
