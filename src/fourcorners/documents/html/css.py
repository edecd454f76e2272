"""Decide whether an element's words are visible, by its style and by `<style>` rules.

Words are hidden if they are not displayed, not visible, without size or opacity, moved out of
sight, cut off by their box, or in the colour of their background. Rules are matched by tags,
classes, ids and ancestors, with importance, specificity and order as in a browser. Rules that
depend on more (`:hover`, attributes, siblings, print) are ignored, and external style sheets are
not available.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fourcorners.documents.appearance import Colour, is_similar_colour

MAX_RULES = 20_000  # rules of a page that could hide something
MAX_SELECTOR_TESTS = 200  # rules that end in the same class, id or tag
MAX_CLASSES = 100  # of an element
_MAX_ANCESTORS = 60  # nearest ancestors that are examined, in addition to the outermost few
_COLOUR_TOLERANCE = 8  # of 255: smaller differences in colour are invisible
_MAX_TINY_SIZE = 1.0  # points or pixels; smaller letters are not read

_CSS_TOKEN = re.compile(r"[{};]|\"[^\"\n]*+\"|'[^'\n]*+'")
_COMPOUND = re.compile(r"(\*|[a-z][\w-]*+)?((?:[.#][\w-]++)*+)", re.IGNORECASE)
_PART = re.compile(r"[.#][\w-]+")
_PROPERTY = re.compile(
    r"(?:^|[;\s])(display|visibility|font-size|color|background|background-color|opacity|position|"
    r"left|top|right|bottom|margin-left|margin-top|text-indent|height|max-height|overflow|clip|"
    r"clip-path|transform|filter|content-visibility|text-decoration|text-decoration-line|"
    r"unicode-bidi|direction|-webkit-text-fill-color)\s*+:([^;]{1,200})",
    re.IGNORECASE,
)
_SIZE = re.compile(r"([\d.]{1,20})\s*(px|pt|em|rem|ex|ch|%|mm|cm|in|pc|vw|vh)?")
_OFFSET = re.compile(r"-(\d{1,9})(?:\.\d{0,9})?(px|pt|em|rem|in|cm|mm|%|vw|vh)?(?![\w.])")
_FAR_BY_UNIT = {"in": 14, "cm": 35, "mm": 350, "%": 200, "vw": 100, "vh": 100, "em": 99, "rem": 99}
_FAR_POINTS = 999  # points or pixels, beyond which nothing is on a page
_ZERO_LENGTH = re.compile(r"0(?:\.0+)?[a-z%]*|1px")
_CLIPPED = re.compile(
    r"rect\(\s*[01](?:px)?[,\s]+[01](?:px)?[,\s]+[01](?:px)?[,\s]+[01](?:px)?\s*\)|"
    r"inset\(\s*(?:[5-9]\d|\d{3})%\s*\)|circle\(\s*0[a-z%]*\s*[\sa)]"
)
_SCALED_TO_ZERO = re.compile(r"scale(?:x|y|3d)?\(\s*0(?:\.0+)?\s*[,)]")
_HEX = re.compile(r"#([0-9a-f]{3,8})\b")
_CHANNELS = re.compile(r"(rgb|hsl)a?\(([^)]{1,80})\)")
# Words that a sheet adds before or after an element, and fonts that a page embeds.
_CONTENT = re.compile(r"[{;\s]content\s*:\s*(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|(attr\())")
_ESCAPE = re.compile(r"\\[0-9a-fA-F]{1,6}")
_OWN_FONT = re.compile(r"@font-face[^{}]{0,20}\{[^}]{0,2000}url\(\s*[\"']?data:", re.IGNORECASE)
_COLOUR_NAME = re.compile(r"\b(white|black|transparent|snow|ivory|whitesmoke|ghostwhite)\b")
_COLOURS = {
    "white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250),
    "ivory": (255, 255, 240), "whitesmoke": (245, 245, 245), "ghostwhite": (248, 248, 255),
}  # fmt: skip
Declarations = tuple[tuple[str, str, bool], ...]  # property, value, and whether it is important


@dataclass(frozen=True, slots=True)
class ComputedStyle:
    """How the words of an element are displayed; None for an unknown colour."""

    displays_none: bool = False
    invisible: bool = False
    tiny: bool = False
    colour: Colour | None = (0, 0, 0)
    background: Colour | None = (255, 255, 255)
    transparent: bool = False  # the letters are transparent
    struck: bool = False  # a line is drawn through them
    overrides_direction: bool = False  # the stated direction applies to all letters
    right_to_left: bool = False

    @property
    def is_turned(self) -> bool:
        """Return whether all letters, including Latin ones, run from right to left."""
        return self.overrides_direction and self.right_to_left

    @property
    def is_hidden(self) -> bool:
        if self.displays_none or self.invisible or self.tiny or self.transparent:
            return True
        if self.colour is None or self.background is None:
            return False
        return is_similar_colour(self.colour, self.background, _COLOUR_TOLERANCE)


@dataclass(frozen=True, slots=True)
class ElementKey:
    tag: str
    classes: frozenset[str] = frozenset()
    id: str = ""


@dataclass(frozen=True, slots=True)
class _Compound:
    tag: str
    classes: frozenset[str]
    ids: tuple[str, ...]

    def matches(self, element: ElementKey) -> bool:
        return (
            self.tag in ("", element.tag)
            and self.classes <= element.classes
            and all(each == element.id for each in self.ids)
        )


@dataclass(frozen=True, slots=True)
class _Rule:
    compounds: tuple[_Compound, ...]
    specificity: tuple[int, int, int, int]
    declarations: Declarations

    def matches(self, element: ElementKey, around: Sequence[ElementKey]) -> bool:
        if not self.compounds[-1].matches(element):
            return False
        above = reversed(around)
        return all(
            any(compound.matches(each) for each in above)
            for compound in reversed(self.compounds[:-1])
        )


class StyleSheet:
    def __init__(self) -> None:
        self._rules: dict[str, list[_Rule]] = {}
        self._count = 0
        self.overfull = False  # there are too many rules
        self.added_words = ""  # the first words that a sheet adds to the page
        self.has_own_fonts = False

    def add_rules(self, css: str) -> None:
        self._note_additions(css)
        for selectors, body in _rule_blocks(_without_comments(css)):
            declared = parse_declarations(body)
            if not declared:
                continue
            for selector in selectors.split(",")[:MAX_SELECTOR_TESTS]:
                compounds = _parse_selector(selector)
                if compounds:
                    self._add_rule(compounds, declared)

    def _note_additions(self, css: str) -> None:
        self.has_own_fonts = self.has_own_fonts or _OWN_FONT.search(css) is not None
        for match in _CONTENT.finditer(css):
            words = _ESCAPE.sub("", match[1] or match[2] or "")
            if match[3] or sum(map(str.isalnum, words)) > 1:
                self.added_words = self.added_words or words or "attr(…)"

    def _add_rule(self, compounds: tuple[_Compound, ...], declared: Declarations) -> None:
        self._count += 1
        last = compounds[-1]
        key = next((f"#{each}" for each in last.ids), None) or next(
            (f".{each}" for each in sorted(last.classes)), last.tag
        )
        known = self._rules.setdefault(key, [])
        if self._count > MAX_RULES or len(known) >= MAX_SELECTOR_TESTS:
            self.overfull = True
            return
        counts = ((len(each.ids), len(each.classes), bool(each.tag)) for each in compounds)
        ids, classes, tags = map(sum, zip(*counts, strict=True))
        known.append(_Rule(compounds, (ids, classes, tags, self._count), declared))

    def compute_style(
        self,
        tag: str,
        attributes: Mapping[str, str],
        above: ComputedStyle,
        around: Sequence[ElementKey],
    ) -> ComputedStyle:
        own = parse_declarations(attributes["style"]) if "style" in attributes else ()
        if "hidden" in attributes:
            above = replace(above, displays_none=True)
        if tag in ("s", "strike"):
            above = replace(above, struck=True)
        elif tag == "bdo":
            turned = attributes.get("dir", "").lower() == "rtl"
            above = replace(above, overrides_direction=True, right_to_left=turned)
        for name, known in (("color", "color"), ("bgcolor", "background-color")):
            if name in attributes and tag not in ("hr", "basefont"):
                own = ((known, attributes[name].lower(), False), *own)
        if not self._rules:
            declared = tuple((name, value) for name, value, _ in own)
            return _apply_declarations(above, declared) if declared else above
        if len(around) > _MAX_ANCESTORS:
            around = (*around[:4], *around[4 - _MAX_ANCESTORS :])
        element = element_key(tag, attributes)
        keys = ("", tag, f"#{element.id}", *(f".{each}" for each in element.classes))
        weighed = [
            ((important, False, rule.specificity), name, value)
            for key in keys
            for rule in self._rules.get(key, ())
            if rule.matches(element, around)
            for name, value, important in rule.declarations
        ]
        weighed += (
            ((important, True, (0, 0, 0, 0)), name, value) for name, value, important in own
        )
        weighed.sort(key=lambda each: each[0])
        declared = tuple((name, value) for _, name, value in weighed)
        return _apply_declarations(above, declared) if declared else above


def element_key(tag: str, attributes: Mapping[str, str]) -> ElementKey:
    classes = attributes.get("class")
    named = frozenset(classes.split()[:MAX_CLASSES]) if classes else frozenset[str]()
    return ElementKey(tag, named, attributes.get("id", ""))


@lru_cache(maxsize=4096)
def parse_declarations(body: str) -> Declarations:
    found = ((match[1].lower(), match[2].lower()) for match in _PROPERTY.finditer(body[:20_000]))
    return tuple(
        (name, value.replace("!important", "").strip(), "!important" in value)
        for name, value in found
    )


@lru_cache(maxsize=4096)
def _apply_declarations(
    style: ComputedStyle, declared: tuple[tuple[str, str], ...]
) -> ComputedStyle:
    properties: dict[str, str] = {}
    for name, value in declared:
        properties["background-color" if name == "background" else name] = value
    for name, value in properties.items():
        match name:
            case "display":
                style = replace(style, displays_none=style.displays_none or value == "none")
            case "opacity":
                transparent = re.fullmatch(r"0*\.?0*%?", value) is not None and value != ""
                style = replace(style, displays_none=style.displays_none or transparent)
            case "visibility" if value in ("hidden", "collapse", "visible"):
                style = replace(style, invisible=value != "visible")
            case "font-size":
                style = replace(style, tiny=_is_tiny(value, style.tiny))
            case "color" if value not in ("inherit", "currentcolor", "unset"):
                colour, clear = _parse_colour(value)
                style = replace(style, colour=colour, transparent=clear)
            case "background-color" if value not in ("inherit", "none", "unset", "initial"):
                colour, clear = _parse_colour(value)
                if "url(" in value or "gradient(" in value:
                    style = replace(style, background=None)
                elif not clear:
                    style = replace(style, background=colour)
            case _:
                style = _apply_writing(style, name, value)
    return replace(style, displays_none=True) if _is_offscreen(properties) else style


def _apply_writing(style: ComputedStyle, name: str, value: str) -> ComputedStyle:
    match name:
        case "text-decoration" | "text-decoration-line":
            return replace(style, struck=style.struck or "line-through" in value)
        case "unicode-bidi":
            override = value in ("bidi-override", "isolate-override")
            return replace(style, overrides_direction=override)
        case "direction":
            return replace(style, right_to_left=value == "rtl")
        case "-webkit-text-fill-color":
            return replace(style, transparent=_parse_colour(value)[1])
    return style


def _is_offscreen(declared: dict[str, str]) -> bool:
    moved = [declared.get(name, "") for name in ("text-indent", "margin-left", "margin-top")]
    placed = declared.get("position", "static") != "static"
    if placed:
        moved += [declared.get(name, "") for name in ("left", "top", "right", "bottom")]
    transform = declared.get("transform", "")
    moved.append(transform if "translate" in transform else "")
    if any(map(_is_far_offscreen, moved)):
        return True
    flat = any(_ZERO_LENGTH.fullmatch(declared.get(name, "")) for name in ("height", "max-height"))
    clips = (declared.get("clip-path", ""), declared.get("clip", "") if placed else "")
    return bool(
        (flat and declared.get("overflow", "").startswith(("hidden", "clip")))
        or _SCALED_TO_ZERO.search(transform)
        or declared.get("content-visibility") == "hidden"
        or re.search(r"opacity\(\s*0*\.?0*%?\s*\)", declared.get("filter", ""))
        or any(_CLIPPED.search(each) for each in clips)
    )


def _is_far_offscreen(value: str) -> bool:
    return any(
        int(match.group(1)) >= _FAR_BY_UNIT.get(match.group(2) or "px", _FAR_POINTS)
        for match in _OFFSET.finditer(value)
    )


def _is_tiny(value: str, above: bool) -> bool:
    match = _SIZE.fullmatch(value)
    if match is None:
        return above and value in ("inherit", "smaller", "larger", "unset")
    try:
        size = float(match.group(1))
    except ValueError:
        return above
    if match.group(2) in ("em", "%", "ex", "ch"):
        return above or not size
    return size <= (_MAX_TINY_SIZE if match.group(2) in ("px", "pt", None) else 0)


def _parse_colour(value: str) -> tuple[Colour | None, bool]:
    match = _HEX.search(value)
    if match is not None:
        digits = match.group(1)
        if len(digits) in (3, 4):
            digits = "".join(digit * 2 for digit in digits)
        clear = len(digits) == 8 and digits.endswith("00")
        if len(digits) not in (6, 8):
            return None, False
        return (int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)), clear
    channels = _CHANNELS.search(value)
    if channels is not None:
        return _parse_channels(channels.group(1), re.findall(r"[\d.]+%?", channels.group(2)))
    word = _COLOUR_NAME.search(value)
    name = word.group(1) if word else ""
    return _COLOURS.get(name), name == "transparent"


def _parse_channels(system: str, given: list[str]) -> tuple[Colour | None, bool]:
    try:
        numbers = [float(each.rstrip("%")) for each in given]
    except ValueError:
        return None, False
    if len(numbers) not in (3, 4):
        return None, False
    clear = len(numbers) == 4 and not numbers[3]
    if system == "hsl":
        light = numbers[2]
        known = {100.0: (255, 255, 255), 0.0: (0, 0, 0)}
        return known.get(light), clear
    parts = [
        min(255, round(number * 2.55 if each.endswith("%") else number))
        for number, each in zip(numbers[:3], given[:3], strict=True)
    ]
    return (parts[0], parts[1], parts[2]), clear


def _without_comments(css: str) -> str:
    pieces, at = [], 0
    while (start := css.find("/*", at)) >= 0:
        pieces.append(css[at:start])
        end = css.find("*/", start + 2)
        if end < 0:
            return " ".join(pieces)
        at = end + 2
    return " ".join([*pieces, css[at:]])


def _rule_blocks(css: str) -> Iterator[tuple[str, str]]:
    """Yield the selectors and the body of each rule that applies on a screen."""
    stack: list[tuple[str, str, list[str]]] = []  # what is open: its kind, its selectors, its body
    over = start = 0
    for match in _CSS_TOKEN.finditer(css):
        sign = match.group()
        within_rule = bool(stack) and stack[-1][0] == "rule"
        if sign == "{":
            head = css[start : match.start()]
            if within_rule:
                stack[-1][2].append(head)
            head = head.strip().removeprefix("<!--").strip()
            kind = "over" if within_rule else _block_kind(head)
            over += kind == "over"
            stack.append((kind, head, []))
        elif sign == "}" and stack:
            kind, head, body = stack.pop()
            if kind == "rule" and not over:
                yield head, ";".join([*body, css[start : match.start()]])
            over -= kind == "over"
        elif sign != ";" or within_rule:
            continue
        start = match.end()


def _block_kind(head: str) -> str:
    """Distinguish rules from blocks of rules that apply on a screen, and from all else."""
    if not head.startswith("@"):
        return "rule"
    words = head.lower()
    if words.startswith("@media"):
        return "over" if "print" in words and "screen" not in words else "into"
    return "into" if words.startswith(("@supports", "@layer", "@container")) else "over"


def _parse_selector(selector: str) -> tuple[_Compound, ...]:
    made = []
    for step in selector[:500].replace(">", " ").split():
        match = _COMPOUND.fullmatch(step)
        if match is None:
            return ()
        parts = _PART.findall(match.group(2))
        classes = frozenset(part[1:] for part in parts if part[0] == ".")
        ids = tuple(part[1:] for part in parts if part[0] == "#")
        made.append(_Compound((match.group(1) or "").lower().strip("*"), classes, ids))
    return tuple(made[-10:])
