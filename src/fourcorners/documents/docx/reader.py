"""Word documents (.docx), with the clause numbers that Word computes.

The text is the accepted version: insertions are in it (marked), deletions are not (an empty mark
holds their words), moved text appears once, at its new place. Paragraphs are separated by an empty
line, rows of a table by a line end, its cells by " | ". Footnotes follow at the end, and then the
pages' headers and footers, each once. The words of comments are in the detail of their marks, not
in the text. An embedded document (`altChunk`) is read by the reader of its format, where it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents import plain
from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx.comments import CommentPlaces
from fourcorners.documents.docx.numbering import Numbering
from fourcorners.documents.docx.resolved_changes import describe_change
from fourcorners.documents.docx.styles import Styles, W
from fourcorners.documents.docx.walker import DocumentWalker
from fourcorners.documents.fragment import Fragment, join_fragments
from fourcorners.documents.html import reader as html
from fourcorners.documents.mail import reader as mail
from fourcorners.documents.media_types import MediaType, sniff_media_type
from fourcorners.documents.office_package import MAX_PART, OfficePackage
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.rtf import reader as rtf
from fourcorners.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element

_MARGINS = {"header": MarkKind.HEADER, "footer": MarkKind.FOOTER}
_MARGIN_FIELDS = frozenset({"NUMPAGES", "PAGE", "SECTION", "SECTIONPAGES"})  # counted by Word
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_EMBEDDED_READERS = {
    media_type: each.read
    for each in (html.READER, mail.READER, plain.READER, rtf.READER)
    for media_type in each.media_types
}
MAX_EMBEDDED = MAX_PART  # bytes of all embedded documents, unpacked
MAX_EMBEDDED_DEPTH = 4  # of documents within documents


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A Word document's text under construction, with the parts from which it was read.

    Attributes:
        main: The name of the part that holds the body.
        roots: The parts that hold the text, by name: the body, and the notes.
    """

    text: Fragment
    walker: DocumentWalker
    main: str
    parts: Mapping[str, str]
    roots: Mapping[str, _Element]
    embedded: EmbeddedDocuments

    def warnings(self) -> Iterator[str]:
        yield from _warnings(self.walker, self.parts, self.roots)
        yield from dict.fromkeys(self.embedded.warnings)


def _read_docx(file: RawFile) -> Content:
    package = OfficePackage(file.data, file.path)
    main = _main_part(package)
    pictures = package.pictures(package.related_parts_of_kind(main, "image"))
    found = walk_document(package, file.path, may_be_empty=bool(pictures))
    return Content.from_fragment(found.text, found.warnings(), pictures)


@dataclass(slots=True)
class EmbeddedDocuments:
    """The documents that a part shows within it (ECMA-376 part 1, 17.17.2.1).

    `left` is the number of bytes that may still be unpacked.
    """

    package: OfficePackage
    part: str
    path: Path
    depth: int
    left: int
    warnings: list[str] = field(default_factory=list)

    def read(self, node: _Element) -> list[Fragment]:
        """Return the text of an embedded document; one that cannot be read is a warning."""
        name = node.get(_RELATION, "")
        found = {each.id: each for each in self.package.relationships(self.part)}.get(name)
        data = None if found is None or found.is_external else self.package.read_part(found.target)
        if found is None or data is None:
            self._refuse(name, "was not read: it is not in the file")
            return []
        try:
            return self._read_data(data, found.target)
        except InputError as error:
            reason = error.message.removeprefix(f"{self.path}: ").rstrip(".")
            self._refuse(found.target, f"was not read: {reason}")
            return []

    def _read_data(self, data: bytes, name: str) -> list[Fragment]:
        media_type = sniff_media_type(data, name)
        package = OfficePackage(data, self.path) if media_type is MediaType.DOCX else None
        self.left -= package.unpacked_size if package else len(data)
        if self.left < 0 or self.depth >= MAX_EMBEDDED_DEPTH:
            self._refuse(name, "was not read: embedded documents are too large or nested too deep")
            return []
        if package is not None:
            below = walk_document(package, self.path, within=self)
            self.left = below.embedded.left
            self.warnings += below.warnings()
            return [below.text]
        if media_type not in _EMBEDDED_READERS:
            self._refuse(name, "was not read: its format is not supported there")
            return []
        content = _EMBEDDED_READERS[media_type](RawFile(self.path, data, media_type))
        self.warnings += content.warnings
        text = content.text.rstrip("\n")
        marks = [each for each in content.marks if each.span.end <= len(text)]
        return [Fragment([text], len(text), marks)]

    def _refuse(self, name: str, why: str) -> None:
        self.warnings.append(f"It embeds another document ({name}), which {why}.")


def _main_part(package: OfficePackage) -> str:
    return package.related_parts("").get("officeDocument", "word/document.xml")


def walk_document(
    package: OfficePackage,
    path: Path,
    walker_type: type[DocumentWalker] = DocumentWalker,
    *,
    may_be_empty: bool = False,
    within: EmbeddedDocuments | None = None,
) -> DocumentText:
    """Read the text of a document's body, notes and margins, in this order.

    Of a document `within` another Word shows no margins.

    Raises:
        InputError: If it is damaged, or holds no text.
    """
    main = _main_part(package)
    root = package.xml_root(main)
    body = root.find(f"{W}body") if root is not None else None
    if root is None or body is None:
        raise InputError(
            f"{path}: the document is damaged: it has no text part.",
            remedy="Open it in Word, save it under a new name and add that file.",
        )
    parts = package.related_parts(main)
    styles = Styles(package.xml_root(parts.get("styles", "")))
    numbering = Numbering(package.xml_root(parts.get("numbering", "")), styles)
    comments = CommentPlaces(_comments(package.xml_root(parts.get("comments", ""))))
    depth, left = (within.depth + 1, within.left) if within else (0, MAX_EMBEDDED)
    embedded = EmbeddedDocuments(package, main, path, depth, left)
    walker = walker_type(styles, numbering, comments, embedded.read)
    roots = {main: root}
    blocks = walker.blocks(body)
    for kind in ("footnotes", "endnotes"):
        notes = package.xml_root(parts.get(kind, ""))
        if notes is not None:
            roots[parts[kind]] = notes
        blocks += walker.notes(kind, notes)
    if not may_be_empty and not any(block.text.strip() for block in blocks):
        unread = [*embedded.warnings, *_unread_elements(roots)]
        raise InputError(
            f"{path}: the document holds no text{f'. {unread[0]}' if unread else '.'}",
            remedy="Open it in Word, save it under a new name and add that file."
            if unread
            else "If it shows scanned pages, print it to PDF and run text recognition (OCR).",
        )
    if within is None:
        blocks += _header_texts(package, main, walker)
    whole = join_fragments(blocks, "\n\n")
    if within is None:
        whole.add("\n")
    return DocumentText(whole, walker, main, parts, roots, embedded)


def _comments(root: _Element | None) -> dict[str, str]:
    if root is None:
        return {}
    comment_texts: dict[str, str] = {}
    for comment in root.iterfind(f"{W}comment"):
        paragraphs = comment.iter(f"{W}p")
        words = " ".join(
            "".join(text.text or "" for text in each.iter(f"{W}t")) for each in paragraphs
        )
        comment_texts[comment.get(f"{W}id", "")] = (
            f"{describe_change(comment)}: {' '.join(words.split())}"
        )
    return comment_texts


def _header_texts(package: OfficePackage, main: str, walker: DocumentWalker) -> Iterator[Fragment]:
    seen: set[str] = set()
    numbering = walker.numbering.fresh_copy()  # the margins share one count
    for name, mark in _MARGINS.items():
        for part in package.related_parts_of_kind(main, name):
            root = package.xml_root(part)
            if root is None:
                continue
            margin_walker = DocumentWalker(walker.styles, numbering)
            found = join_fragments(margin_walker.blocks(root), "\n")
            walker.authors |= margin_walker.authors
            walker.hidden |= margin_walker.hidden
            walker.struck |= margin_walker.struck
            walker.unread_fields += [
                kind for kind in margin_walker.unread_fields if kind not in _MARGIN_FIELDS
            ]
            if found.text.strip() and found.text not in seen:
                seen.add(found.text)
                found.mark(mark, 0)
                yield found


def _warnings(
    walker: DocumentWalker, parts: Mapping[str, str], roots: Mapping[str, _Element]
) -> Iterator[str]:
    if walker.authors:
        names = ", ".join(sorted(walker.authors))
        yield f"It has tracked changes ({names}), read as if all were accepted."
    if walker.hidden:
        yield "It holds hidden text, which is read and marked."
    if walker.struck:
        yield "It has words that are struck through, which are read and marked."
    if count := len(walker.comments.texts):
        yield f"It has {count} comment{'s' * (count > 1)}, kept separate from the text."
    if kinds := Counter(walker.unread_fields):
        count, names = kinds.total(), ", ".join(sorted(kinds))
        yield (
            f"It has {count} field{'s' * (count > 1)} without a stored result ({names}), "
            "which were not read: update the fields in Word."
        )
    unfilled = (each for root in roots.values() for each in root.iter(f"{W}showingPlcHdr"))
    if count := sum(1 for _ in unfilled):
        yield (
            f"It has {count} field{'s' * (count > 1)} to fill in that show{'s' * (count == 1)} "
            "only a placeholder, which is read as text."
        )
    yield from _unread_elements(roots)
    for kind, name in (("chart", "a chart"), ("diagramData", "a diagram")):
        if kind in parts:
            yield f"It has {name}, whose words are not read."
    if not {"oleObject", "package"}.isdisjoint(parts):
        yield "It embeds another document, which is not read."


def _unread_elements(roots: Mapping[str, _Element]) -> Iterator[str]:
    for tag, name in ((f"{W}control", "ActiveX control"), (f"{W}subDoc", "linked document")):
        if count := sum(1 for root in roots.values() for _ in root.iter(tag)):
            verb = "is" if count == 1 else "are"
            yield f"It has {count} {name}{'s' * (count > 1)}, which {verb} not read."


READER = Reader(name="docx", version=8, media_types=frozenset({MediaType.DOCX}), read=_read_docx)
