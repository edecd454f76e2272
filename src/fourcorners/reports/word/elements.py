"""WordprocessingML by hand: elements, text that stays text, fields, bookmarks and links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from fourcorners.reports.lines import is_right_to_left
from fourcorners.reports.tree import Run, Tone
from fourcorners.text.invisible_characters import show_invisible

if TYPE_CHECKING:
    from lxml.etree import _Element

# The character style of each tone, by name.
TONE_STYLES: Final[Mapping[Tone, str]] = {
    Tone.STRONG: "Strong",
    Tone.QUIET: "Quiet",
    Tone.HIGH: "Severity High",
    Tone.MEDIUM: "Severity Medium",
    Tone.LOW: "Severity Low",
    Tone.WARNING: "Warning Text",
    Tone.ADDED: "Added Words",
    Tone.REMOVED: "Removed Words",
}
LINK_STYLE: Final = "Hyperlink"
# What XML 1.0 does not allow and `visible` does not name already: nothing known, so a net below.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(tag: str, **attributes: str | int) -> _Element:
    """Return an element of the main namespace; attributes are of it too."""
    from docx.oxml.ns import qn
    from docx.oxml.parser import OxmlElement

    made = OxmlElement(f"w:{tag}")
    for name, value in attributes.items():
        made.set(qn(f"w:{name}"), str(value))
    return made


def parent_element(tag: str, *children: _Element, **attributes: str | int) -> _Element:
    made = element(tag, **attributes)
    made.extend(children)
    return made


def run(text: str, style: str = "") -> _Element:
    """Return a run: its words are text whatever they look like, and a line end breaks the line."""
    properties = []
    if style:
        properties.append(element("rStyle", val=style))
    if is_right_to_left(text):
        properties.append(element("rtl"))
    made = element("r")
    if properties:
        made.append(parent_element("rPr", *properties))
    for at, piece in enumerate(_shown(text).split("\n")):
        if at:
            made.append(element("br"))
        if piece:
            made.append(_text("t", piece))
    return made


def _shown(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"⟦U+{ord(found.group()):04X}⟧", show_invisible(text))


def _text(tag: str, words: str) -> _Element:
    made = element(tag)
    made.text = words
    made.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return made


def runs(words: Iterable[Run], styles: Mapping[str, str]) -> Iterable[_Element]:
    """Yield runs and links; `styles` gives the id of a style by its name."""
    for each in words:
        tone = styles[TONE_STYLES[each.tone]] if each.tone in TONE_STYLES else ""
        if each.link:
            inside = run(each.text, tone or styles[LINK_STYLE])
            yield parent_element("hyperlink", inside, anchor=each.link, history=1)
        else:
            yield run(each.text, tone)


def field(instruction: str, shown: str = "") -> list[_Element]:
    return [
        *begin(instruction),
        run(shown) if shown else element("r"),
        parent_element("r", element("fldChar", fldCharType="end")),
    ]


def begin(instruction: str) -> list[_Element]:
    """Return the runs that begin a field: what follows them is what it shows."""
    return [
        parent_element("r", element("fldChar", fldCharType="begin")),
        parent_element("r", _text("instrText", f" {instruction} ")),
        parent_element("r", element("fldChar", fldCharType="separate")),
    ]


def end() -> _Element:
    return parent_element("r", element("fldChar", fldCharType="end"))


class Bookmarks:
    """Bookmarks with ids of their own."""

    def __init__(self) -> None:
        self._count = 0

    def around(self, anchor: str, paragraph: _Element) -> None:
        self._count += 1
        at = 1 if paragraph.find(_properties_tag()) is not None else 0
        paragraph.insert(at, element("bookmarkStart", id=self._count, name=anchor))
        paragraph.append(element("bookmarkEnd", id=self._count))


def _properties_tag() -> str:
    from docx.oxml.ns import qn

    return qn("w:pPr")
