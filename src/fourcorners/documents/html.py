"""Web pages: what a browser would show, as text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.documents.encoding import Decoded, decode, decode_as
from fourcorners.documents.fragment import Fragment
from fourcorners.documents.hiding import Around, Look, Sheet, named
from fourcorners.documents.numerals import numeral
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.sniff import MediaType
from fourcorners.documents.table_text import Table
from fourcorners.documents.tags import Start, Words, tags
from fourcorners.text.span import Span

MAX_NESTED_TABLES = 20  # below this depth a table's cells are paragraphs
MAX_DEPTH = 10_000  # of open elements whose end is awaited; those further in change nothing

_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_STYLED = re.compile(r"<style\b", re.IGNORECASE)
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?([a-z]+(?:-[a-z]+)*)", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_HEADINGS = {f"h{level}": str(level) for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset "  # noqa: SIM905
    "figcaption figure footer form header hr legend li main menu nav ol p pre section summary "
    "table tbody tfoot thead tr td th caption ul option".split()
) | frozenset(_HEADINGS)
_SILENT = frozenset(
    "script style template title noscript noframes iframe object select head del desc metadata "  # noqa: SIM905
    "defs".split()
)
_VOID = frozenset(
    "area base br col embed frame hr img input link meta param source track wbr".split()  # noqa: SIM905
)
_STYLES = {
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "1": "decimal",
    "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter",
    "upper-alpha": "upperLetter",
    "upper-latin": "upperLetter",
    "lower-roman": "lowerRoman",
    "upper-roman": "upperRoman",
    "decimal": "decimal",
    "decimal-leading-zero": "decimalZero",
    "none": "none",
}
# A start tag that ends elements of its like, as far up as the nearest of the others.
_ENDS = {
    "li": (frozenset({"li"}), frozenset({"ol", "ul", "menu", "dir"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "tr": (frozenset({"tr", "td", "th"}), frozenset({"table"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "option": (frozenset({"option"}), frozenset({"select"})),
}
Attributes = dict[str, str]


_SHOWN = Look()


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page shows, with marks, and what a person should know of it."""

    text: Fragment
    warnings: tuple[str, ...]


def read_html(file: RawFile) -> Content:
    """Return what the page shows; hidden text is in it, marked."""
    decoded = decode_html(file.data)
    page = to_text(decoded.text)
    text = page.text
    if len(text):
        text.add("\n")
    marks = sorted(text.marks, key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
    return Content(text.text, marks=tuple(marks), warnings=(*decoded.warnings, *page.warnings))


def decode_html(data: bytes, charset: str = "") -> Decoded:
    """Return the page's characters by its byte order mark, by what is declared, or by its bytes.

    Raises:
        ValueError: If it is not text.
    """
    found = _META.search(data[:4096])
    for declared in (charset, found.group(1).decode("ascii") if found else ""):
        if declared.lower().replace("_", "-").startswith("utf-16"):
            continue  # what is read as ASCII up to here is no UTF-16
        decoded = decode_as(data, declared)
        if decoded is not None:
            return decoded
    return decode(data)


def to_text(page: str) -> PageText:
    """Return what a page shows."""
    walk = _Walk(_sheet(page))
    for each in tags(page):
        if isinstance(each, Words):
            walk.words(each.text)
        elif isinstance(each, Start):
            walk.start(each.name, each.attributes)
        else:
            walk.end(each.name)
    return PageText(walk.whole(), tuple(walk.warnings()))


def _sheet(page: str) -> Sheet:
    """Return the page's rules, wherever in it they stand: they hold for what is before them too."""
    sheet, within = Sheet(), False
    if _STYLED.search(page):
        for each in tags(page):
            if within and isinstance(each, Words):
                sheet.learn(each.text)
            within = isinstance(each, Start) and each.name == "style"
    return sheet


@dataclass(slots=True)
class _List:
    """A list that is open: how it counts."""

    style: str
    count: int
    step: int = 1


@dataclass(slots=True)
class _Element:
    """An element that is open, and what it has changed for those within it."""

    tag: str
    silent: bool = False
    look: Look = _SHOWN
    preformatted: bool = False
    inserted: bool = False
    deleted: bool = False
    opens: str = ""  # "list", "table" or "cell", where it is kept apart as one
    heading: int = -1  # where its words begin


@dataclass(slots=True)
class _Flow:
    """Paragraphs in the making: of the page, or of a cell."""

    text: Fragment = field(default_factory=Fragment)
    line: Fragment = field(default_factory=Fragment)
    space: bool = False  # a space is due before the next word of the line
    broken: bool = True  # the line begins a paragraph, not a line within one
    label: tuple[str, str] | None = None  # of the list item whose words come next
    gone: str = ""  # words marked as deleted, until their end


class _Walk:
    """The walk through a page, tag by tag."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._around = Around()
        self._open: list[_Element] = [_Element("")]
        self._counts: dict[str, int] = {}
        self._flows: list[_Flow] = [_Flow()]
        self._tables: list[Table] = []
        self._lists: list[_List] = []
        self._hidden = self._deleted = False

    def whole(self) -> Fragment:
        """Return the page; call it once, at the end."""
        while len(self._open) > 1:
            self._end_last()
        self._end_paragraph()
        return self._flows[0].text

    def warnings(self) -> list[str]:
        """Return what a person should know."""
        found = []
        if self._hidden:
            found.append("It holds hidden text, which is read and marked.")
        if self._sheet.overfull:
            found.append("It has more style rules than are checked for hidden text.")
        if self._deleted:
            found.append("It has text marked as deleted, which is left out.")
        return found

    def start(self, tag: str, attributes: Attributes) -> None:
        """Open an element."""
        for ended in _ENDS.get(tag, ())[:1]:
            self._end_like(ended, _ENDS[tag][1])
        if tag in _BLOCKS:
            if self._open[-1].silent:
                pass  # what does not show ends no paragraph that does
            elif tag != "p" and self._counts.get("p"):
                self._end_like(frozenset({"p"}), frozenset({"table", "td", "th", "li", "div"}))
            elif tag == "p" and self._open[-1].tag == "p":
                self._end_last()
            self._end_paragraph()
        if tag == "br":
            self._break()
        elif tag == "input":
            self._say_typed(attributes)
        if tag in _VOID or len(self._open) > MAX_DEPTH:
            return
        above = self._open[-1]
        element = _Element(
            tag,
            silent=above.silent or (tag in _SILENT and tag != "head"),
            look=self._sheet.look(tag, attributes, above.look, self._around),
            preformatted=above.preformatted or tag == "pre",
            inserted=above.inserted or tag == "ins",
            deleted=above.deleted or (tag == "del" and not above.silent),
        )
        self._deleted = self._deleted or tag == "del"
        self._open.append(element)
        self._around.enter(named(tag, attributes))
        self._counts[tag] = self._counts.get(tag, 0) + 1
        if not element.silent:
            self._begin(element, attributes)

    def _begin(self, element: _Element, attributes: Attributes) -> None:
        """Do what the element's kind asks for at its start."""
        tag = element.tag
        if tag in ("ol", "ul", "menu", "dir"):
            element.opens = "list"
            self._lists.append(_list(tag, attributes))
        elif tag == "li":
            self._flows[-1].label = self._label(attributes)
        elif tag in _HEADINGS:
            element.heading = len(self._flows[-1].text)
        elif tag == "table" and len(self._tables) < MAX_NESTED_TABLES:
            element.opens = "table"
            self._tables.append(Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].start_row()
        elif tag in ("td", "th") and len(self._flows) == len(self._tables):
            element.opens = "cell"
            self._flows.append(_Flow())

    def end(self, tag: str) -> None:
        """Close an element, and those within it that were left open."""
        if tag in _BLOCKS:
            self._end_paragraph()
        if not self._counts.get(tag) or tag in _VOID:
            if tag == "br":
                self._break()
            return
        if tag != "table" and self._beyond_a_table(tag):
            return
        while self._open[-1].tag != tag:
            self._end_last()
        self._end_last()

    def words(self, data: str) -> None:
        """Add words to the line."""
        element = self._open[-1]
        if element.deleted:
            self._flows[-1].gone += data
        if element.silent or not data:
            return
        flow = self._flows[-1]
        data = data.replace("\0", "\ufffd")
        if element.preformatted:
            self._say(data)
            return
        words = _SPACE.sub(" ", data)
        if words[0] == " " and len(flow.line):
            flow.space = True
        bare = words.strip(" ")
        if not bare:
            return
        self._say(bare)
        flow.space = words[-1] == " "

    def _say(self, words: str) -> None:
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
        flow.line.add(words)
        if element.inserted:
            flow.line.mark(MarkKind.INSERTED, start)
        if element.look.hidden:
            self._hidden = True
            flow.line.mark(MarkKind.HIDDEN, start)

    def _say_typed(self, attributes: Attributes) -> None:
        """Say what stands in a form field."""
        shown = attributes.get("type", "text").lower() in ("text", "date", "number", "email", "tel")
        if shown and attributes.get("value", "").strip() and not self._open[-1].silent:
            self._say(" ".join(attributes["value"].split()))

    def _label(self, attributes: Attributes) -> tuple[str, str] | None:
        """Count a list item, and return its number and level."""
        if not self._lists:
            return "\u2022", "1"
        within = self._lists[-1]
        level = str(len(self._lists))
        if within.style == "bullet":
            return "\u2022", level
        own = _integer(attributes.get("value"))
        within.count = within.count + within.step if own is None else own
        number = numeral(within.count, _STYLES.get(attributes.get("type", ""), within.style))
        return (f"{number}.", level) if number else None

    def _break(self) -> None:
        flow = self._flows[-1]
        if self._open[-1].silent:
            flow.gone += " " * self._open[-1].deleted
            return
        if len(flow.line):
            flow.line.add("\n")
        flow.space = False

    def _end_paragraph(self) -> None:
        flow = self._flows[-1]
        words = flow.line.text
        if words.strip():
            if len(flow.text):
                flow.text.add("\n\n")
            flow.text.extend(flow.line)
        else:  # what was deleted leaves its marks, though nothing else is there
            flow.text.marks += [
                Mark(mark.kind, Span(len(flow.text), len(flow.text)), mark.detail)
                for mark in flow.line.marks
                if mark.kind is MarkKind.DELETED
            ]
        flow.line = Fragment()
        flow.space = False

    def _end_like(self, tags: frozenset[str], limits: frozenset[str]) -> None:
        """Close the elements up to the nearest of these, unless a limit stands before it."""
        if not any(self._counts.get(tag) for tag in tags):
            return
        for at in range(len(self._open) - 1, max(0, len(self._open) - 64), -1):
            if self._open[at].tag in limits:
                return
            if self._open[at].tag in tags:
                while len(self._open) > at:
                    self._end_last()
                return

    def _beyond_a_table(self, tag: str) -> bool:
        """Tell whether the element to be closed stands outside of the cell we are in."""
        cell = ("tr", "tbody", "thead", "tfoot")
        for element in reversed(self._open[-64:]):
            if element.tag == tag:
                return False
            if element.tag in ("td", "th") and tag not in cell:
                return True
            if element.tag == "table":
                return True
        return False

    def _end_last(self) -> None:
        element = self._open.pop()
        self._around.leave()
        self._counts[element.tag] -= 1
        if element.deleted and not self._open[-1].deleted:
            flow = self._flows[-1]
            if flow.gone.strip():
                flow.line.point(MarkKind.DELETED, " ".join(flow.gone.split()))
            flow.gone = ""
        if element.silent:
            return
        if element.tag in _BLOCKS:
            self._end_paragraph()
        if element.opens == "list":
            self._lists.pop()
        elif element.tag == "li":
            self._flows[-1].label = None
        elif element.heading >= 0:
            text = self._flows[-1].text
            start = element.heading
            if start and start < len(text):
                start += 2  # the blank line before it
            text.mark(MarkKind.HEADING, start, _HEADINGS[element.tag])
        elif element.opens == "cell":
            self._tables[-1].add_cell(self._flows.pop().text)
        elif element.opens == "table":
            self._end_table()

    def _end_table(self) -> None:
        table = self._tables.pop()
        flow = self._flows[-1]
        made = table.text()
        if len(made):
            if len(flow.text):
                flow.text.add("\n\n")
            flow.text.extend(made)


def _list(tag: str, attributes: Attributes) -> _List:
    said = _LIST_STYLE.search(attributes.get("style", ""))
    style = _STYLES.get(said.group(1).lower()) if said else None
    if style == "none":
        return _List("none", 0)
    if tag != "ol":
        return _List(style or "bullet", 0)
    start = _integer(attributes.get("start"))
    step = -1 if "reversed" in attributes else 1
    style = style or _STYLES.get(attributes.get("type", ""), "decimal")
    return _List(style, (1 if start is None else start) - step, step)


def _integer(value: str | None) -> int | None:
    found = re.fullmatch(r"\s*([+-]?\d{1,6})\s*", value or "")
    return int(found.group(1)) if found else None


READER = Reader(name="html", version=3, media_types=frozenset({MediaType.HTML}), read=read_html)
