"""Compute Word's automatic clause numbers, which are not stored in the file.

Follows ECMA-376 part 1, section 17.9, and where it is silent, Word's behaviour: lists that share a
definition share their counters, and a list with a separate start restarts them once. Fields that
number (section 17.16.5: LISTNUM, AUTONUM) count in lists that Word brings along, or in those of the
document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from fourcorners.documents.docx.fields import FieldCode
from fourcorners.documents.docx.styles import (
    ParagraphFormat,
    Styles,
    W,
    on_off,
    parse_integer,
    val_attribute,
)
from fourcorners.documents.number_formats import format_number

if TYPE_CHECKING:
    from lxml.etree import _Element

LEVELS = 9  # as WordprocessingML has
_MAX_LINKS = 16  # from list style to list style; Word follows one
_MAX_LABEL = 200  # characters of a number, at most
_PLACE = re.compile(r"%([1-9])")
_LEGAL_STYLES = frozenset({"decimal", "decimalZero", "none"})  # Word leaves "Section 1.01" so
_SUFFIXES = {"nothing": "", "space": " ", "tab": " "}
# The lists of fields: the first number of each level; empty if it follows those of all above.
_FIELD_LISTS = {
    "AUTONUM": "1. " * LEVELS,
    "AUTONUMLGL": "",
    "AUTONUMOUT": "I. A. 1. a) (1) (a) (i) (a) (i)",
    "LEGALDEFAULT": "",
    "NUMBERDEFAULT": "1) a) i) (1) (a) (i) 1. a. i.",
    "OUTLINEDEFAULT": "I. A. 1. a) (1) (a) (i) (a) (i)",
}
_FIRST_NUMBERS = {
    "1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
}  # fmt: skip
_FORMAT_SWITCHES = {
    "alphabetic": "lowerLetter", "ALPHABETIC": "upperLetter", "roman": "lowerRoman",
    "ROMAN": "upperRoman", "Ordinal": "ordinal", "CardText": "cardinalText",
    "OrdText": "ordinalText",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Level:
    start: int = 1
    style: str = "decimal"
    text: str = ""
    suffix: str = " "
    restart: int | None = None  # restarts after this level, from 1; 0 never; None after any
    legal: bool = False  # every number of the label in decimal
    linked_style: str | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class NumberedList:
    definition: str
    levels: dict[int, Level]
    starts: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Label:
    """A computed number, and what separates it from the paragraph's words."""

    text: str
    suffix: str
    level: int


class Numbering:
    def __init__(self, root: _Element | None, styles: Styles) -> None:
        self._styles = styles
        own = _parse_lists(root, styles) if root is not None else {}
        self._lists = _field_lists() | own
        self._names = _list_names(root) if root is not None else {}
        self._last_list = "NUMBERDEFAULT"
        self._depth: int | None = None  # the level of the paragraph's last number
        self._is_numbered = False  # the paragraph has a number that is not a field's
        self._is_nested = False  # the paragraph's next number is one level below the last
        self._headings: dict[str, int] = {}  # the level of the last heading numbered by a field
        self._counts: dict[str, list[int | None]] = {}
        self._restarted: set[tuple[str, int]] = set()

    def fresh_copy(self) -> Numbering:
        """Return the same lists, counting from the start: notes and text boxes count apart."""
        other = Numbering(None, self._styles)
        other._lists, other._names = self._lists, self._names
        return other

    def label(self, style_id: str, direct: ParagraphFormat) -> Label | None:
        """Return the number of the next paragraph."""
        self._depth, self._is_numbered, self._is_nested = None, False, True
        inherited = self._styles.resolve(style_id)
        number = direct.number if direct.number is not None else inherited.number
        found = self._lists.get(number or "0")
        if number is None or found is None:
            return None
        at = direct.level
        if at is None:
            at = self._linked_level(found, style_id)
        if at is None:
            at = inherited.level or 0
        if at not in found.levels:
            return None
        self._last_list, self._depth, self._is_numbered = number, at, True
        return self._next_label(number, at)

    def field_label(self, code: FieldCode, heading: int | None, *, leads: bool) -> Label | None:
        """Return the number that a field shows; None if it is not a field that numbers.

        `heading` is the level of its paragraph, from 1, if that is a heading; `leads` says that no
        words precede the field there.
        """
        if code.kind == "LISTNUM":
            return self._list_number(code, leads=leads)
        if code.kind not in _FIELD_LISTS or not code.kind.startswith("AUTONUM"):
            return None
        if heading is None:
            at = self._headings.get(code.kind, 0)
        else:
            self._headings[code.kind] = heading
            at = heading - 1
        label = self._next_label(code.kind, min(at, LEVELS - 1), code.switches.get("\\*", ""))
        text = label.text.removesuffix(".") if "\\e" in code.switches else label.text
        return replace(label, text=text.replace(".", code.switches.get("\\s", ".")))

    def _list_number(self, code: FieldCode, *, leads: bool) -> Label:
        named = code.arguments[0].upper() if code.arguments else ""
        number = self._names.get(named, named) or self._last_list
        at = parse_integer(code.switches.get("\\l"))
        if at is not None:
            at -= 1
        else:
            at = 0 if self._depth is None else self._depth + self._is_nested
        at = min(max(at, 0), LEVELS - 1)
        if at not in self._lists.get(number, NumberedList("", {})).levels:
            number = "NUMBERDEFAULT"
        start = parse_integer(code.switches.get("\\s"))
        if start is not None:
            counts = self._counts.setdefault(self._lists[number].definition, [None] * LEVELS)
            counts[at] = start - 1
        self._last_list, self._depth = number, at
        self._is_nested = leads and not self._is_numbered  # it is the paragraph's number
        return self._next_label(number, at)

    def _next_label(self, number: str, at: int, style: str = "") -> Label:
        found = self._lists[number]
        counts = self._advance(number, found, at)
        if style in _FORMAT_SWITCHES:
            level = replace(found.levels[at], style=_FORMAT_SWITCHES[style])
            found = replace(found, levels={**found.levels, at: level})
        level = found.levels[at]
        return Label(_format_label(found, level, counts), level.suffix, at)

    def _linked_level(self, found: NumberedList, style_id: str) -> int | None:
        for style in self._styles.chain(style_id):
            for at, level in found.levels.items():
                if level.linked_style == style.id:
                    return at
            if style.format.level is not None:
                return style.format.level
        return None

    def _advance(self, number: str, found: NumberedList, at: int) -> list[int | None]:
        counts = self._counts.setdefault(found.definition, [None] * LEVELS)
        before = counts[at]
        if at in found.starts and (number, at) not in self._restarted:
            self._restarted.add((number, at))
            before = None
        counts[at] = _start_value(found, at) if before is None else before + 1
        for above in range(at):  # a skipped level counts as if it had been there
            if counts[above] is None:
                counts[above] = _start_value(found, above)
        for below in range(at + 1, LEVELS):
            restart = found.levels.get(below, Level()).restart
            if restart is None or at < restart:
                counts[below] = None
        return counts


def _start_value(found: NumberedList, at: int) -> int:
    return found.starts.get(at, found.levels.get(at, Level()).start)


def _format_label(found: NumberedList, level: Level, counts: list[int | None]) -> str:
    if level.hidden:
        return ""
    if level.style == "bullet":
        return "\u2022" if level.text.strip() else ""

    def count(place: re.Match[str]) -> str:
        at = int(place.group(1)) - 1
        own = counts[at]
        shown = _start_value(found, at) if own is None else own
        style = found.levels.get(at, Level()).style
        if level.legal and style not in _LEGAL_STYLES:
            style = "decimal"
        return format_number(shown, style)

    return _PLACE.sub(count, level.text).strip()


def _parse_lists(root: _Element, styles: Styles) -> dict[str, NumberedList]:
    definitions = {
        node.get(f"{W}abstractNumId", ""): node for node in root.iterfind(f"{W}abstractNum")
    }
    numbers = {node.get(f"{W}numId", ""): node for node in root.iterfind(f"{W}num")}
    found: dict[str, NumberedList] = {}
    for number, node in numbers.items():
        definition = val_attribute(node, "abstractNumId") or ""
        for _ in range(_MAX_LINKS):  # a definition may refer to that of a list style
            link = val_attribute(definitions.get(definition), "numStyleLink")
            linked = numbers.get(styles.resolve(link).number or "") if link else None
            if linked is None:
                break
            definition = val_attribute(linked, "abstractNumId") or ""
        levels: dict[int, Level] = {}
        if definition in definitions:
            levels = _parse_levels(definitions[definition])
        starts: dict[int, int] = {}
        for override in node.iterfind(f"{W}lvlOverride"):
            at = parse_integer(override.get(f"{W}ilvl"))
            if at is None or not 0 <= at < LEVELS:
                continue
            levels |= _parse_levels(override)
            start = parse_integer(val_attribute(override, "startOverride"))
            if start is not None:
                starts[at] = start
        found[number] = NumberedList(definition, levels, starts)
    return found


@cache
def _field_lists() -> dict[str, NumberedList]:
    lists = {}
    for name, numbers in _FIELD_LISTS.items():
        levels = {}
        for at, text in enumerate(numbers.split() or ["1."] * LEVELS):
            sign = text.strip("().")
            above = "" if numbers else "".join(f"%{n}." for n in range(1, at + 1))
            text = above + text.replace(sign, f"%{at + 1}")
            levels[at] = Level(style=_FIRST_NUMBERS[sign], text=text)
        lists[name] = NumberedList(name, levels)
    return lists


def _list_names(root: _Element) -> dict[str, str]:
    """Return the first list of each definition with a name, by the name in capitals."""
    definitions = {
        node.get(f"{W}abstractNumId"): val_attribute(node, "name")
        for node in root.iterfind(f"{W}abstractNum")
    }
    names: dict[str, str] = {}
    for node in root.iterfind(f"{W}num"):
        name = definitions.get(val_attribute(node, "abstractNumId"))
        if name:
            names.setdefault(name.upper(), node.get(f"{W}numId", ""))
    return names


def _parse_levels(parent: _Element) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for node in parent.iterfind(f"{W}lvl"):
        at = parse_integer(node.get(f"{W}ilvl"))
        if at is None or not 0 <= at < LEVELS:
            continue
        start = parse_integer(val_attribute(node, "start"))
        picture = node.find(f"{W}lvlPicBulletId") is not None
        levels[at] = Level(
            start=0 if start is None else start,
            style=_number_style(node),
            text=(val_attribute(node, "lvlText") or ("\u2022" if picture else ""))[:_MAX_LABEL],
            suffix=_SUFFIXES.get(val_attribute(node, "suff") or "tab", " "),
            restart=parse_integer(val_attribute(node, "lvlRestart")),
            legal=on_off(node, "isLgl") or False,
            linked_style=val_attribute(node, "pStyle"),
            hidden=on_off(node.find(f"{W}rPr"), "vanish") or False,
        )
    return levels


def _number_style(level: _Element) -> str:
    """Return the number format; a custom one is the list of its first numbers."""
    for found in level.iter(f"{W}numFmt"):
        name = found.get(f"{W}val") or "decimal"
        written = found.get(f"{W}format")
        if name != "custom":
            return name
        if written:
            return f"custom {written}"
    return "decimal"
