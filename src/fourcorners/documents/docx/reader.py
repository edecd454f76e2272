"""Word documents (.docx), with the clause numbers that Word computes.

The text is the accepted version: insertions are in it (marked), deletions are not (an empty mark
holds their words), moved text appears once, at its new place. Paragraphs are separated by an empty
line, rows of a table by a line end, its cells by " | ". Footnotes follow at the end, and then the
pages' headers and footers, each once. The words of comments are in the detail of their marks, not
in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx.numbering import Numbering
from fourcorners.documents.docx.resolved_changes import describe_change
from fourcorners.documents.docx.styles import Styles, W
from fourcorners.documents.docx.walker import DocumentWalker
from fourcorners.documents.fragment import Fragment, join_fragments
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.office_package import OfficePackage
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element

_MARGINS = {"header": MarkKind.HEADER, "footer": MarkKind.FOOTER}


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


def read_docx(file: RawFile) -> Content:
    package = OfficePackage(file.data, file.path)
    main = _main_part(package)
    pictures = package.pictures(package.related_parts_of_kind(main, "image"))
    found = walk_document(package, file.path, may_be_empty=bool(pictures))
    return Content.from_fragment(found.text, _warnings(found.walker, found.parts), pictures)


def _main_part(package: OfficePackage) -> str:
    return package.related_parts("").get("officeDocument", "word/document.xml")


def walk_document(
    package: OfficePackage,
    path: Path,
    walker_type: type[DocumentWalker] = DocumentWalker,
    *,
    may_be_empty: bool = False,
) -> DocumentText:
    """Read the text of a document's body, notes and margins, in this order.

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
    comments = _comments(package.xml_root(parts.get("comments", "")))
    walker = walker_type(styles, numbering, comments)
    roots = {main: root}
    blocks = walker.blocks(body)
    for kind in ("footnotes", "endnotes"):
        notes = package.xml_root(parts.get(kind, ""))
        if notes is not None:
            roots[parts[kind]] = notes
        blocks += walker.notes(kind, notes)
    if not may_be_empty and not any(block.text.strip() for block in blocks):
        raise InputError(
            f"{path}: the document holds no text.",
            remedy="If it shows scanned pages, print it to PDF and run text recognition (OCR).",
        )
    blocks += _header_texts(package, main, walker)
    whole = join_fragments(blocks, "\n\n")
    whole.add("\n")
    return DocumentText(whole, walker, main, parts, roots)


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
            if found.text.strip() and found.text not in seen:
                seen.add(found.text)
                found.mark(mark, 0)
                yield found


def _warnings(walker: DocumentWalker, parts: Mapping[str, str]) -> Iterator[str]:
    if walker.authors:
        names = ", ".join(sorted(walker.authors))
        yield f"It has tracked changes ({names}), read as if all were accepted."
    if walker.hidden:
        yield "It holds hidden text, which is read and marked."
    if walker.struck:
        yield "It has words that are struck through, which are read and marked."
    if walker.comments:
        count = len(walker.comments)
        yield f"It has {count} comment{'s' * (count > 1)}, kept separate from the text."
    if not {"aFChunk", "oleObject", "package"}.isdisjoint(parts):
        yield "It embeds another document, which is not read."


READER = Reader(name="docx", version=6, media_types=frozenset({MediaType.DOCX}), read=read_docx)
