"""Runs of outlines, and their audited truth: contracts whose structure a person wrote down.

The truth holds offsets, labels and kinds, and no words. `top` is every node of the top level;
`deep` is a random draw of deeper labels; `not` are places of the same draw that start no node.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator

from fourcorners.outline.tree import NodeKind
from fourcorners_bench.run_files import Rounded, read_answers, read_lines

ANCHOR_LENGTH = 24  # characters, white space left out, that find a place again in a changed text
FRAME = (NodeKind.RECITALS.value, NodeKind.SIGNATURE.value)
_DIGITS = 12  # of a hash, as the fixtures have
_FIXTURES = Path(__file__).parents[4] / "tests" / "bench" / "outline" / "audit"
_SETS = ("truth", "fresh-a", "fresh-b")  # the draws, the first one first


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A node of an outline in a run file; `parent` is its parent's position among the nodes."""

    label: str
    kind: str
    heading: str
    start: int
    end: int
    parent: int | None


def _in_order(nodes: tuple[OutlineNode, ...]) -> tuple[OutlineNode, ...]:
    for at, parent in enumerate(node.parent for node in nodes):
        if parent is not None and not 0 <= parent < at:
            raise ValueError(f"node {at} has the parent {parent}, which is not before it")
    return nodes


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """The outline of one contract; no nodes means that it was not trusted, and windows are used."""

    name: str
    confidence: Rounded
    nodes: Annotated[tuple[OutlineNode, ...], AfterValidator(_in_order)]

    def depth(self, index: int) -> int:
        """Return how many nodes are above the one at `index`."""
        above = self.nodes[index].parent
        return 0 if above is None else 1 + self.depth(above)


def read_outlines(path: Path) -> list[OutlineAnswer]:
    return read_answers(path, OutlineAnswer, "a line of an outline run")


def truth_files() -> list[Path]:
    """Return the audited sets of the repository, where the program runs from one."""
    paths = (_FIXTURES / f"{name}.jsonl" for name in _SETS)
    return [path for path in paths if path.is_file()]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in a text, with the hash that finds it again."""

    start: int
    hash: str


@dataclass(frozen=True, slots=True)
class AuditedNode:
    """A node as the auditor read it; each of `labels` at each of `places` is right.

    Attributes:
        kind: A `NodeKind`, or empty for the deeper labels: their kind is not judged.
        optional: The contract can be read with it or without.
        parent: The label of the true parent; empty for one without.
        parents: Where the parent starts, where its label alone does not say which it is.
    """

    labels: tuple[str, ...]
    places: tuple[Anchor, ...]
    kind: str = ""
    optional: bool = False
    parent: str = ""
    parents: tuple[Anchor, ...] = ()

    @property
    def is_wrapper(self) -> bool:
        """Whether it is a mere wrapper: its children count as top level."""
        return self.optional and self.labels == ("",) and self.kind not in FRAME


@dataclass(frozen=True, slots=True)
class AuditedOutline:
    """What the auditor wrote down of one contract; `lost` counts places not found again."""

    name: str
    source: str
    flat: bool
    sha256: str
    top: tuple[AuditedNode, ...]
    deep: tuple[AuditedNode, ...]
    nothing: tuple[Anchor, ...]
    lost: int = 0

    def place_in(self, text: str) -> AuditedOutline:
        """Return it with the places of `text`, which may be another reading of the same file."""
        if hashlib.sha256(text.encode()).hexdigest() == self.sha256:
            return self
        starts = _Places(text)
        moved = replace(
            self,
            top=tuple(filter(None, (starts.moved(node) for node in self.top))),
            deep=tuple(filter(None, (starts.moved(node) for node in self.deep))),
            nothing=tuple(filter(None, map(starts.find, self.nothing))),
        )
        lost = sum(
            len(old) - len(new)
            for old, new in (
                (self.top, moved.top),
                (self.deep, moved.deep),
                (self.nothing, moved.nothing),
            )
        )
        return replace(moved, lost=lost)


class _Places:
    """Finds anchors in a text by the words there."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _by_hash(self) -> Mapping[str, list[int]]:
        letters, offsets = [], []
        for offset, character in enumerate(self._text):
            if not character.isspace():
                for letter in character.casefold():
                    letters.append(letter)
                    offsets.append(offset)
        whole = "".join(letters)
        found: dict[str, list[int]] = {}
        for place, offset in enumerate(offsets):
            digest = hashlib.sha1(
                whole[place : place + ANCHOR_LENGTH].encode(), usedforsecurity=False
            ).hexdigest()
            found.setdefault(digest[:_DIGITS], []).append(offset)
        return found

    def find(self, anchor: Anchor) -> Anchor | None:
        """Return the anchor at its words, nearest to where they were."""
        offsets = self._by_hash.get(anchor.hash)
        if not offsets:
            return None
        return replace(anchor, start=min(offsets, key=lambda offset: abs(offset - anchor.start)))

    def moved(self, node: AuditedNode) -> AuditedNode | None:
        """Return the node where it is now; None if its words are nowhere."""
        places = tuple(filter(None, map(self.find, node.places)))
        parents = tuple(filter(None, map(self.find, node.parents)))
        return replace(node, places=places, parents=parents) if places else None


def read_truth(path: Path) -> list[AuditedOutline]:
    """Read audited outlines; a line of another form is a `ConfigError` that names it."""
    return read_lines(path, _audited, "a line of an audited truth")


def _audited(record: Mapping[str, Any]) -> AuditedOutline:
    return AuditedOutline(
        name=record["name"],
        source=record["source"],
        flat=bool(record["flat"]),
        sha256=record["sha256"],
        top=tuple(map(_node, record["top"])),
        deep=tuple(map(_node, record["deep"])),
        nothing=tuple(Anchor(each["start"], each["anchor"]) for each in record["not"]),
    )


def _node(record: Mapping[str, Any]) -> AuditedNode:
    return AuditedNode(
        labels=(record["label"], *record.get("alt_labels", ())),
        places=(Anchor(record["start"], record["anchor"]), *_anchors(record, "alt")),
        kind=record.get("kind", ""),
        optional=bool(record.get("optional", False)),
        parent=record.get("parent", ""),
        parents=_anchors(record, "parent"),
    )


def _anchors(record: Mapping[str, Any], what: str) -> tuple[Anchor, ...]:
    starts, hashes = record.get(f"{what}_starts", ()), record.get(f"{what}_anchors", ())
    return tuple(Anchor(*each) for each in zip(starts, hashes, strict=True))
