"""The tracked changes of a Word document: described, and accepted or rejected."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.office_package import OfficePackage

if TYPE_CHECKING:
    from lxml.etree import _Element

_PARTS: Final = ("footnotes", "endnotes", "header", "footer")
_COME: Final = ("ins", "moveTo", "cellIns")
_GO: Final = ("del", "moveFrom", "cellDel")
_RANGES: Final = tuple(
    f"{W}{kind}Range{edge}" for kind in ("moveFrom", "moveTo") for edge in ("Start", "End")
)
_NO_FORMAT: Final = frozenset(  # what a format that is restored leaves as it is
    f"{W}{name}" for name in ("rPr", "sectPr", "headerReference", "footerReference", *_COME, *_GO)
)
_FORMER: Final = tuple(f"{name}PrChange" for name in ("r", "p", "tbl", "tr", "tc", "sect"))
_SHOWN: Final = (f"{W}r", "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath")
REMOVED = frozenset({f"{W}del", f"{W}moveFrom"})
ADDED = frozenset({f"{W}ins", f"{W}moveTo"})
_UNSEEN: Final = (f"{W}rPr", f"{W}commentReference")
_TYPED: Final = ((f"{W}delText", f"{W}t"), (f"{W}delInstrText", f"{W}instrText"))


def resolve_changes(
    data: bytes, path: Path, *, accept: bool, author: str | Collection[str] | None = None
) -> bytes:
    """Return a document with its tracked changes accepted or rejected; comments remain.

    With `author`, only the changes by that author or those authors. Rejecting restores earlier
    formats.

    Raises:
        InputError: If the document is damaged.
    """
    package = OfficePackage(data, path)
    main = package.related_parts("").get("officeDocument", "word/document.xml")
    names = [main, *(name for kind in _PARTS for name in package.related_parts_of_kind(main, kind))]
    changed = {}
    for name in names:
        root = package.xml_root(name)
        if root is not None:
            _Resolution(accept=accept, author=author).apply(root)
            changed[name] = root
    return package.with_parts(changed)


class _Resolution:
    def __init__(self, *, accept: bool, author: str | Collection[str] | None) -> None:
        self._authors = {author} if isinstance(author, str) else author
        self._accept = accept
        self._stays, self._goes = (_COME, _GO) if accept else (_GO, _COME)

    def apply(self, root: _Element) -> None:
        for name in _FORMER:
            for node in self._own_changes(root, name):
                self._restore(node)
        for tag, typed in _TYPED if not self._accept else ():
            for node in list(root.iter(tag)):
                if self._is_own(_change_above(node)):
                    node.tag = typed
        going = [mark for name in self._goes for mark in self._own_changes(root, name)]
        for mark in sorted(going, key=_is_end):  # a paragraph is empty before its end goes
            self._remove(mark)
        for name in self._stays:
            for mark in self._own_changes(root, name):
                _unwrap(mark)
        ranges = list(root.iter(*_RANGES))
        own = {node.get(f"{W}id") for node in ranges if self._is_own(node)}
        for node in ranges:
            if node.get(f"{W}id") in own:
                _detach(node)

    def _own_changes(self, root: _Element, name: str) -> list[_Element]:
        return [node for node in root.iter(f"{W}{name}") if self._is_own(node)]

    def _is_own(self, change: _Element | None) -> bool:
        if change is None:
            return False
        return self._authors is None or change.get(f"{W}author") in self._authors

    def _restore(self, change: _Element) -> None:
        """Remove the record of a former format, or restore that format."""
        properties = change.getparent()
        former = change[0] if len(change) else None
        if self._accept or properties is None or former is None:
            _detach(change)
            return
        remaining = [each for each in properties if each.tag in _NO_FORMAT]
        is_section = properties.tag == f"{W}sectPr"  # its references come first
        properties[:] = [*remaining, *former] if is_section else [*former, *remaining]

    def _remove(self, mark: _Element) -> None:
        above = mark.getparent()
        if above is None:
            return
        if above.tag in (f"{W}trPr", f"{W}tcPr"):
            row = above.getparent()
            if row is not None:
                _detach(row)
        elif above.tag == f"{W}rPr":
            _join_next(mark)
        else:
            _detach(mark)


def _is_end(mark: _Element) -> bool:
    above = mark.getparent()
    return above is not None and above.tag == f"{W}rPr"


def _change_above(node: _Element) -> _Element | None:
    return next(
        (each for each in node.iterancestors() if each.tag in (f"{W}del", f"{W}moveFrom")), None
    )


def _detach(node: _Element) -> None:
    parent = node.getparent()
    if parent is not None:
        parent.remove(node)


def _unwrap(mark: _Element) -> None:
    for node in list(mark):
        mark.addprevious(node)
    _detach(mark)


def _join_next(mark: _Element) -> None:
    """Remove a paragraph's end: its words join the next paragraph, which keeps its properties."""
    paragraph = next((each for each in mark.iterancestors() if each.tag == f"{W}p"), None)
    _detach(mark)
    if paragraph is None:
        return
    words = [each for each in paragraph if each.tag != f"{W}pPr"]
    following = paragraph.getnext()
    while following is not None and following.tag in (f"{W}bookmarkStart", f"{W}bookmarkEnd"):
        following = following.getnext()
    if following is None or following.tag != f"{W}p":
        runs = (run for each in words for run in each.iter(*_SHOWN))
        if not any(each.tag not in _UNSEEN for run in runs for each in run):
            _detach(paragraph)
        return
    at = 1 if following.find(f"{W}pPr") is not None else 0
    for offset, node in enumerate(words):
        following.insert(at + offset, node)
    _detach(paragraph)


def is_deleted_cell(cell: _Element) -> bool:
    return cell.find(f"{W}tcPr/{W}cellDel") is not None


def lacks_end(paragraph: _Element) -> bool:
    """Return whether the paragraph's end was removed, so that its words join the next."""
    mark = paragraph.find(f"{W}pPr/{W}rPr")
    return mark is not None and any(mark.find(change) is not None for change in REMOVED)


def describe_change(change: _Element) -> str:
    """Describe who made a change, when if known, and whether it moved words."""
    parts = [change.get(f"{W}author") or "unknown"]
    if date := change.get(f"{W}date"):
        parts.append(date)
    if change.tag.startswith(f"{W}move"):
        parts.append("moved")
    return ", ".join(parts)


def remaining_children(
    parent: _Element, tag: str, dropped: Callable[[_Element], bool]
) -> Iterator[_Element]:
    """Yield the rows of a table or the cells of a row, within whatever is around them."""
    for child in parent:
        if child.tag != tag:
            yield from remaining_children(child, tag, dropped)
        elif not dropped(child):
            yield child
