"""A file set by Typst as PDF: contract text goes in as data and never as markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

# Where a long word without spaces may be broken: after signs that join words, or anywhere at last.
_LONG: Final = re.compile(r"\S{19,}")
LONG_IN_QUOTE: Final = re.compile(r"\S{61,}")
_JOINT: Final = re.compile(r"(?<=[_\-/.,])(?=\w)|(?<=[a-z])(?=[A-Z])")
_BREAK: Final = "\u200b"
_NO_GLYPH: Final = re.compile(r'the text `"(?:\\u\{([0-9a-f]+)\}|([^"]+))"` could not be displayed')
_EAST_ASIAN: Final = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")


@dataclass(frozen=True, slots=True)
class TypesetFile:
    """A PDF, and the characters in whose place it has empty boxes, as no font has them."""

    data: bytes
    missing: str

    @property
    def warning(self) -> str:
        """Return what to say of these characters, with the fonts that are needed, if any are."""
        if not self.missing:
            return ""
        scripts = dict.fromkeys(filter(None, map(_script, self.missing))) or ["Symbols"]
        fonts = ", ".join(f"Noto Sans {each}" for each in scripts)
        return (
            f"No installed font has {len(self.missing)} of its characters, such as "
            f"“{self.missing[0]}”; they are printed as empty boxes. Install {fonts}."
        )


def _script(character: str) -> str:
    """Return the script of a letter; empty for a sign, which the fonts of scripts have as well."""
    if not unicodedata.category(character).startswith(("L", "M")):
        return ""
    first = unicodedata.name(character, "").partition(" ")[0]
    return "CJK" if first in _EAST_ASIAN else first.capitalize()


def typeset(source: Path, inputs: Mapping[str, str], created: datetime) -> TypesetFile:
    """Return what a template makes of its inputs, as a tagged PDF with its fonts in it.

    It follows PDF/UA-1 where the fonts have every character of the text. The same template and
    inputs make the same file, byte for byte.

    Raises:
        ConfigError: If the extra `pdf` is not installed, or the template does not compile.
    """
    try:
        import typst
    except ImportError as error:
        raise ConfigError(
            "PDF files need the extra `pdf`.", remedy="Run: pip install 'fourcorners[pdf]'"
        ) from error
    _check(source)
    moment = int(created.astimezone(UTC).timestamp())

    def compiled(standards: list[typst.PDFStandard]) -> bytes:
        return typst.compile(
            source,
            root=source.parent,
            format="pdf",
            sys_inputs=dict(inputs),
            pdf_standards=standards,
            timestamp=moment,
        )

    try:
        try:
            made = TypesetFile(compiled(["ua-1"]), "")
        except typst.TypstError as error:
            missing = "".join(dict.fromkeys(_missing_characters(error.diagnostic)))
            if not missing:
                raise
            made = TypesetFile(compiled([]), missing)
    except typst.TypstError as error:
        raise ConfigError(
            f"{source}: the template does not compile: {single_line(str(error))}",
            remedy="Start from the template that comes with the program.",
        ) from error
    return made


def _missing_characters(diagnostic: str) -> Iterator[str]:
    for found in _NO_GLYPH.finditer(diagnostic):
        yield from chr(int(found[1], 16)) if found[1] else found[2]


def _check(source: Path) -> None:
    """Refuse a template that would have packages fetched from the network."""
    try:
        source_text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{source}: the template cannot be read ({error}).", remedy="Give a Typst file (.typ)."
        ) from error
    if re.search(r"[\"@]@?preview/", source_text):
        raise ConfigError(
            f"{source}: the template imports a package from the network.",
            remedy="Put what it needs next to it, and import that.",
        )


def add_breaks(text: str, long: re.Pattern[str] = _LONG) -> str:
    """Return the text with places where its long words may be broken, so that none overflows."""
    return long.sub(_with_places, text)


def _with_places(found: re.Match[str]) -> str:
    pieces = [
        piece[at : at + 18]
        for piece in _JOINT.split(found.group())
        for at in range(0, len(piece), 18)
    ]
    return _BREAK.join(pieces)
