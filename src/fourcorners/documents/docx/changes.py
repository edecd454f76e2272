"""The two versions of a document with tracked changes: all accepted, or none of them made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx.styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_REMOVED, _ADDED = ("del", "moveFrom"), ("ins", "moveTo")


@dataclass(frozen=True, slots=True)
class RevisionView:
    """What of a document with tracked changes is read, and how the rest is marked.

    Words left out leave a mark without length at their place; its detail holds them.
    """

    omitted: frozenset[str]
    included: frozenset[str]
    omitted_kind: MarkKind
    included_kind: MarkKind
    omitted_ends: tuple[str, ...]
    omitted_row: str
    included_row: str
    omitted_cell: str
    reads_deleted: bool

    def properties(self, node: _Element | None) -> _Element | None:
        """Return the properties that held in this version (of `w:pPr` or `w:rPr`)."""
        if node is None or not self.reads_deleted:
            return node
        name = node.tag.removeprefix(W)
        before = node.find(f"{W}{name}Change/{W}{name}")
        return node if before is None else before

    def lacks_end(self, paragraph: _Element) -> bool:
        """Tell whether the paragraph has no end in this version: its words join the next."""
        mark = paragraph.find(f"{W}pPr/{W}rPr")
        if mark is None:
            return False
        return any(mark.find(f"{W}{change}") is not None for change in self.omitted_ends)


def _revision_view(
    left_out: tuple[str, ...], taken_in: tuple[str, ...], *, original: bool
) -> RevisionView:
    kinds = MarkKind.DELETED, MarkKind.INSERTED
    return RevisionView(
        omitted=frozenset(f"{W}{name}" for name in left_out),
        included=frozenset(f"{W}{name}" for name in taken_in),
        omitted_kind=kinds[original],
        included_kind=kinds[not original],
        omitted_ends=left_out,
        omitted_row=left_out[0],
        included_row=taken_in[0],
        omitted_cell=f"cell{left_out[0].capitalize()}",
        reads_deleted=original,
    )


ACCEPTED = _revision_view(_REMOVED, _ADDED, original=False)
ORIGINAL = _revision_view(_ADDED, _REMOVED, original=True)


def describe_change(change: _Element) -> str:
    """Say who made a change, when if that is known, and whether it moved words."""
    said = [change.get(f"{W}author") or "unknown"]
    if date := change.get(f"{W}date"):
        said.append(date)
    if change.tag.startswith(f"{W}move"):
        said.append("moved")
    return ", ".join(said)
