"""Web pages: what a browser would show, as text."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from fourcorners.documents.document import STRUCK_THROUGH, Mark, MarkKind
from fourcorners.documents.encoding import DecodedText, decode_html
from fourcorners.documents.fragment import END_OF_DIRECTION, RIGHT_TO_LEFT, Fragment, Table
from fourcorners.documents.html.css import ComputedStyle, ElementKey, StyleSheet, element_key
from fourcorners.documents.html.elements import (
    ELEMENTS,
    HtmlList,
    SelectField,
    input_words,
    parse_integer,
)
from fourcorners.documents.html.tokenizer import tokenize_html
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.text.span import Span

MAX_NESTED_TABLES = 20  # below this depth a table's cells are paragraphs
MAX_DEPTH = 10_000  # depth of open elements; deeper ones change nothing

_STYLE_TAG = re.compile(r"<style\b", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_BLOCKS, _IGNORED_TAGS, _VOID = (
    frozenset(ELEMENTS[kind].split()) for kind in ("blocks", "not_shown", "void")
)
_IMPLIED_ENDS = {
    tag: (frozenset(ended.split()), frozenset(limits.split()))
    for tag, (ended, limits) in ELEMENTS["implied_ends"].items()
}
_PARAGRAPHS, _PARAGRAPH_LIMITS = frozenset("p"), frozenset({"table", "td", "th", "li", "div"})
_FRAMES = frozenset({"iframe", "frame", "object", "embed"})
_FRAME_SOURCES = frozenset({"src", "srcdoc", "data"})
_DATA_PICTURE = re.compile(r"data:image/(?!svg)[\w.+-]{1,20};base64,", re.IGNORECASE)
_MIN_PICTURE_SIDE = 12  # pixels, below which a picture is a bullet or a line
MAX_PICTURES = 60  # of one page that are looked at
_HEADINGS = {f"h{level}": str(level) for level in range(1, 7)}
_DEFAULT_STYLE = ComputedStyle()


@dataclass(frozen=True, slots=True)
class HtmlText:
    """A page's text; `pictures` are the embedded image files that it shows."""

    text: Fragment
    warnings: tuple[str, ...]
    pictures: tuple[bytes, ...] = ()


def _read_html(file: RawFile) -> Content:
    return read_page(decode_html(file.data))


def read_page(decoded: DecodedText) -> Content:
    page = extract_text(decoded.text)
    page.text.add("\n" if len(page.text) else "")
    return Content.from_fragment(page.text, (*decoded.warnings, *page.warnings), page.pictures)


def extract_text(page: str) -> HtmlText:
    extractor = _TextExtractor(_style_sheet(page))
    for kind, text, attributes in tokenize_html(page):
        if kind == "text":
            extractor.add_words(text)
        elif kind == "start":
            extractor.open_element(text, attributes)
        else:
            extractor.close_element(text)
    found = extractor.finish()
    return HtmlText(found, tuple(extractor.warnings()), tuple(extractor.pictures))


def _style_sheet(page: str) -> StyleSheet:
    """Return all the page's rules, which also apply to what precedes them."""
    sheet, within = StyleSheet(), False
    if _STYLE_TAG.search(page):
        for kind, text, _ in tokenize_html(page):
            if within and kind == "text":
                sheet.add_rules(text)
            within = kind == "start" and text == "style"
    return sheet


@dataclass(slots=True)
class _OpenElement:
    """An open element, and what it changes for its descendants."""

    tag: str
    silent: bool = False
    style: ComputedStyle = _DEFAULT_STYLE
    preformatted: bool = False
    inserted: bool = False
    deleted: bool = False
    opening_text: str = ""  # "list", "table" or "cell", if it is collected as one
    heading: int = -1  # where its words begin


@dataclass(slots=True)
class _Flow:
    text: Fragment = field(default_factory=Fragment)
    line: Fragment = field(default_factory=Fragment)
    space: bool = False  # a space is needed before the next word of the line
    label: tuple[str, str] | None = None  # of the list item whose words come next
    deleted_text: list[str] = field(default_factory=list)  # marked as deleted, until their end

    def add_paragraph(self, words: Fragment) -> None:
        if len(self.text):
            self.text.add("\n\n")
        self.text.extend(words)


class _TextExtractor:
    def __init__(self, sheet: StyleSheet) -> None:
        self._sheet = sheet
        self._around: list[ElementKey] = []
        self._open: list[_OpenElement] = [_OpenElement("")]
        self._counts: dict[str, int] = {}
        self._flows: list[_Flow] = [_Flow()]
        self._tables: list[Table] = []
        self._lists: list[HtmlList] = []
        self._menu: SelectField | None = None
        self._hint = ""  # of the text area that is open, while nothing is in it
        self._hidden = self._deleted = self._struck = self._has_frames = False
        self.pictures: dict[bytes, None] = {}
        self._linked_pictures = 0

    def finish(self) -> Fragment:
        while len(self._open) > 1:
            self._close_last()
        self._end_paragraph()
        return self._flows[0].text

    def warnings(self) -> list[str]:
        sheet, added = self._sheet, self._sheet.added_words
        stated = {
            "It holds hidden text, which is read and marked.": self._hidden,
            "It has more style rules than are checked for hidden text.": sheet.overfull,
            "It has text marked as deleted, which is left out.": self._deleted,
            "It has words that are struck through, which are read and marked.": self._struck,
            "It shows other pages within it, which are not read.": self._has_frames,
            f"Its style sheet adds words (“{added}”), which are not read.": bool(added),
            "It embeds fonts: what its letters look like is not known.": sheet.has_own_fonts,
            f"It shows {self._linked_pictures} pictures that are not in the file.": (
                self._linked_pictures > 0
            ),
        }
        return [warning for warning, holds in stated.items() if holds]

    def open_element(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._menu is not None and tag in ("option", "optgroup"):
            self._menu.open_option(tag, attributes)
            return
        if tag in _IMPLIED_ENDS:
            self._close_matching(*_IMPLIED_ENDS[tag])
        if tag in _BLOCKS:
            shows = not self._open[-1].silent  # else it cannot end a paragraph that shows
            if shows and tag != "p":
                self._close_matching(_PARAGRAPHS, _PARAGRAPH_LIMITS)
            elif shows and self._open[-1].tag == "p":
                self._close_last()
            self._end_paragraph()
        if tag == "br":
            self._break_line()
        elif tag == "input":
            self._add_field(input_words(attributes))
        elif tag == "img":
            self._add_picture(attributes)
        elif tag in _FRAMES and not self._open[-1].silent:
            self._has_frames = self._has_frames or not _FRAME_SOURCES.isdisjoint(attributes)
        if tag in _VOID or len(self._open) > MAX_DEPTH:
            return
        above = self._open[-1]
        element = _OpenElement(
            tag,
            silent=above.silent or (tag in _IGNORED_TAGS and tag != "head"),
            style=self._sheet.compute_style(tag, attributes, above.style, self._around),
            preformatted=above.preformatted or tag == "pre",
            inserted=above.inserted or tag == "ins",
            deleted=above.deleted or (tag == "del" and not above.silent),
        )
        self._deleted = self._deleted or tag == "del"
        self._open.append(element)
        self._around.append(element_key(tag, attributes))
        self._counts[tag] = self._counts.get(tag, 0) + 1
        if not element.silent:
            self._apply_element(element, attributes)

    def _apply_element(self, element: _OpenElement, attributes: Mapping[str, str]) -> None:
        tag = element.tag
        if tag in ("ol", "ul", "menu", "dir"):
            element.opening_text = "list"
            self._lists.append(HtmlList.from_tag(tag, attributes))
        elif tag == "li":
            within = self._lists[-1] if self._lists else HtmlList("bullet", 0)
            self._flows[-1].label = within.item_label(attributes, max(1, len(self._lists)))
        elif tag == "select":
            self._menu = SelectField.from_attributes(attributes)
        elif tag == "textarea":
            self._hint = attributes.get("placeholder", "")
        elif tag in _HEADINGS:
            element.heading = len(self._flows[-1].text)
        elif tag == "table" and len(self._tables) < MAX_NESTED_TABLES:
            element.opening_text = "table"
            self._tables.append(Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].start_row()
        elif tag in ("td", "th") and len(self._flows) == len(self._tables):
            element.opening_text = "cell"
            self._flows.append(_Flow())

    def close_element(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end_paragraph()
        if not self._counts.get(tag) or tag in _VOID:
            if tag == "br":
                self._break_line()
            return
        if tag != "table" and self._crosses_table(tag):
            return
        while self._open[-1].tag != tag:
            self._close_last()
        self._close_last()

    def add_words(self, data: str) -> None:
        element = self._open[-1]
        if element.deleted:
            self._flows[-1].deleted_text.append(data)
        if element.silent or not data:
            return
        if self._menu is not None:
            self._menu.add_words(data)
            return
        self._hint = "" if data.strip() else self._hint
        flow = self._flows[-1]
        data = data.replace("\0", "\ufffd").replace("\xad", "")
        if element.preformatted:
            self._add_text(data)
            return
        words = _SPACE.sub(" ", data)
        if words[:1] == " " and len(flow.line):
            flow.space = True
        if bare := words.strip(" "):
            self._add_text(bare)
            flow.space = words[-1] == " "

    def _add_text(self, words: str) -> None:
        flow, element = self._flows[-1], self._open[-1]
        if flow.label is not None:
            label, level = flow.label
            flow.label = None
            flow.line.add(label, MarkKind.NUMBER, level)
            flow.line.add(" ")
        elif flow.space:
            flow.line.add(" ")
        flow.space = False
        start = len(flow.line)
        if element.style.is_turned:
            words = f"{RIGHT_TO_LEFT}{words}{END_OF_DIRECTION}"
        flow.line.add(words)
        if element.inserted:
            flow.line.mark(MarkKind.INSERTED, start)
        if self._counts.get("b") or self._counts.get("strong"):
            flow.line.mark(MarkKind.BOLD, start)
        if element.style.struck:
            self._struck = True
            flow.line.mark(MarkKind.DELETED, start, STRUCK_THROUGH)
        if element.style.is_hidden:
            self._hidden = True
            flow.line.mark(MarkKind.HIDDEN, start)

    def _show_field(self, closed: str) -> None:
        if closed == "select" and self._menu is not None:
            chosen, self._menu = self._menu.text(), None
            self._add_field(chosen)
        elif closed == "textarea":
            self._add_field(self._hint)
            self._hint = ""

    def _add_field(self, words: str) -> None:
        if words and not self._open[-1].silent:
            flow = self._flows[-1]
            flow.space = bool(len(flow.line))
            self._add_text(words)
            flow.space = True

    def _add_picture(self, attributes: Mapping[str, str]) -> None:
        if self._open[-1].silent or self._open[-1].style.displays_none:
            return
        source = attributes.get("src", "")
        embedded = _DATA_PICTURE.match(source)
        sides = [parse_integer(attributes.get(side)) for side in ("width", "height")]
        if any(side is not None and side < _MIN_PICTURE_SIDE for side in sides):
            return
        if embedded is None:
            self._linked_pictures += bool(source) and not source.lower().startswith("cid:")
        elif len(self.pictures) < MAX_PICTURES:
            with suppress(ValueError):  # invalid base64 shows nothing
                self.pictures[b64decode(source[embedded.end() :], validate=False)] = None

    def _break_line(self) -> None:
        flow = self._flows[-1]
        if self._open[-1].silent:
            if self._open[-1].deleted:
                flow.deleted_text.append(" ")
            return
        if len(flow.line):
            flow.line.add("\n")
        flow.space = False

    def _end_paragraph(self) -> None:
        flow = self._flows[-1]
        words = flow.line.text
        if words.strip():
            flow.add_paragraph(flow.line)
        else:  # deleted text leaves its marks, even if nothing else is there
            flow.text.marks += [
                Mark(mark.kind, Span(len(flow.text), len(flow.text)), mark.detail)
                for mark in flow.line.marks
                if mark.kind is MarkKind.DELETED
            ]
        flow.line = Fragment()
        flow.space = False

    def _close_matching(self, tags: frozenset[str], limits: frozenset[str]) -> None:
        """Close the elements up to the nearest of these, unless a limit comes first."""
        if not any(self._counts.get(tag) for tag in tags):
            return
        for at in range(len(self._open) - 1, max(0, len(self._open) - 64), -1):
            if self._open[at].tag in limits:
                return
            if self._open[at].tag in tags:
                while len(self._open) > at:
                    self._close_last()
                return

    def _crosses_table(self, tag: str) -> bool:
        """Return whether the element to be closed is outside the current cell."""
        cell = ("tr", "tbody", "thead", "tfoot")
        for element in reversed(self._open[-64:]):
            if element.tag == tag:
                return False
            if element.tag == "table" or (element.tag in ("td", "th") and tag not in cell):
                return True
        return False

    def _close_last(self) -> None:
        self._show_field(self._open[-1].tag)
        element = self._open.pop()
        self._around.pop()
        self._counts[element.tag] -= 1
        if element.deleted and not self._open[-1].deleted:
            flow = self._flows[-1]
            if words := " ".join("".join(flow.deleted_text).split()):
                flow.line.mark_point(MarkKind.DELETED, words)
            flow.deleted_text = []
        if element.silent:
            return
        if element.tag in _BLOCKS:
            self._end_paragraph()
        if element.opening_text == "list":
            self._lists.pop()
        elif element.tag == "li":
            self._flows[-1].label = None
        elif element.heading >= 0:
            text = self._flows[-1].text
            start = element.heading
            if start and start < len(text):
                start += 2  # the blank line before it
            text.mark(MarkKind.HEADING, start, _HEADINGS[element.tag])
        elif element.opening_text == "cell":
            self._tables[-1].add_cell(self._flows.pop().text)
        elif element.opening_text == "table":
            made = self._tables.pop().text()
            if len(made):
                self._flows[-1].add_paragraph(made)


READER = Reader(name="html", version=5, media_types=frozenset({MediaType.HTML}), read=_read_html)
