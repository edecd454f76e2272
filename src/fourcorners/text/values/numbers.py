"""Numbers in figures and in English words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from fourcorners.text.yaml_data import load_yaml

DATA = load_yaml(Path(__file__).with_name("values.yaml").read_text(encoding="utf-8"))
_SMALL: tuple[str, ...] = ("zero", *DATA["ones"], *DATA["teens"])
_TENS: list[str] = DATA["tens"]
_COUNTS = {word: at for at, word in enumerate(_SMALL)} | {
    word: 10 * at for at, word in enumerate(_TENS, 2)
}
SCALES: dict[str, int] = DATA["scales"] | DATA["short_scales"]


def any_of(words: Iterable[str]) -> str:
    """Return what finds each of some words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


_GAP = r"[\s-]+"
_ONES = any_of(DATA["ones"])
_UNDER_100 = rf"(?:(?:{any_of(_TENS)})(?:{_GAP}(?:{_ONES}))?|{any_of(_SMALL)})\b"
_UNDER_1000 = (
    rf"(?:{_UNDER_100}(?:{_GAP}hundred\b(?:(?:\s+and)?{_GAP}{_UNDER_100}(?!{_GAP}hundred))?)?"
    rf"|hundred\b)"
)
_LARGE = r"(?:thousand|million|billion|trillion)\b"
_WHOLE = (
    rf"(?:{_UNDER_1000}|{_LARGE})(?:(?:{_GAP}{_LARGE})+"
    rf"(?:(?:{_GAP}|\s+and\s+(?!{_UNDER_1000}{_GAP}(?:m|b|tr)illion)){_UNDER_1000})?)*"
)
_DECIMALS = rf"(?:\s+point(?:\s+(?:zero|{_ONES})\b)+)"
IN_WORDS = rf"(?:one-half\b|{_WHOLE}(?:{_DECIMALS}|\s+and\s+(?:one|a)[\s-]half\b)?)"
"""A number in words: "two hundred and fifty thousand"; "ten and twenty" are two numbers."""
_GROUPS = (
    *(r"(?:,\d{3})+(?:\.\d+)?", r"(?:\.\d{3})+(?:,\d{1,2})?", r"(?:['’]\d{3})+(?:\.\d+)?"),
    r"(?:[ \u00a0\u2009\u202f]\d{3})+(?:[.,]\d{1,2})?",
)
FIGURES = (
    rf"\d{{1,3}}(?:{'|'.join(_GROUPS)})(?!\d)|\d{{1,2}}(?:,\d\d)+,\d{{3}}(?:\.\d+)?(?!\d)"
    r"|\d+,\d{1,2}(?=\s?%)|(?:0,\d+|\d{1,3},\d{4})(?![\d,])|\d+(?:\.\d+)?"
)
"""A number in figures, with thousands as any country groups them."""


def parse_number(words: str, *, is_decimal: bool = False) -> Decimal | None:
    """Return the number in figures or English words; None if there is none.

    `is_decimal` says that one point before three digits begins decimals, as in "1.125%".
    """
    plain = words.strip().casefold()
    return _figures(plain, is_decimal) if plain.strip(".")[:1].isdigit() else _spelled(plain)


def _figures(plain: str, is_decimal: bool) -> Decimal | None:
    if not plain[-1].isdigit() or plain.strip("0123456789.,'’ \u00a0\u2009\u202f"):
        return None
    *parts, last = re.split(r"\D", plain)
    marks = [each for each in plain if not each.isdigit()]
    if marks and marks.count(marks[-1]) == 1:
        is_decimal = marks[-1] == "." and (is_decimal or len(marks) > 1)
        if is_decimal or len(last) != 3 or parts[0] in ("", "0"):
            return Decimal(f"{''.join(parts) or 0}.{last}")
    return Decimal("".join((*parts, last)))


def _spelled(plain: str) -> Decimal | None:
    whole, _, decimals = plain.partition(" point ")
    total, part, previous = Decimal(0), Decimal(0), ""
    for word in re.split(_GAP, whole):
        if word in _COUNTS:
            part += _COUNTS[word]
        elif word == "hundred":
            part = max(part, Decimal(1)) * 100
        elif word in SCALES:
            total, part = total + max(part, Decimal(1)).scaleb(SCALES[word]), Decimal(0)
        elif word == "half":  # "two and a half", "one-half"
            part += Decimal("0.5") - (previous == "one")
        elif word not in ("and", "a") or word == plain:
            return None
        previous = word
    digits = "".join(str(_COUNTS.get(each, "")) for each in decimals.split())
    return total + part + Decimal(f"0.{digits or 0}")


def format_number(number: Decimal) -> str:
    if number == number.to_integral_value():
        return f"{int(number):,}"
    return f"{number.normalize():,f}"


def ordinal(count: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{'th' if count % 100 in (11, 12, 13) else suffix}"


def cardinal_text(count: int) -> str:
    """Return the count in words, up to nine thousand nine hundred ninety-nine."""
    if not 0 <= count < 10_000:
        return str(count)
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if count >= size:
            rest = f" {cardinal_text(count % size)}" if count % size else ""
            return f"{_SMALL[count // size]} {name}{rest}"
    if count < 20:
        return _SMALL[count]
    tens, ones = divmod(count, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


def ordinal_text(count: int) -> str:
    words = cardinal_text(count)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    if last.isdigit():
        return ordinal(count)
    regular = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{words[:cut]}{DATA['ordinals'].get(last, regular)}"
