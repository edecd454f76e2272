"""The values of an outline: nodes, defined terms, cross-references, passages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.text.span import Span


class NodeKind(StrEnum):
    TITLE = "title"
    RECITALS = "recitals"
    ARTICLE = "article"
    SECTION = "section"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    SCHEDULE = "schedule"
    SIGNATURE = "signature"


class View(StrEnum):
    """The part of the tree that a passage shows (PAKTON, section 3.1)."""

    NODE = "node"
    ANCESTOR = "ancestor"
    DESCENDANT = "descendant"
    WINDOW = "window"  # not of the tree: a sentence-aligned window


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the contract.

    Nodes are numbered in reading order, so a parent's `id` is smaller than its children's; `span`
    covers the node with all its descendants, and the spans of children nest in their parent's.

    Attributes:
        label: The whole label as a lawyer cites it, such as `7.2(a)(ii)`; empty if unnumbered.
        heading: The span of the heading's words (without the number), if it has one.
    """

    id: int
    parent: int | None
    kind: NodeKind
    label: str
    heading: Span | None
    span: Span
    confidence: float = 1.0


def _start(node: Node) -> int:
    return node.span.start


@dataclass(frozen=True, slots=True)
class DefinedTerm:
    """A term and the place that defines it: `span` is the term, `definition` the sentence."""

    term: str
    span: Span
    definition: Span


@dataclass(frozen=True, slots=True)
class TermUse:
    span: Span
    term: int


class ReferenceKind(StrEnum):
    NUMBERED = "numbered"  # by a full number or letter: "Section 7.2(b)", "Exhibit C"
    NEARBY = "nearby"  # by a letter relative to its place: "clause (ii)", "paragraph (b)"
    RELATIVE = "relative"  # by its position: "this Article", "the preceding paragraph"


@dataclass(frozen=True, slots=True)
class CrossReference:
    """A reference to another part of the contract; `target` is a node's id, None if dangling.

    If the outline is not as deep as the reference, the target is the innermost node that contains
    what is cited.

    Attributes:
        raw: The full citation: `Section 4(b)` also where the text says "Sections 2 and 4(b)".
    """

    span: Span
    target: int | None
    raw: str = ""
    kind: ReferenceKind = ReferenceKind.NUMBERED


@dataclass(frozen=True, slots=True)
class Outline:
    """The contract as a tree.

    Below the minimum confidence the tree is not used: `windows` is True, `nodes` is empty,
    and passages are sentence-aligned windows.

    Attributes:
        contents: The tables of contents, in order; only the front's node contains them.
    """

    nodes: tuple[Node, ...]
    confidence: float
    windows: bool = False
    terms: tuple[DefinedTerm, ...] = ()
    references: tuple[CrossReference, ...] = ()
    contents: tuple[Span, ...] = ()

    def ancestors(self, node: Node) -> list[Node]:
        """Return the nodes above `node`, the outermost first."""
        above: list[Node] = []
        parent = node.parent
        while parent is not None:
            above.append(self.nodes[parent])
            parent = self.nodes[parent].parent
        return above[::-1]

    def node_at(self, offset: int) -> Node | None:
        """Return the innermost node that covers the character at `offset`."""
        at: int | None = bisect_right(self.nodes, offset, key=_start) - 1
        while at is not None and at >= 0:  # the last that starts before it, or an ancestor
            node = self.nodes[at]
            if offset < node.span.end:
                return node
            at = node.parent
        return None

    def children(self, node: Node | None) -> Iterator[Node]:
        """Yield the nodes right below `node` (the top nodes for None), in order."""
        parent = node.id if node else None
        for at in range(0 if node is None else node.id + 1, len(self.nodes)):
            child = self.nodes[at]
            if node is not None and (child.parent is None or child.parent < node.id):
                return
            if child.parent == parent:
                yield child

    def path(self, node: Node, text: str) -> tuple[str, ...]:
        """Return label and heading of each node from the top down to `node`, for people."""
        return node_path([*self.ancestors(node), node], text)


def node_path(nodes: Iterable[Node], text: str) -> tuple[str, ...]:
    """Return label and heading of each node, for people; the kind of a node without either."""
    names = []
    for node in nodes:
        heading = " ".join(node.heading.text_in(text).split()) if node.heading else ""
        names.append(" ".join(part for part in (node.label, heading) if part) or node.kind.value)
    return tuple(names)


@dataclass(frozen=True, slots=True)
class Passage:
    """What is indexed: a span of the document, seen in one view.

    Attributes:
        ordinal: The position of the passage among its document's passages, from 0.
        node: The id of the outline node it shows; None for windows.
        context: Words put before the span's when it is embedded (headings above it); not part of
            the span.
    """

    ordinal: int
    span: Span
    view: View
    node: int | None = None
    context: str = ""
