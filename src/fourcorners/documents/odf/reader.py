"""OpenDocument texts (.odt), with the numbers that the office program computes.

The text is the accepted version: a deletion, which the file stores separately, is an empty mark at
its place, whose detail holds its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fourcorners.documents.document import STRUCK_THROUGH, MarkKind
from fourcorners.documents.fragment import Fragment, Table, footnote, join_fragments
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.odf.styles import (
    DEFAULT_STYLE,
    LEVELS,
    TEXT,
    Counters,
    Numbering,
    Styles,
    TextStyle,
    parse_number,
)
from fourcorners.documents.office_package import OfficePackage
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_FORM = "{urn:oasis:names:tc:opendocument:xmlns:form:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_MARGINS = {
    f"{_STYLE}{kind}{pages}": mark
    for kind, mark in (("header", MarkKind.HEADER), ("footer", MarkKind.FOOTER))
    for pages in ("", "-left", "-first")
}
_DC = "{http://purl.org/dc/elements/1.1/}"
_MAX_BLANKS = 1_000  # of one run of blanks
_MAX_REPEATED = 100  # of one cell
_SPACE = re.compile(r"[ \t\r\n]+")
_IGNORED_BY_NAMESPACE = {
    TEXT: "tracked-changes sequence-decls variable-decls user-field-decls dde-connection-decls "
    "note-citation bookmark alphabetical-index-mark toc-mark script",
    _OFFICE: "annotation annotation-end forms",
    _TABLE: "covered-table-cell table-columns table-column",
    _SVG: "title desc",
}
_IGNORED = frozenset(
    space + name for space, names in _IGNORED_BY_NAMESPACE.items() for name in names.split()
)
_CHARACTERS = {f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n"}


def _read_odt(file: RawFile) -> Content:
    package = OfficePackage(file.data, file.path)
    manifest = package.xml_root("META-INF/manifest.xml")
    if manifest is not None and any(
        node.tag.endswith("}encryption-data") for node in manifest.iter()
    ):
        raise InputError(
            f"{file.path}: the document is locked with a password.",
            remedy="Open it with the password, save it without one and add that file.",
        )
    root, styles_root = package.xml_root("content.xml"), package.xml_root("styles.xml")
    body = root.find(f"{_OFFICE}body/{_OFFICE}text") if root is not None else None
    if root is None or body is None:
        raise InputError(
            f"{file.path}: the document is damaged: it has no text part.",
            remedy="Open it in LibreOffice, save it under a new name and add that file.",
        )
    styles = Styles(styles_root, root)
    walker = _DocumentWalker(
        Numbering(styles_root, root), styles, *_tracked_changes(body), _control_values(body)
    )
    position = _ListPosition(text_style=styles.page_style)
    blocks = [
        *walker.blocks(body, position),
        *walker.notes,
        *_margins(walker, styles_root, position),
    ]
    whole = join_fragments([block for block in blocks if block.text.strip()], "\n\n")
    names = (node.get(f"{_XLINK}href", "") for node in body.iter(f"{_DRAW}image"))
    pictures = package.pictures(each.removeprefix("./") for each in names)
    if not whole.text.strip() and not pictures:
        raise InputError(
            f"{file.path}: the document holds no text.",
            remedy="If it shows scanned pages, print it to PDF and add that.",
        )
    whole.add("\n")
    return Content.from_fragment(whole, _warnings(walker, body), pictures)


def _margins(
    walker: _DocumentWalker, styles_root: _Element | None, position: _ListPosition
) -> Iterator[Fragment]:
    """Yield each header and footer of the pages once."""
    seen: set[str] = set()
    pages = [] if styles_root is None else styles_root.iter(f"{_STYLE}master-page")
    for part in (part for page in pages for part in page):
        kind = _MARGINS.get(part.tag)
        found = join_fragments(walker.blocks(part, position), "\n") if kind else Fragment()
        if kind and found.text.strip() and found.text not in seen:
            seen.add(found.text)
            found.mark(kind, 0)
            yield found


def _control_values(body: _Element) -> dict[str, str]:
    """Return what the controls of forms show, by id."""
    shown: dict[str, str] = {}
    for node in body.iter(f"{_FORM}*"):
        names = (f"{_FORM}label", f"{_FORM}current-value", f"{_FORM}value")
        words = [node.get(name, "") for name in names[: 2 if node.get(names[1]) else 3]]
        chosen = (
            each.get(f"{_FORM}label", "")
            for each in node.iter(f"{_FORM}option")
            if each.get(f"{_FORM}current-selected") == "true"
        )
        key = node.get(f"{_FORM}id") or node.get(f"{_XML}id")
        if key:
            shown[key] = " ".join(filter(None, dict.fromkeys([*words, *chosen])))
    return shown


def _warnings(walker: _DocumentWalker, body: _Element) -> Iterator[str]:
    if body.find(f"{TEXT}tracked-changes") is not None:
        names = ", ".join(sorted({name for name in walker.authors.values() if name})) or "unknown"
        yield f"It has tracked changes ({names}), read as if all were accepted."
    if walker.has_hidden_text:
        yield "It holds hidden text, which is read and marked."
    if walker.has_struck_text:
        yield "It has words that are struck through, which are read and marked."
    comments = sum(1 for _ in body.iter(f"{_OFFICE}annotation"))
    if comments:
        several = "s" if comments > 1 else ""
        yield f"It has {comments} comment{several}, kept separate from the text."


def _tracked_changes(body: _Element) -> tuple[dict[str, str], dict[str, str]]:
    """Return the authors of insertions, and the words and authors of deletions, by id."""
    inserted: dict[str, str] = {}
    deleted: dict[str, str] = {}
    for region in body.iterfind(f"{TEXT}tracked-changes/{TEXT}changed-region"):
        name = region.get(f"{TEXT}id", "")
        creator = region.findtext(f".//{_DC}creator") or ""
        author = creator or "unknown"
        if region.find(f"{TEXT}insertion") is not None:
            inserted[name] = author
        else:
            inserted.setdefault("", creator)
        for deletion in region.iterfind(f"{TEXT}deletion"):
            paragraphs = deletion.iter(f"{TEXT}p", f"{TEXT}h")
            words = " ".join("".join(map(str, each.itertext())) for each in paragraphs)
            if words.strip():
                deleted[name] = f"{author}: {' '.join(words.split())}"
    return inserted, deleted


@dataclass(frozen=True, slots=True)
class _ListPosition:
    counters: Counters | None = None
    style: str = ""
    level: int = -1
    text_style: TextStyle = DEFAULT_STYLE


@dataclass(slots=True)
class _DocumentWalker:
    numbering: Numbering
    styles: Styles
    authors: dict[str, str]
    deleted: dict[str, str]
    controls: dict[str, str]
    has_hidden_text: bool = False
    has_struck_text: bool = False
    notes: list[Fragment] = field(default_factory=list)
    boxes: list[Fragment] = field(default_factory=list)
    open_insertions: dict[str, str] = field(default_factory=dict)  # changes that are open, by id
    label: tuple[str, int] | None = None  # of the list item whose first paragraph comes next

    def blocks(self, parent: _Element, place: _ListPosition) -> list[Fragment]:
        fragments: list[Fragment] = []
        for child in parent:
            tag = child.tag
            if tag in _IGNORED:
                continue
            if tag in (f"{TEXT}p", f"{TEXT}h"):
                fragments += self._read_paragraph(child, place)
            elif tag == f"{TEXT}list":
                fragments += self._read_list(child, place)
            elif tag == f"{_TABLE}table":
                fragments.append(self._read_table(child, place))
            elif tag in (f"{TEXT}change-start", f"{TEXT}change-end"):
                self._track_change(child)
            elif tag == f"{TEXT}section":
                text_style = self.styles.derive(
                    place.text_style, "section", child.get(f"{TEXT}style-name")
                )
                if child.get(f"{TEXT}display") == "none":
                    text_style = replace(text_style, hidden=True)
                fragments += self.blocks(child, replace(place, text_style=text_style))
            else:
                fragments += self.blocks(child, place)
        return fragments

    def _read_list(self, node: _Element, place: _ListPosition) -> list[Fragment]:
        style = node.get(f"{TEXT}style-name") or place.style
        counters = place.counters
        if counters is None or style != place.style:
            counters = self.numbering.open_list(node, style)
        within = _ListPosition(counters, style, place.level + 1, place.text_style)
        fragments: list[Fragment] = []
        for item in node:
            if item.tag not in (f"{TEXT}list-item", f"{TEXT}list-header"):
                continue
            first = next(iter(item), None)
            opens = first is not None and first.tag in (f"{TEXT}p", f"{TEXT}h")
            if opens and item.tag == f"{TEXT}list-item":
                start = parse_number(item.get(f"{TEXT}start-value"))
                label = self.numbering.item_label(counters, style, within.level, start)
                self.label = (label, within.level) if label else None
            fragments += self.blocks(item, within)
            self.label = None
        return fragments

    def _read_paragraph(self, node: _Element, place: _ListPosition) -> list[Fragment]:
        label, self.label = self.label, None
        heading = node.tag == f"{TEXT}h"
        level = min(max(parse_number(node.get(f"{TEXT}outline-level")) or 1, 1), LEVELS)
        if heading and place.counters is None and node.get(f"{TEXT}is-list-header") != "true":
            start = parse_number(node.get(f"{TEXT}start-value"))
            number = self.numbering.heading_label(level - 1, start)
            label = (number, level - 1) if number else None
        words = Fragment()
        style_name = node.get(f"{TEXT}style-name")
        text_style = self.styles.derive(place.text_style, "paragraph", style_name)
        self._add_inline(node, words, text_style)
        paragraph = Fragment()
        if words.text.strip():
            if label is not None:
                paragraph.add(label[0], MarkKind.NUMBER, str(label[1] + 1))
                paragraph.add(" ")
            paragraph.extend(words)
            if heading:
                paragraph.mark(MarkKind.HEADING, 0, str(level))
        boxes, self.boxes = self.boxes, []
        return [each for each in (paragraph, *boxes) if each.text.strip()]

    def _add_inline(self, node: _Element, words: Fragment, text_style: TextStyle) -> None:
        if node.find(f"{TEXT}hidden-paragraph[@{TEXT}is-hidden='true']") is not None:
            text_style = replace(text_style, hidden=True)
        hidden = text_style.is_invisible
        start = len(words)
        self._add_text(node.text, words, hidden=hidden)
        self._mark_struck(words, start, text_style)
        for child in node:
            tag = child.tag
            if tag == f"{TEXT}s":
                count = min(parse_number(child.get(f"{TEXT}c")) or 1, _MAX_BLANKS)
                self._append(" " * max(count, 1), words, hidden=hidden)
            elif tag in _CHARACTERS:
                self._append(_CHARACTERS[tag], words, hidden=hidden)
            elif self._add_annotation(child, words):
                pass
            elif tag == f"{TEXT}note":
                self._add_note(child, words)
            elif tag == f"{_DRAW}text-box":
                before, self.boxes = self.boxes, []  # a nested paragraph takes the existing ones
                before += self.blocks(child, _ListPosition(text_style=text_style))
                self.boxes = before
            elif tag == f"{TEXT}hidden-text":
                self._append(child.get(f"{TEXT}string-value", ""), words, hidden=True)
            elif tag == f"{_DRAW}control":
                self._append(self.controls.get(child.get(tag, ""), ""), words, hidden=hidden)
            elif tag == f"{TEXT}ruby-text" and child.text:
                self._append(f" ({child.text})", words, hidden=hidden)
            elif tag not in _IGNORED:
                self._add_inline(child, words, self._inline_style(child, text_style))
            start = len(words)
            self._add_text(child.tail, words, hidden=hidden)
            self._mark_struck(words, start, text_style)

    def _mark_struck(self, words: Fragment, start: int, text_style: TextStyle) -> None:
        if text_style.struck and start < len(words):
            self.has_struck_text = True
            words.mark(MarkKind.DELETED, start, STRUCK_THROUGH)

    def _add_annotation(self, node: _Element, words: Fragment) -> bool:
        if node.tag in (f"{TEXT}change-start", f"{TEXT}change-end"):
            self._track_change(node)
        elif node.tag == f"{TEXT}change":
            deleted_text = self.deleted.get(node.get(f"{TEXT}change-id", ""))
            if deleted_text is not None:
                words.mark_point(MarkKind.DELETED, deleted_text)
        elif node.tag == f"{_OFFICE}annotation":
            notes = ("".join(map(str, each.itertext())) for each in node.iter(f"{TEXT}p"))
            words.mark_point(MarkKind.COMMENT, " ".join(" ".join(notes).split()))
        else:
            return False
        return True

    def _inline_style(self, node: _Element, text_style: TextStyle) -> TextStyle:
        if style := node.get(f"{_DRAW}style-name"):
            return self.styles.derive(text_style, "graphic", style)
        return self.styles.derive(text_style, "text", node.get(f"{TEXT}style-name"))

    def _add_text(self, text: str | None, words: Fragment, *, hidden: bool) -> None:
        """Add characters from the file, with each run of white space as one blank."""
        if not text:
            return
        text = _SPACE.sub(" ", text)
        last = words.pieces[-1][-1:] if words.pieces else ""
        if text[0] == " " and last in ("", " ", "\n", "\t"):
            text = text[1:]
        self._append(text, words, hidden=hidden)

    def _append(self, text: str, words: Fragment, *, hidden: bool) -> None:
        start = len(words)
        words.add(text)
        for author in dict.fromkeys(self.open_insertions.values()):
            words.mark(MarkKind.INSERTED, start, author)
        if hidden and text:
            self.has_hidden_text = True
            words.mark(MarkKind.HIDDEN, start)

    def _track_change(self, node: _Element) -> None:
        name = node.get(f"{TEXT}change-id", "")
        if node.tag == f"{TEXT}change-end":
            self.open_insertions.pop(name, None)
        elif name in self.authors:
            self.open_insertions[name] = self.authors[name]

    def _add_note(self, node: _Element, words: Fragment) -> None:
        body = node.find(f"{TEXT}note-body")
        if body is None:
            return
        number = len(self.notes) + 1
        words.add(f"[{number}]", MarkKind.NUMBER, "footnotes")
        self.notes.append(Fragment())  # its place: a note may contain others
        position = _ListPosition(text_style=self.styles.page_style)
        paragraphs = join_fragments(self.blocks(body, position), "\n")
        self.notes[number - 1] = footnote(number, paragraphs)

    def _read_table(self, node: _Element, place: _ListPosition) -> Fragment:
        table = Table()
        whole = self.styles.derive(place.text_style, "table", node.get(f"{_TABLE}style-name"))
        for row in _children(node, f"{_TABLE}table-row"):
            table.start_row()
            of_row = self.styles.derive(whole, "table-row", row.get(f"{_TABLE}style-name"))
            for cell in _children(row, f"{_TABLE}table-cell"):
                text_style = self.styles.derive(
                    of_row, "table-cell", cell.get(f"{_TABLE}style-name")
                )
                made = join_fragments(self.blocks(cell, _ListPosition(text_style=text_style)), "\n")
                times = parse_number(cell.get(f"{_TABLE}number-columns-repeated")) or 1
                for _ in range(min(max(times, 1), _MAX_REPEATED) if len(made) else 1):
                    table.add_cell(made)
        return table.text()


def _children(parent: _Element, tag: str) -> Iterator[_Element]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag not in _IGNORED and child.tag != f"{_TABLE}table":
            yield from _children(child, tag)


READER = Reader(name="odt", version=6, media_types=frozenset({MediaType.ODT}), read=_read_odt)
