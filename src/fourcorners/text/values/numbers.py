"""Numbers in figures and in English words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from fourcorners.text.patterns import load_yaml

DATA = load_yaml(Path(__file__).with_name("values.yaml").read_text(encoding="utf-8"))
_SMALL: tuple[str, ...] = ("zero", *DATA["ones"], *DATA["teens"])
_TENS: list[str] = DATA["tens"]
_COUNTS = {word: at for at, word in enumerate(_SMALL)} | {
    word: 10 * at for at, word in enumerate(_TENS, 2)
}
_LARGE_SCALES = {f"{each}{s}": size for each, size in DATA["scales"].items() for s in ("", "s")}
SCALES: dict[str, Decimal] = {
    each: Decimal(int(size))
    for each, size in (_LARGE_SCALES | DATA["other_scales"] | DATA["short_scales"]).items()
}
_DENOMINATORS: dict[str, int] = {
    f"{each}{s}": size for each, size in DATA["denominators"].items() for s in ("", "s")
}
_MULTIPLES: dict[str, int] = DATA["multiples"]


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
_LARGE = rf"(?:{any_of(DATA['scales'])})"
_WHOLE = (
    rf"(?:{_UNDER_1000}|{_LARGE}\b)(?:(?:{_GAP}{_LARGE}s?\b)+"
    rf"(?:(?:{_GAP}|\s+and\s+(?!{_UNDER_1000}{_GAP}(?:m|b|tr)illion)){_UNDER_1000})?)*"
)
_DECIMALS = rf"(?:\s+point(?:\s+(?:zero|{_ONES})\b)+)"
_NTH = any_of(each for each in _DENOMINATORS if not each.startswith(("hal", "quarter")))
_PART = rf"(?:one|a|{_ONES}){_GAP}(?:half|{any_of(_DENOMINATORS)})"
IN_WORDS = rf"(?:one-half\b|{_WHOLE}(?:{_DECIMALS}|\s+and\s+{_PART}\b)?)"
"""A number in words: "two hundred and fifty thousand"; "ten and twenty" are two numbers."""
_OF = r"\s+of\s+(?!(?:[\w’']+\s+){0,3}(?:year|term|period)\b|(?:19|20)\d\d)"


def part_in_words(whole: str) -> str:
    """Return what finds a part in words; `whole` finds what may be divided: "million", "%".

    "One third of the Shares" is a part, and "three quarters of one percent"; "one third party", "a
    quarter day" and "three quarters" of a year are not.
    """
    of_whole = rf"\s+(?:of\s+)?(?:(?:an?|one|1)[\s-]*)?(?:{whole})"
    of_this = rf"{_OF}|\s*\(\s*\d[\d.]*\s*[/%]"
    return (
        rf"(?:(?:an?|{_ONES}){_GAP}(?:half|quarters?(?!\s+days?\b)|{_NTH})\b(?={of_whole}|{of_this})"
        rf"|(?:{_ONES})(?:-(?:half|quarters|{_NTH})|\s+(?:{_NTH})(?<=s))\b(?!-)"
        rf"|(?<!first\s)(?<!second\s)half\b(?={of_whole}|{of_this})"
        rf"|(?:{_UNDER_100}{_GAP})?(?:quarters?|{_NTH})\b(?=\s+of\s+(?:an?|one|1)[\s-]*(?:{whole}))"
        rf"|(?:{any_of(_MULTIPLES)})(?=\s+(?:the|that|its|their|such|this|any)\b))"
    )


_SLASH = r"[1-9]\d?[/⁄][1-9]\d{0,2}(?:rds?|ths?)?"
_USUAL = r"(?:1[/⁄][2-4]|2[/⁄]3|3[/⁄]4)"  # not "30/60 days"
_VULGAR = "[¼½¾⅐-⅞]"


def part_in_figures(whole: str) -> str:
    """Return what finds a part in figures: "½", "2 1/2 per cent", "1/3 of"; "1/2" may be a day."""
    after = rf"(?=\s*(?:of\s+)?(?:(?:an?|one|1)[\s-]*)?(?:{whole})|{_OF}|\s*\)\s*of\b)"
    slash = rf"(?:\d{{1,3}}[ -] ?{_SLASH}|{_USUAL}){after}|{_SLASH}(?={_OF})"
    return rf"(?:(?:\d+[ -]?)?{_VULGAR}|(?<![\d/.,-])(?:{slash}))"


_GROUPS = (
    *(r"(?:,\d{3})+(?:\.\d+)?", r"(?:\.\d{3})+(?:,\d{1,2})?", r"(?:['’]\d{3})+(?:\.\d+)?"),
    r"(?:[ \u00a0\u2009\u202f]\d{3})+(?:[.,]\d{1,2})?",
)
_DECIMAL_COMMA = rf"(?=\s?(?:%|€|(?-i:[A-Z]{{3}})\b|(?:{any_of(DATA['scales'])})s?\b))"
_WRITTEN, _SHOWN = 12, 4  # decimals that somebody may have written; of a part, such as a third
FIGURES = (
    rf"\d{{1,3}}(?:{'|'.join(_GROUPS)})(?!\d)|\d{{1,2}}(?:,\d\d)+,\d{{3}}(?:\.\d+)?(?!\d)"
    rf"|\d+,\d{{1,2}}{_DECIMAL_COMMA}|(?:0,\d+|\d{{1,3}},\d{{4}})(?![\d,])|\d+(?:\.\d+)?"
)
"""A number in figures, with thousands as any country groups them."""


def parse_number(words: str, *, is_decimal: bool = False) -> Decimal | None:
    """Return the number in figures or English words; None if there is none.

    `is_decimal` says that one point before three digits begins decimals, as in "1.125%".
    """
    plain = words.strip().casefold()
    whole, _, part = "".join(map(_in_digits, plain)).replace("-", " ").strip().rpartition(" ")
    above, slash, below = part.replace("⁄", "/").partition("/")
    if slash:
        divisor = below.rstrip("dhrst")
        if not (above.isdecimal() and divisor.isdecimal() and int(divisor)):
            return None
        return (parse_number(whole) or Decimal(0) if whole else 0) + Decimal(above) / int(divisor)
    return _figures(plain, is_decimal) if plain.strip(".")[:1].isdigit() else _spelled(plain)


def _in_digits(character: str) -> str:
    """Return a part that is one character in two numbers: "½" as " 1/2"."""
    plain = unicodedata.normalize("NFKC", character)
    return f" {plain}" if "⁄" in plain else character


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
    plain = " ".join(plain.split())
    if plain in _MULTIPLES:
        return Decimal(_MULTIPLES[plain])
    whole, _, parts = plain.rpartition(" and ")
    above, _, below = parts.replace("-", " ").rpartition(" ")
    if below in _DENOMINATORS:  # "two and a half", "three quarters"
        over = Decimal(1) if above in ("", "a", "an") else _spelled(above)
        number = _spelled(whole) if whole else Decimal(0)
        return None if over is None or number is None else number + over / _DENOMINATORS[below]
    whole, _, decimals = plain.partition(" point ")
    total, part = Decimal(0), Decimal(0)
    for word in re.split(_GAP, whole):
        if word in _COUNTS:
            part += _COUNTS[word]
        elif word == "hundred":
            part = max(part, Decimal(1)) * 100
        elif word in SCALES:
            total, part = total + max(part, Decimal(1)) * SCALES[word], Decimal(0)
        elif word not in ("and", "a") or word == plain:
            return None
    digits = "".join(str(_COUNTS.get(each, "")) for each in decimals.split())
    return total + part + Decimal(f"0.{digits or 0}")


def format_number(number: Decimal) -> str:
    if int(number.as_tuple().exponent) < -_WRITTEN:
        number = round(number, _SHOWN)
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
