"""Tracked changes of one author as elements (ECMA-376 part 1, section 17.13.5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_AFTER_MARK: Final = frozenset({f"{W}sectPr", f"{W}pPrChange"})


class Marks:
    """What makes the marks of one author; their ids are not in `roots`.

    Attributes:
        signature: Who made the changes, and when.
        counts: How many marks of each kind were made.
    """

    def __init__(self, author: str, at: datetime, roots: Iterable[_Element]) -> None:
        self.signature = {
            f"{W}author": xml_text(author),
            f"{W}date": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        ids = (node.get(f"{W}id", "") for root in roots for node in root.iter())
        self.counts: Counter[str] = Counter()
        self._next = 1 + max((int(each) for each in ids if each.isdigit()), default=0)

    def new_id(self) -> str:
        self._next += 1
        return str(self._next - 1)

    def create(self, kind: str) -> _Element:
        """Return the mark of a change, such as `ins` or `del`."""
        from lxml import etree

        self.counts[kind] += 1
        attributes = {f"{W}id": self.new_id(), **self.signature}
        return etree.Element(f"{W}{kind}", attributes, nsmap={"w": W[1:-1]})

    def mark_end(self, paragraph: _Element, kind: str) -> None:
        """Mark the end of a paragraph as inserted or deleted."""
        properties = element_properties(paragraph, "pPr")
        mark = properties.find(f"{W}rPr")
        if mark is None:
            mark = properties.makeelement(f"{W}rPr")
            put_before(properties, mark, _AFTER_MARK)
        mark.insert(0, self.create(kind))


def element_properties(parent: _Element, name: str) -> _Element:
    """Return the properties with which an element begins; empty ones are added if it has none."""
    found = parent.find(f"{W}{name}")
    if found is None:
        found = parent.makeelement(f"{W}{name}")
        parent.insert(0, found)
    return found


def put_before(parent: _Element, node: _Element, later: frozenset[str]) -> None:
    """Append an element, but before those that come after it."""
    after = next((each for each in parent if each.tag in later), None)
    if after is None:
        parent.append(node)
    else:
        after.addprevious(node)


def xml_text(words: str) -> str:
    """Return words with a sign in place of each character that XML cannot hold."""
    return NOT_XML.sub("\ufffd", words)
