"""The words of a Word document that its comments are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx.styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

    from fourcorners.documents.fragment import Fragment

COMMENTS = frozenset({f"{W}commentRangeStart", f"{W}commentRangeEnd", f"{W}commentReference"})
_MAX_COMMENT = 30  # maximum paragraphs of one comment


class CommentPlaces:
    """Marks the words of comments during a walk; `texts` are the comments by their ids."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self.texts = texts or {}
        self._open: dict[str, tuple[int, int]] = {}  # where it starts, and paragraphs so far
        self._placed: set[str] = set()  # comments that have a mark

    def start_paragraph(self, words: Fragment) -> None:
        self._open = {
            comment: (len(words), lasted + 1)
            for comment, (_, lasted) in self._open.items()
            if lasted < _MAX_COMMENT
        }

    def end_paragraph(self, words: Fragment) -> None:
        for comment, (start, _) in self._open.items():
            words.mark(MarkKind.COMMENT, start, self.texts[comment])

    def mark(self, node: _Element, words: Fragment) -> None:
        """Open or close a comment, and mark its words; one on no words marks its place."""
        name = node.get(f"{W}id", "")
        comment = self.texts.get(name)
        if comment is None:
            return
        if node.tag == f"{W}commentRangeStart":
            self._open[name] = len(words), 0
            self._placed.add(name)
        elif name in self._open:
            start, _ = self._open.pop(name)
            words.mark(MarkKind.COMMENT, start, comment)
            if start >= len(words):
                words.mark_point(MarkKind.COMMENT, comment)
        elif node.tag == f"{W}commentReference" and name not in self._placed:
            self._placed.add(name)
            words.mark_point(MarkKind.COMMENT, comment)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Leave the open comments open while something else is read, such as a text box."""
        around, self._open = self._open, {}
        yield
        self._open = around
