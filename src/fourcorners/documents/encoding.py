"""Decode bytes: by byte order mark, then strict UTF-8, then Windows-1252 with a warning.

A statistical guess of the encoding is not used: on short texts it is wrong more often than this.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

# The control characters that no text contains: all of C0 but tab, line feed, vertical tab,
# form feed, carriage return, Ctrl-Z (the end of old DOS files) and escape.
_CONTROLS = bytes(sorted(set(range(32)) - {9, 10, 11, 12, 13, 26, 27}))
_HIGH_BYTES = bytes(range(128, 256))
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its first half
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 1 << 20  # bytes; enough to tell an encoding
# What programs declare as Latin-1 is really Windows-1252.
_BROWSER_ALIASES = dict.fromkeys(("iso-8859-1", "latin-1", "latin1"), "cp1252")
# Python's other codecs are not character sets; some take quadratic time, or decode text bytes to
# something else (`punycode`, `idna`, `unicode_escape`).
_CHARACTER_SETS = re.compile(
    r"utf-(?:7|8|8-sig|16|16-[lb]e|32|32-[lb]e)|iso8859-\d+|cp\d+\w*|koi8-\w|mac-\w+|hz|johab|"
    r"(?:gb|big5|euc_|iso2022_|shift_jis|tis-?620|kz1048|ptcp154|hp-roman8)\w*"
)
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DecodedText:
    text: str
    warnings: tuple[str, ...] = ()


def is_probably_text(data: bytes) -> bool:
    """Return whether data is text, in any encoding that `decode` handles, and not binary."""
    return _detect_encoding(data) is not None


def decode_text(data: bytes) -> DecodedText:
    """Return the text with its line ends as they are, without a byte order mark.

    NUL, which no store or terminal accepts, becomes U+FFFD, one for one.

    Raises:
        ValueError: If the data is not text.
    """
    encoding = _detect_encoding(data)
    if encoding is None:
        raise ValueError("not text in any supported encoding")
    warnings: list[str] = []
    marked = next((mark for mark, _ in _BYTE_ORDER_MARKS if data.startswith(mark)), b"")
    data = data[len(marked) :]
    # Windows-1252 leaves five bytes undefined; they become U+FFFD rather than a failure.
    text = data.decode(encoding, errors="strict" if encoding == "utf-8" else "replace")
    if encoding == "cp1252":
        warnings.append("The text is not UTF-8; it was read as Windows-1252.")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
        warnings.append("The text holds NUL characters; each is shown as U+FFFD.")
    return DecodedText(text, tuple(warnings))


def _detect_encoding(data: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding if _is_decodable(data[len(mark) :], encoding) else None
    sample = data[:_SAMPLE]
    unmarked = _utf16_without_bom(sample)
    if unmarked and _is_decodable(data, unmarked):
        return unmarked
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > len(sample) / 100:
        return None
    if _is_decodable(data, "utf-8"):
        return "utf-8"
    high = len(sample) - len(sample.translate(None, _HIGH_BYTES))
    return "cp1252" if high <= 0.3 * len(sample) else None


def _is_decodable(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _utf16_without_bom(sample: bytes) -> str | None:
    """Recognise UTF-16 of a Western script, in which every second byte is zero."""
    half = len(sample) // 2
    if half < 8:
        return None
    even, odd = sample[0 : 2 * half : 2].count(0), sample[1 : 2 * half : 2].count(0)
    if odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def decode_charset(data: bytes, charset: str) -> DecodedText | None:
    """Decode as the file declares; None if that fails or contradicts a byte order mark."""
    marked = data.startswith(tuple(mark for mark, _ in _BYTE_ORDER_MARKS))
    if marked or charset.lower() in ("", "ascii", "us-ascii"):
        return None
    try:
        encoding = codecs.lookup(_BROWSER_ALIASES.get(charset.lower(), charset)).name
        text = data.decode(encoding) if _CHARACTER_SETS.fullmatch(encoding) else None
    except (LookupError, ValueError):
        return None
    if text is None or _SURROGATES.search(text):
        return None
    return DecodedText(text.replace("\0", "\ufffd"))


_META_TAG = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def decode_html(data: bytes, charset: str = "") -> DecodedText:
    """Decode by byte order mark, declaration or bytes; raise ValueError if it is not text."""
    match = _META_TAG.search(data[:4096])
    for declared in (charset, match.group(1).decode("ascii") if match else ""):
        if declared.lower().replace("_", "-").startswith("utf-16"):
            continue  # what is ASCII up to here is not UTF-16
        decoded = decode_charset(data, declared)
        if decoded is not None:
            return decoded
    return decode_text(data)
