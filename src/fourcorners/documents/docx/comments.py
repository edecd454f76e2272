"""The part of a Word document that holds its comments; created if missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import SPACE, W
from fourcorners.documents.docx.word_file import WordFile

if TYPE_CHECKING:
    from lxml.etree import _Element

_MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"


class CommentPart:
    """The comments of a document, to which new ones of one author are added."""

    def __init__(self, file: WordFile, signature: Mapping[str, str]) -> None:
        self._file, self._signature = file, signature
        root = file.related_root("comments")
        numbers = [each.get(f"{W}id", "") for each in root] if root is not None else []
        self._next = 1 + max((int(each) for each in numbers if each.isdigit()), default=-1)

    def add(self, text: str, first: _Element, last: _Element) -> None:
        """Add a comment, a paragraph for each line, on what is from one element to another.

        Both are children of paragraphs; of a paragraph itself, it is on all its contents.
        """
        from lxml import etree

        number = str(self._next)
        self._next += 1
        initials = "".join(word[0] for word in self._signature[f"{W}author"].split() if word)
        comment = etree.SubElement(
            self._file.needed_root("comments", f"{W}comments", _MEDIA_TYPE),
            f"{W}comment",
            {f"{W}id": number, **self._signature, f"{W}initials": initials[:4].upper()},
        )
        for line in text.splitlines():
            run = etree.SubElement(etree.SubElement(comment, f"{W}p"), f"{W}r")
            etree.SubElement(run, f"{W}t", {SPACE: "preserve"}).text = line
        start = first.makeelement(f"{W}commentRangeStart", {f"{W}id": number})
        end = first.makeelement(f"{W}commentRangeEnd", {f"{W}id": number})
        run = first.makeelement(f"{W}r")
        run.append(run.makeelement(f"{W}commentReference", {f"{W}id": number}))
        if first.tag == f"{W}p":
            first.insert(0 if first.find(f"{W}pPr") is None else 1, start)
            last.append(end)
        else:
            first.addprevious(start)
            last.addnext(end)
        end.addnext(run)
