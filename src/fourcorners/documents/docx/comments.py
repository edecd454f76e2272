"""The comments of a Word document: the words that they are about, and new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Final

from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx.styles import SPACE, W
from fourcorners.documents.docx.word_file import WordFile

if TYPE_CHECKING:
    from lxml.etree import _Element

    from fourcorners.documents.fragment import Fragment

_MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
COMMENTS = frozenset({f"{W}commentRangeStart", f"{W}commentRangeEnd", f"{W}commentReference"})
_W14: Final = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_W15: Final = "{http://schemas.microsoft.com/office/word/2012/wordml}"
_THREADS: Final = "http://schemas.microsoft.com/office/2011/relationships/"
_THREADS_TYPE: Final = _MEDIA_TYPE.replace("comments+", "commentsExtended+")
_FIRST_PARAGRAPH: Final = 0x5000_0001  # the id of a paragraph that gets one
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


class CommentPart:
    """The part that holds the comments, created if missing, for new ones of one author."""

    def __init__(self, file: WordFile, signature: Mapping[str, str]) -> None:
        self._file, self._signature = file, signature
        root = file.related_root("comments")
        numbers = [each.get(f"{W}id", "") for each in root] if root is not None else []
        self._next = 1 + max((int(each) for each in numbers if each.isdigit()), default=-1)

    def add(self, text: str, first: _Element, last: _Element) -> None:
        """Add a comment, a paragraph for each line, on what is from one element to another.

        Both are children of paragraphs; of a paragraph itself, it is on all its contents.
        """
        number = self._write(text).get(f"{W}id", "")
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

    def reply(self, comment: str, text: str, body: _Element) -> None:
        """Add a reply to the comment with an id, where that is, and in its thread."""
        from lxml import etree

        root = self._file.needed_root("comments", f"{W}comments", _MEDIA_TYPE)
        answered = next(each for each in root if each.get(f"{W}id") == comment)
        reply = self._write(text)
        number = reply.get(f"{W}id", "")
        former, own = self._last_paragraph(answered), self._last_paragraph(reply)
        kind, tag, done = "commentsExtended", f"{_W15}commentEx", {f"{_W15}done": "0"}
        threads = self._file.needed_root(kind, f"{_W15}commentsEx", _THREADS_TYPE, _THREADS)
        known = {each.get(f"{_W15}paraId"): each for each in threads.iter(tag)}
        if former not in known:
            known[former] = etree.SubElement(threads, tag, {f"{_W15}paraId": former, **done})
        above = known[former].get(f"{_W15}paraIdParent") or former  # replies are not nested
        ids = {f"{_W15}paraId": own, f"{_W15}paraIdParent": above}
        etree.SubElement(threads, tag, {**ids, **done})
        for node in [each for each in body.iter(*COMMENTS) if each.get(f"{W}id") == comment]:
            copy = node.makeelement(str(node.tag), {f"{W}id": number})
            run = node.getparent()
            if run is not None and run.tag == f"{W}r":
                made = node.makeelement(f"{W}r")
                made.append(copy)
                run.addnext(made)
            else:
                node.addnext(copy)

    def _last_paragraph(self, comment: _Element) -> str:
        """Return the id of a comment's last paragraph, by which its thread knows it."""
        paragraph = [*comment.iter(f"{W}p")][-1]
        own = paragraph.get(f"{_W14}paraId")
        if own is None:
            root = comment.getparent()
            around = root if root is not None else comment
            taken = {each.get(f"{_W14}paraId") for each in around.iter(f"{W}p")}
            ids = (f"{number:08X}" for number in count(_FIRST_PARAGRAPH))
            own = next(each for each in ids if each not in taken)
            paragraph.set(f"{_W14}paraId", own)
        return own

    def _write(self, text: str) -> _Element:
        """Write a comment that is not in the text yet, a paragraph for each line."""
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
        return comment
