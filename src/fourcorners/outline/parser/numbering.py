"""Numbering schemes: the forms of clause numbers, how they count, and how they are cited."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from fourcorners.documents.number_formats import roman_number
from fourcorners.text.values.numbers import any_of, cardinal_text, ordinal_text

ROMAN_LIMIT = 49  # no contract counts its clauses in roman numerals as far as fifty
_HIGHEST = 99  # no part of a clause number is higher
_INSERTIONS = 128  # numbers that may be put in between two others; a power of two is exact
BLANK = "[^\\S\\n]"  # white space within a line

ATTACHMENTS = ("Exhibit", "Schedule", "Annex", "Annexure", "Appendix", "Attachment", "Addendum")
WORDS = {
    "article": "article",
    "part": "part",
    "chapter": "chapter",
    "section": "section",
    "sec.": "section",
    "§": "section",
    "clause": "section",
}
CARDINALS = tuple(map(cardinal_text, range(1, ROMAN_LIMIT + 1)))
ORDINALS = tuple(map(ordinal_text, range(1, ROMAN_LIMIT + 1)))
_PARTS = re.compile(r"\d+|[A-Za-z]+")
# The longer first: "twenty-one" before "twenty".
_ORDINALS = any_of(ORDINALS)
_SPELLED = any_of((*CARDINALS, *ORDINALS))

# What a number put in later adds to the one before it: 2A, 3AA, 1bis. A letter before a word in
# lower case is that sentence's first word ("1.1A party …").
LATIN = ("bis", "ter", "quater", "quinquies", "sexies")
INSERTED = rf"(?:[A-Z]{{1,3}}(?![\w’'-]|[^\S\n]+[a-z])|[^\S\n]?(?i:{'|'.join(LATIN)})\b)"
_WORD = (
    r"(?P<word>ARTICLE|Article|SECTION|Section|SEC\.|Sec\.|PART|Part|CHAPTER|Chapter|CLAUSE|Clause|§{1,2})"
    rf"[^\S\n]*(?:[–—-][^\S\n]+)?(?P<wnum>\d{{1,3}}-\d{{1,2}}(?![\w.-])|\d{{1,3}}{INSERTED}?(?:\.\d{{1,3}}{INSERTED}?){{0,4}}(?![\d,])"
    rf"|[IVXL]{{1,7}}(?:-[A-Z])?\b|[ivxl]{{1,7}}\b|[A-Z]\b|(?i:{_SPELLED})\b)(?P<wsub>(?:\([A-Za-z0-9]{{1,4}}\))*)[.:]?"
)
_DECIMAL = (
    rf"(?P<dec>\d{{1,2}}{INSERTED}?(?:\.\d{{1,3}}{INSERTED}?){{1,4}}|\d{{1,2}}(?:\.[^\S\n]\d{{1,2}}){{1,4}}(?=\.))"
    r"(?P<dsub>(?:\([A-Za-z0-9]{1,4}\))*)\.?(?=[^\S\n]|\n|$|[A-Z\"“(*])"
)
_NUMBER_LETTER = (
    rf"(?P<nl>\d{{1,2}}(?:\.?[A-Z](?:-[A-Z])?|[a-z]|{INSERTED}|-\d{{1,2}}(?=\.?[^\S\n]+[A-Z\"“])))"
    r"\.?(?=[^\S\n]|\n|$)"
)
_NUMBER = (
    r"(?P<num>\d{1,3})(?:(?P<nclose>[.)])(?=[^\S\n]|\n|$|[A-Z\"“(*])"
    r"(?![^\S\n]{1,3}[b-z]\.[^\S\n]+[A-Z])|[^\S\n]\.(?=[^\S\n]{1,3}[A-Z]))"
)
_PAREN = (
    r"\([^\S\n]?(?P<par>[a-z]{1,2}|[ivxl]{1,6}|[A-Z]{1,2}|[IVXL]{1,6}|\d{1,3}[A-E]{0,2})[^\S\n]?\)"
    r"(?=[^\S\n]|\n|$|[A-Z\"“(a-z])"
)
_LETTER = r"(?P<let>[a-z]|[ivxl]{1,6}|[A-Z]|[IVXL]{1,6})(?P<lclose>[.)])(?=[^\S\n]|\n|$|[\"“])"
_ORDINAL = rf"(?P<ord>(?=[EFNSTefnst])(?i:{_ORDINALS}))[:.]"
_BARE = r"(?P<bare>\d{1,2})(?=[^\S\n]{1,12}[A-Z\"“])"

# Within a line, a number before the next entry of a table of contents is a page's.
_BARE_WITHIN = rf"{_BARE}(?![^\S\n]+(?i:article|section|part|{'|'.join(ATTACHMENTS)})\b)"

# Every way to write a clause number, tried at line starts …
START_PATTERN = "|".join(
    (_WORD, _DECIMAL, _NUMBER_LETTER, _NUMBER, _PAREN, _LETTER, _ORDINAL, _BARE)
)
# … and within a line, where fewer are accepted.
INLINE_PATTERN = "|".join((_WORD, _DECIMAL, _NUMBER, _PAREN, _LETTER, _BARE_WITHIN))


@dataclass(frozen=True, slots=True)
class NumberReading:
    """One way to read a marker: the scheme it counts in and its value there.

    `family` names the scheme by its first label (`article`, `1.`, `1.1`, `(a)`, `(i)`, …);
    `path` is the value, one number a level for decimals; one put in later has a fraction, so that
    2A is between 2 and 3.
    """

    family: str
    path: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Number:
    written: str
    readings: tuple[NumberReading, ...]


def roman_value(numeral: str) -> int | None:
    """Return the value of a well-formed roman numeral of either case, up to `ROMAN_LIMIT`."""
    return _ROMANS.get(numeral.lower())


def letter_value(written: str) -> int | None:
    """Return the place of a list letter: a is 1, z is 26, aa is 27."""
    low = written.lower()
    if len(low) == 1 and "a" <= low <= "z":
        return ord(low) - 96
    if len(low) == 2 and low[0] == low[1] and "a" <= low[0] <= "z":
        return ord(low[0]) - 70
    return None


def steps_between(last: float, value: float) -> int:
    """Return how far a number is from the last one of its list: 1 if it comes next."""
    whole = math.floor(value)
    if whole == math.floor(last):
        return math.ceil((value - last) * _INSERTIONS)
    return whole - math.floor(last) + math.ceil((value - whole) * _INSERTIONS)


def number_value(written: str) -> float:
    """Return the value of a number: 2A follows 2, 2AA follows 2A, and 2ZA precedes 2A."""
    number, *rest = _PARTS.findall(written)
    added = rest[0].lower() if rest else ""
    if added in LATIN:
        places = [LATIN.index(added) + 1]
    elif added.isdigit():
        places = [int(added)]
    else:
        places = [ord(letter) - 96 for letter in added]
        if len(added) > 1 and added[0] == "z":
            places[0] = 0
    return math.fsum([int(number), *(each / _INSERTIONS**at for at, each in enumerate(places, 1))])


_ROMANS = {roman_number(value): value for value in range(1, ROMAN_LIMIT + 1)}


@lru_cache(maxsize=4096)
def _read_count(written: str, frame: str) -> tuple[NumberReading, ...]:
    """Read a letter, roman numeral or number set in a frame such as `(_)`, `_)` or `_.`."""
    if written[0].isdigit():
        return (NumberReading(frame.replace("_", "1"), (number_value(written),)),)
    values = (("a", letter_value(written)), ("i", roman_value(written)))
    named = ((first.upper() if written.isupper() else first, value) for first, value in values)
    return tuple(
        NumberReading(frame.replace("_", first), (value,))
        for first, value in named
        if value is not None
    )


def _decimal(written: str) -> tuple[NumberReading, ...]:
    path = tuple(number_value(part.strip()) for part in written.split("."))
    if max(path) > _HIGHEST:
        return ()
    if len(path) == 2 and path[1] == 0:
        return (NumberReading("1.", path[:1]), NumberReading("section", path[:1]))
    return (NumberReading(".".join("1" * len(path)), path),)


def _worded(word: str, value: str) -> tuple[NumberReading, ...]:
    family = WORDS["§" if word[0] == "§" else word.lower()]
    if "." in value:
        return _decimal(value)
    if value[0].isdigit():
        return (NumberReading(family, (number_value(value),)),)
    for words in (CARDINALS, ORDINALS):
        if value.lower() in words:
            return (NumberReading(family, (words.index(value.lower()) + 1,)),)
    numeral, _, added = value.partition("-")  # such as IV-A
    more = (letter_value(added) or 0) / _INSERTIONS
    return tuple(
        NumberReading(family, (each.path[0] + more,)) for each in _read_count(numeral, "_")
    )


def _lettered(written: str) -> tuple[NumberReading, ...]:
    """Read 2A and 2-1 as put in after 2, or as a part of it; 2.A and 2a can only be a part."""
    number, *_, part = _PARTS.findall(written)
    value = int(part) if part.isdigit() else letter_value(part)
    family = "1-1" if part.isdigit() else "1.A"
    inner = () if value is None else (NumberReading(family, (int(number), value)),)
    is_part = "." in written or (part.islower() and part not in LATIN)
    return inner if is_part else (NumberReading("1.", (number_value(written),)), *inner)


def _sub(readings: tuple[NumberReading, ...], sub: str) -> tuple[NumberReading, ...]:
    """Extend a path by the brackets written with it, as in `2.1(a)`."""
    if not sub:
        return readings
    tails = [_read_count(part, "(_)") for part in re.findall(r"\(([^)]*)\)", sub)]
    if not all(tails):
        return ()
    tail = tuple(choices[0].path[0] for choices in tails)
    return tuple(
        NumberReading(f"{reading.family}{'()' * len(tail)}", reading.path + tail)
        for reading in readings
    )


def parse_number(match: re.Match[str]) -> Number | None:
    """Read a match of a numbering pattern; None if it is not a number."""
    group = match.groupdict().get
    readings: tuple[NumberReading, ...] = ()
    if word := group("word"):
        value = group("wnum") or ""
        written = f"{value}{group('wsub') or ''}"
        family = WORDS["§" if word[0] == "§" else word.lower()]
        if family in ("article", "part", "chapter"):
            written = f"{word.capitalize()} {written}"
        readings = _sub(_worded(word, value), group("wsub") or "")
    elif dec := group("dec"):
        written = "".join(dec.split()) + (group("dsub") or "")
        readings = _sub(_decimal(dec), group("dsub") or "")
    elif mixed := group("nl"):
        written = "".join(mixed.split())
        readings = _lettered(written)
    elif number := group("num"):
        written = number
        readings = _read_count(number, f"_{group('nclose') or '.'}")
    elif inner := group("par"):
        written = f"({inner})"
        readings = _read_count(inner, "(_)")
    elif inner := group("let"):
        written = inner
        readings = _read_count(inner, f"_{group('lclose')}")
        if inner in ("I", "l"):
            readings += (NumberReading(f"1{group('lclose')}", (1,)),)  # often misread, or mistyped
    elif ordinal := group("ord"):
        written = ordinal.capitalize()
        readings = (NumberReading("first", (ORDINALS.index(ordinal.lower()) + 1,)),)
    else:
        written = group("bare") or ""
        readings = (NumberReading("1.", (int(written),)),)
    return Number(written, readings) if readings else None
