"""How a count is written: the number formats of Word's lists."""

from __future__ import annotations

from collections.abc import Callable

_ROMAN_VALUES = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


_CHICAGO = "*\u2020\u2021\u00a7"  # ISO/IEC 29500-1, 17.18.59: as the Chicago Manual of Style has it
_STYLES: dict[str, Callable[[int], str]] = {
    "none": lambda _: "",
    "lowerLetter": lambda count: letter_number(count),
    "upperLetter": lambda count: letter_number(count).upper(),
    "lowerRoman": lambda count: roman_number(count),
    "upperRoman": lambda count: roman_number(count).upper(),
    "decimalZero": lambda count: f"{count:02d}",
    "ordinal": lambda count: ordinal(count),
    "cardinalText": lambda count: cardinal_text(count).capitalize(),
    "ordinalText": lambda count: ordinal_text(count).capitalize(),
    "numberInDash": lambda count: f"- {count} -",
    "hex": lambda count: f"{count:X}",
    "chicago": lambda count: chicago_sign(count),
    "decimalEnclosedCircle": lambda count: _character_number(count, 0x2460, 20),
    "decimalEnclosedParen": lambda count: _character_number(count, 0x2474, 20),
    "decimalEnclosedFullstop": lambda count: _character_number(count, 0x2488, 20),
    "decimalFullWidth": lambda count: "".join(chr(0xFF10 + int(digit)) for digit in str(count)),
}


def format_number(count: int, style: str) -> str:
    """Write a count in a style of Word's (`w:numFmt`); a style that is not known is decimal."""
    if style.startswith("custom "):  # "001, 002, 003, ...": zeros before it
        return str(count).zfill(len(style.removeprefix("custom ").split(",")[0].strip()))
    write = _STYLES.get(style)
    return str(count) if write is None or count < 0 else write(count)


def chicago_sign(count: int) -> str:
    """Return the footnote signs of the Chicago Manual of Style, doubled after the fourth."""
    if not 1 <= count <= 400:
        return str(count)
    return _CHICAGO[(count - 1) % 4] * ((count - 1) // 4 + 1)


def _character_number(count: int, first: int, last: int) -> str:
    return chr(first + count - 1) if 1 <= count <= last else str(count)


def letter_number(count: int) -> str:
    """Return a to z, then aa, bb and so on: Word repeats the letter."""
    if not 1 <= count <= 780:
        return str(count)
    return chr(97 + (count - 1) % 26) * ((count - 1) // 26 + 1)


def roman_number(count: int) -> str:
    if not 1 <= count <= 3999:
        return str(count)
    written = ""
    for size, sign in _ROMAN_VALUES:
        times, count = divmod(count, size)
        written += sign * times
    return written


def ordinal(count: int) -> str:
    if count % 100 in (11, 12, 13):
        return f"{count}th"
    return f"{count}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(count % 10, 'th') }"


def cardinal_text(count: int) -> str:
    """Return the count in words, up to nine thousand nine hundred ninety-nine."""
    if not 0 <= count < 10_000:
        return str(count)
    if count >= 1000:
        rest = f" {cardinal_text(count % 1000)}" if count % 1000 else ""
        return f"{_ONES[count // 1000]} thousand{rest}"
    if count >= 100:
        rest = f" {cardinal_text(count % 100)}" if count % 100 else ""
        return f"{_ONES[count // 100]} hundred{rest}"
    if count < 20:
        return _ONES[count]
    tens, ones = divmod(count, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


def ordinal_text(count: int) -> str:
    words = cardinal_text(count)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    head, last = words[:cut], words[cut:]
    if last.isdigit():
        return ordinal(count)
    if last in _ORDINALS:
        last = _ORDINALS[last]
    else:
        last = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{head}{last}"
