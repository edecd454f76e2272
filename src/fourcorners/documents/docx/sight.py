"""Decide whether words of a Word document are visible, and what its symbols show.

Rows and lines without height, places beyond the paper, and frames and boxes without size hide
words; symbol fonts show signs instead of letters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fourcorners.documents.appearance import is_symbol_font
from fourcorners.documents.docx.styles import MC, TEXT, W, has_shading, parse_integer, val_attribute

if TYPE_CHECKING:
    from lxml.etree import _Element

_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_VML = "{urn:schemas-microsoft-com:vml}"
CHARACTERS = {
    f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-",
}  # fmt: skip
# Properties, field codes, and what is drawn elsewhere: not words of the text.
IGNORED = frozenset(
    f"{W}{name}" for name in (
        "instrText", "delInstrText", "fldData", "rubyPr", "pPr", "rPr", "sdtPr", "sdtEndPr",
        "tblPr", "tblGrid", "trPr", "tcPr", "sectPr",
    )
)  # fmt: skip
DRAWN_WORDS = f"{_VML}textpath"  # WordArt, and watermarks
NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}
SHAPES = frozenset(
    (*(f"{_WP}{name}" for name in ("anchor", "inline")), *(f"{_VML}{n}" for n in ("shape", "rect")))
)
_MIN_HEIGHT = 50  # twentieths of a point: lower lines show no letters
_FAR = 20_000  # twentieths of a point, some 35 cm: beyond any paper that contracts are on
_MIN_EXTENT = 25_400  # English Metric Units, two points
_FAR_EXTENT = 12_700_000  # English Metric Units, 35 cm
_VML_SIZE = re.compile(r"(?:^|;)\s*(?:width|height)\s*:\s*0*(?:\.0+)?(?:pt|in|cm|mm|px)?\s*(?:;|$)")
_VML_FAR = re.compile(r"(?:margin-left|margin-top|left|top)\s*:\s*-?\d{4,}")
# The font Symbol from its code 32 on (Adobe's encoding).
_GREEK = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾"
    "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
_SIGNS = {
    0xA3: "≤", 0xA5: "∞", 0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×", 0xB7: "•", 0xB8: "÷",
    0xB9: "≠", 0xAE: "→", 0xD2: "®", 0xD3: "©", 0xD4: "™", 0xE2: "®", 0xE3: "©", 0xE4: "™",
}  # fmt: skip
# Symbols of Wingdings and similar fonts that contracts use: check boxes and bullets.
_DINGBATS = {
    0x6F: "\u2610", 0x71: "\u2610", 0xA8: "\u2610", 0xFD: "\u2612", 0xFE: "\u2611", 0x78: "\u2612",
    0xFC: "\u2713", 0xFB: "\u2717", 0xB7: "\u2022", 0xA7: "\u2022", 0xA3: "\u2610", 0xA4: "\u25c9",
    0xD8: "\u2022",
}  # fmt: skip


def symbol_text(node: _Element) -> str:
    """Return what a symbol shows; the replacement character if that is not known."""
    try:
        code = int(node.get(f"{W}char") or "", 16)
    except ValueError:
        return "\ufffd"
    if 0xF000 <= code <= 0xF0FF:
        code -= 0xF000  # how Word writes a code of a symbol font, and of letters too
    font = (node.get(f"{W}font") or "wingdings").strip()
    if font.lower() == "symbol":
        letter = _GREEK[code - 32] if 32 <= code < 32 + len(_GREEK) else _SIGNS.get(code, "")
    elif is_symbol_font(font):
        letter = _DINGBATS.get(code, "")
    else:
        letter = chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else ""
    return letter if letter.isprintable() and letter else "\ufffd"


def is_squeezed_paragraph(properties: _Element | None) -> bool:
    """Return whether a paragraph's lines have no height, or are beyond the paper."""
    if properties is None:
        return False
    spacing, indent = properties.find(f"{W}spacing"), properties.find(f"{W}ind")
    frame = properties.find(f"{W}framePr")
    if spacing is not None and spacing.get(f"{W}lineRule") == "exact":
        height = parse_integer(spacing.get(f"{W}line"))
        if height is not None and 0 <= height <= _MIN_HEIGHT:
            return True
    if indent is not None:
        sides = (indent.get(f"{W}{name}") for name in ("left", "start", "right", "end"))
        if any(abs(parse_integer(side) or 0) >= _FAR for side in sides):
            return True
    if frame is None:
        return False
    exact = frame.get(f"{W}hRule") == "exact"
    height = parse_integer(frame.get(f"{W}h"))
    if exact and height is not None and height <= _MIN_HEIGHT:
        return True
    return any(abs(parse_integer(frame.get(f"{W}{axis}")) or 0) >= _FAR for axis in "xy")


def is_squeezed_row(row: _Element) -> bool:
    """Return whether a table row is too low to show letters."""
    height = row.find(f"{W}trPr/{W}trHeight")
    if height is None or height.get(f"{W}hRule") != "exact":
        return val_attribute(row.find(f"{W}trPr"), "hidden") not in (None, "0", "false", "off")
    value = parse_integer(height.get(f"{W}val"))
    return value is not None and value <= _MIN_HEIGHT


def is_unseen_shape(node: _Element) -> bool:
    """Return whether a box or picture has no size, is beyond the paper or is hidden."""
    if node.tag.startswith(_VML):
        style = (node.get("style") or "").lower()
        return bool(
            _VML_SIZE.search(style) or _VML_FAR.search(style) or "visibility:hidden" in style
        )
    about = node.find(f"{_WP}docPr")
    if about is not None and about.get("hidden") in ("1", "true"):
        return True
    extent = node.find(f"{_WP}extent")
    if extent is not None:
        sides = (parse_integer(extent.get(side)) for side in ("cx", "cy"))
        if any(side is not None and side <= _MIN_EXTENT for side in sides):
            return True
    places = (node.find(f"{_WP}position{axis}/{_WP}posOffset") for axis in "HV")
    return any(
        abs(parse_integer(place.text) or 0) >= _FAR_EXTENT for place in places if place is not None
    )


def has_cell_shading(table: _Element) -> bool:
    """Return whether a table may have coloured cells: its style is not read, and may set them."""
    properties = table.find(f"{W}tblPr")
    style = val_attribute(properties, "tblStyle")
    return has_shading(properties) or style not in (None, "TableGrid")


def shown_form(alternatives: _Element) -> _Element:
    """Return one of the alternatives stored for programs of different versions."""
    for form in (alternatives.find(f"{MC}Choice"), alternatives.find(f"{MC}Fallback")):
        if form is not None and any((text.text or "").strip() for text in form.iter(*TEXT)):
            return form
    return alternatives.makeelement("nothing")
