"""The number formats of Word's lists."""

from __future__ import annotations

from collections.abc import Callable

from fourcorners.text.values.numbers import cardinal_text, ordinal, ordinal_text

_ROMAN_VALUES = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_CHICAGO = "*\u2020\u2021\u00a7"  # ISO/IEC 29500-1, 17.18.59: as the Chicago Manual of Style has it


def format_number(count: int, style: str) -> str:
    """Write a count in a number format of Word (`w:numFmt`); an unknown one is decimal."""
    if style.startswith("custom "):  # "001, 002, 003, ...": leading zeros
        return str(count).zfill(len(style.removeprefix("custom ").split(",")[0].strip()))
    write = _STYLES.get(style)
    return str(count) if write is None or count < 0 else write(count)


def _chicago_sign(count: int) -> str:
    """Return the footnote signs of the Chicago Manual of Style, doubled after the fourth."""
    return _CHICAGO[(count - 1) % 4] * ((count - 1) // 4 + 1) if 1 <= count <= 400 else str(count)


def _enclosed(first: int) -> Callable[[int], str]:
    """Return a formatter for the twenty characters from `first` on."""
    return lambda count: chr(first + count - 1) if 1 <= count <= 20 else str(count)


def _letter_number(count: int) -> str:
    """Return a to z, then aa, bb and so on: Word repeats the letter."""
    return chr(97 + (count - 1) % 26) * ((count - 1) // 26 + 1) if 1 <= count <= 780 else str(count)


def roman_number(count: int) -> str:
    if not 1 <= count <= 3999:
        return str(count)
    written = ""
    for size, sign in _ROMAN_VALUES:
        times, count = divmod(count, size)
        written += sign * times
    return written


_STYLES: dict[str, Callable[[int], str]] = {
    "none": lambda _: "",
    "lowerLetter": _letter_number,
    "upperLetter": lambda count: _letter_number(count).upper(),
    "lowerRoman": roman_number,
    "upperRoman": lambda count: roman_number(count).upper(),
    "decimalZero": lambda count: f"{count:02d}",
    "ordinal": ordinal,
    "cardinalText": lambda count: cardinal_text(count).capitalize(),
    "ordinalText": lambda count: ordinal_text(count).capitalize(),
    "numberInDash": lambda count: f"- {count} -",
    "hex": lambda count: f"{count:X}",
    "chicago": _chicago_sign,
    "decimalEnclosedCircle": _enclosed(0x2460),
    "decimalEnclosedParen": _enclosed(0x2474),
    "decimalEnclosedFullstop": _enclosed(0x2488),
    "decimalFullWidth": lambda count: "".join(chr(0xFF10 + int(digit)) for digit in str(count)),
}
