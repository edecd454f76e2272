"""Correct misrecognised clause numbers by the series around them.

Between "(c)" and "(e)" an "(a)", a "(da)" or a "{d)" at the start of a line is (d), because it
looks similar and nothing else there does. What already fits a series is not changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from fourcorners.documents.number_formats import roman_number
from fourcorners.documents.ocr.engines import Line

FAR = 150  # lines between two numbers of one series that are searched
NEAR = 12  # lines before its "(ii)" where another series' number may be a lost "(i)"
LONGEST = 9  # characters of what may be a number
GAP = 3  # numbers next to each other that may be lost
HELD = 0.36  # of a character's difference for each of a number's, where both neighbours are known
LOOSE = 0.26  # the same, where only the number before is
ALIKE = 0.25  # difference of two characters that look like each other
LOST = 0.6  # difference for an extra or missing character
_CLASSES = (
    *("il1I|tj!]r", "2i", "c¢eoG", "adoqb", "gq9y", "f£tr", "hbn", "vyuw", "xkX", "0oOQD", "5S$§s"),
    *("3B8", "6bG", "7T?1", "({[fcG", ")}]J", ".,:;-", "dJ1", "I1lTP", "zZ2"),
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROMAN_LETTERS = frozenset({9, 22, 24})  # i, v, x
_EXACT = re.compile(
    r"(?P<open>\(?)(?:(?P<digits>\d{1,2})|(?P<lower>[a-z])|(?P<upper>[A-Z])|(?P<roman>[ivxl]{1,7}))"
    r"(?P<close>[.)])"
)
_DOTTED = re.compile(r"((?:\d{1,2}\.){1,3})(\d{1,2})\.?")
_TIERED = re.compile(r"(\d{1,2}\.)([A-Z])\.?")  # 1.A.
_BRACED = re.compile(r"[({\[]([A-Za-z]{1,5}|\d{1,2})[)}\]]([.,]?)")
_STROKES = re.compile(r"[ilt1|Ij]{2,3}")
_STRAY = re.compile(r"[‘'`~_](?=\d{1,2}\.|\([a-z]{1,4}\))")


@dataclass(frozen=True, slots=True)
class _Family:
    """Numbers of one form: their prefix and suffix, and how they count."""

    before: str
    count: str  # "1", "a", "A" or "i"
    after: str

    def label(self, value: int) -> str:
        """Write a number; empty if there is none so high."""
        if self.count == "1":
            inner = str(value) if value <= 99 else ""
        elif self.count == "i":
            inner = roman_number(value)
        else:
            inner = _LETTERS[value - 1] if value <= len(_LETTERS) else ""
            inner = inner.upper() if self.count == "A" else inner
        return f"{self.before}{inner}{self.after}" if inner else ""


@dataclass(frozen=True, slots=True)
class _Place:
    line: int
    value: int


def repair_series(lines: Sequence[Line]) -> list[Line]:
    texts = [_clean_label(line) for line in lines]
    for readable in (False, False, True, True):  # what is no number first, then what is another
        for at, label in _find_repairs(lines, texts, readable=readable).items():
            texts[at] = label
    return [
        line if text == line[0].text else (replace(line[0], text=text), *line[1:])
        for line, text in zip(lines, texts, strict=True)
    ]


def _clean_label(line: Line) -> str:
    text = _STRAY.sub("", line[0].text) if len(line) > 1 else line[0].text
    braced = _BRACED.fullmatch(text)
    if braced is None:
        return text
    inside = braced.group(1)
    if _STROKES.fullmatch(inside) and not inside.isdigit():
        inside = "i" * len(inside)
    return f"({inside}){braced.group(2)}"


def _find_repairs(lines: Sequence[Line], texts: list[str], *, readable: bool) -> dict[int, str]:
    families = _group_families(texts)
    fitting = {place.line for places in families.values() for place in _consistent_places(places)}
    known = {place.line for places in families.values() for place in places}
    closed = fitting if readable else fitting | known
    found: dict[int, tuple[float, str]] = {}
    for family, places in families.items():
        for cost, at, label in _family_repairs(lines, texts, family, places, (fitting, closed)):
            if at not in found or cost < found[at][0]:
                found[at] = cost, label
    return {at: _restore_final_point(texts[at], label) for at, (_, label) in found.items()}


def _restore_final_point(text: str, label: str) -> str:
    has_mark = text[-1] in ".,;:" and not label.startswith(text)
    return f"{label}." if label[-1].isdigit() and has_mark else label


def _group_families(texts: list[str]) -> dict[_Family, list[_Place]]:
    found: dict[_Family, list[_Place]] = defaultdict(list)
    for at, text in enumerate(texts):
        for family, value in _label_readings(text):
            if family.count == "a" and value in _ROMAN_LETTERS:
                earlier = found[family][-1].value if found[family] else 0
                if earlier != value - 1:
                    continue  # an (i) without an (h) before it
            found[family].append(_Place(at, value))
    return found


def _label_readings(text: str) -> Iterator[tuple[_Family, int]]:
    """Yield the possible readings of a word: "(i)" is the first and the ninth."""
    dotted = _DOTTED.fullmatch(text)
    if dotted:
        yield _Family(dotted.group(1), "1", ""), int(dotted.group(2))
    tiered = _TIERED.fullmatch(text)
    if tiered:
        yield _Family(tiered.group(1), "A", "."), _LETTERS.index(tiered.group(2).lower()) + 1
    exact = _EXACT.fullmatch(text)
    if exact is None:
        return
    before, after = exact["open"], exact["close"]
    if before and after == ".":
        return
    if exact["digits"]:
        yield _Family(before, "1", after), int(exact["digits"])
    if exact["lower"]:
        yield _Family(before, "a", after), _LETTERS.index(exact["lower"]) + 1
    if exact["upper"]:
        yield _Family(before, "A", after), _LETTERS.index(exact["upper"].lower()) + 1
    value = _roman_values().get(exact["roman"] or exact["lower"] or "")
    if value:
        yield _Family(before, "i", after), value


@cache
def _roman_values() -> dict[str, int]:
    return {roman_number(value): value for value in range(1, 41)}


def _consistent_places(places: list[_Place]) -> Iterator[_Place]:
    once = [
        place for at, place in enumerate(places) if not at or places[at - 1].value != place.value
    ]
    for at, place in enumerate(once):
        follows = at > 0 and once[at - 1].value == place.value - 1
        leads = at + 1 < len(once) and once[at + 1].value == place.value + 1
        if follows or leads:
            yield place


def _trusted_places(places: list[_Place], fitting: set[int]) -> list[_Place]:
    """Return the reliable places: those that fit, and those a little further on."""
    trusted: list[_Place] = []
    for at, place in enumerate(places):
        later = places[at + 1].value if at + 1 < len(places) else 1
        gap = place.value - (trusted[-1].value if trusted else 0)
        if place.line in fitting or (0 < gap <= GAP + 1 and (later > place.value or later == 1)):
            trusted.append(place)
    return trusted


def _family_repairs(
    lines: Sequence[Line],
    texts: list[str],
    family: _Family,
    places: list[_Place],
    lines_taken: tuple[set[int], set[int]],
) -> Iterator[tuple[float, int, str]]:
    """Yield candidates for a family's lost numbers: the difference, the line, the number."""
    fitting, closed = lines_taken
    sound = _trusted_places(places, fitting)
    if not any(place.line in fitting for place in sound):
        return
    values = {place.line: place.value for place in places}
    for left, right in pairwise([_Place(-1, 0), *sound, _Place(len(lines), 0)]):
        is_held = left.value + 1 < right.value <= left.value + GAP + 1
        if is_held:
            start = left.line + 1 if left.value else max(left.line + 1, right.line - FAR)
            span = range(start, right.line)
            lost = range(left.value + 1, right.value)
        elif left.value and right.value <= 1:
            span = range(left.line + 1, min(right.line, left.line + 1 + FAR))
            lost = range(left.value + 1, left.value + 2)
        else:
            continue
        most = HELD if is_held and left.value else LOOSE
        for value in lost:
            open_lines = [
                at
                for at in span
                if at not in closed
                and (
                    not any(_label_readings(texts[at]))
                    or _is_plausible_mistake(values.get(at), left, is_held=is_held)
                    or (family.before in ("(", texts[at]) and right.line - at <= NEAR)
                )
            ]
            best = _closest_line(lines, texts, open_lines, family.label(value), most)
            if best is not None:
                yield best[0], best[1], family.label(value)
                span = range(best[1] + 1, span.stop)


def _is_plausible_mistake(value: int | None, left: _Place, *, is_held: bool) -> bool:
    """Return whether a valid number may be a misreading of the next after `left`."""
    if not left.value:
        return False
    return is_held or (value is not None and 1 < value <= left.value)


def _closest_line(
    lines: Sequence[Line], texts: list[str], places: Sequence[int], label: str, most: float
) -> tuple[float, int] | None:
    best: tuple[float, int] | None = None
    for at in places if label else ():
        text, line = texts[at], lines[at]
        if len(text) > LONGEST or len(line) < 2:
            continue
        starts = line[1].text[:1].isupper() or line[1].text[:1] in "\"“‘'"
        if not starts and (most <= LOOSE or text.isalpha()):
            continue
        cost = _label_distance(text.rstrip(".,;:") if label[-1].isdigit() else text, label)
        if text.endswith(".") and label.startswith(text):
            cost = LOST  # "2." where "2.6" is expected, and is not a second 2
        if cost <= most * len(label) and (best is None or cost < best[0]):
            best = cost, at
    return best


@cache
def _label_distance(text: str, label: str) -> float:
    """Return how different two words look: an edit distance, lower for similar letters."""
    row = [LOST * at for at in range(len(label) + 1)]
    for up, sign in enumerate(text, 1):
        above, row = row, [LOST * up]
        for at, wanted in enumerate(label):
            changed = above[at] + _character_distance(sign, wanted)
            row.append(min(changed, above[at + 1] + LOST, row[at] + LOST))
    return row[-1]


def _character_distance(sign: str, wanted: str) -> float:
    if sign == wanted:
        return 0.0
    return ALIKE if any(sign in each and wanted in each for each in _CLASSES) else 1.0
