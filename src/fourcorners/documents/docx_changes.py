"""The two versions of a document with tracked changes: all accepted, or none of them made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_REMOVED, _ADDED = ("del", "moveFrom"), ("ins", "moveTo")


@dataclass(frozen=True, slots=True)
class Version:
    """What of a document with tracked changes is read, and how the rest is marked.

    Words left out leave a mark without length at their place; its detail holds them.
    """

    left_out: frozenset[str]
    taken_in: frozenset[str]
    kind_left_out: MarkKind
    kind_taken_in: MarkKind
    ends_left_out: tuple[str, ...]
    row_left_out: str
    row_taken_in: str
    cell_left_out: str
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
        return any(mark.find(f"{W}{change}") is not None for change in self.ends_left_out)


def _version(left_out: tuple[str, ...], taken_in: tuple[str, ...], *, original: bool) -> Version:
    kinds = MarkKind.DELETED, MarkKind.INSERTED
    return Version(
        left_out=frozenset(f"{W}{name}" for name in left_out),
        taken_in=frozenset(f"{W}{name}" for name in taken_in),
        kind_left_out=kinds[original],
        kind_taken_in=kinds[not original],
        ends_left_out=left_out,
        row_left_out=left_out[0],
        row_taken_in=taken_in[0],
        cell_left_out=f"cell{left_out[0].capitalize()}",
        reads_deleted=original,
    )


ACCEPTED = _version(_REMOVED, _ADDED, original=False)
ORIGINAL = _version(_ADDED, _REMOVED, original=True)


def who(change: _Element) -> str:
    """Say who made a change, when if that is known, and whether it moved words."""
    said = [change.get(f"{W}author") or "unknown"]
    if date := change.get(f"{W}date"):
        said.append(date)
    if change.tag.startswith(f"{W}move"):
        said.append("moved")
    return ", ".join(said)
