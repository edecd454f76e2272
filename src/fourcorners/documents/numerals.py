"""How a count is written: the number formats of Word's lists."""

from __future__ import annotations

_ROMAN = (
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


def numeral(count: int, style: str) -> str:
    """Write a count in a style of Word's (`w:numFmt`); a style that is not known is decimal."""
    match style:
        case "none":
            return ""
        case "lowerLetter":
            return letters(count)
        case "upperLetter":
            return letters(count).upper()
        case "lowerRoman":
            return roman(count)
        case "upperRoman":
            return roman(count).upper()
        case "decimalZero":
            return f"{count:02d}"
        case "ordinal":
            return ordinal(count)
        case "cardinalText":
            return cardinal_text(count).capitalize()
        case "ordinalText":
            return ordinal_text(count).capitalize()
        case _:
            return str(count)


def letters(count: int) -> str:
    """Return a to z, then aa, bb and so on: Word repeats the letter."""
    if not 1 <= count <= 780:
        return str(count)
    return chr(97 + (count - 1) % 26) * ((count - 1) // 26 + 1)


def roman(count: int) -> str:
    """Return the count in small Roman numerals."""
    if not 1 <= count <= 3999:
        return str(count)
    written = ""
    for size, sign in _ROMAN:
        times, count = divmod(count, size)
        written += sign * times
    return written


def ordinal(count: int) -> str:
    """Return 1st, 2nd, 3rd, 4th and so on."""
    if count % 100 in (11, 12, 13):
        return f"{count}th"
    return f"{count}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(count % 10, 'th') }"


def cardinal_text(count: int) -> str:
    """Return the count in words, up to ninety-nine."""
    if not 0 <= count < 100:
        return str(count)
    if count < 20:
        return _ONES[count]
    tens, ones = divmod(count, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


def ordinal_text(count: int) -> str:
    """Return first, second … ninety-ninth."""
    head, dash, last = cardinal_text(count).rpartition("-")
    if last.isdigit():
        return ordinal(count)
    if last in _ORDINALS:
        last = _ORDINALS[last]
    else:
        last = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return f"{head}{dash}{last}"
