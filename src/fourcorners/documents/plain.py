"""Read plain text and Markdown unchanged, so that external offsets remain valid."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.documents.encoding import decode_text
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.text.span import Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# A line that starts with this is not a heading, even with an underline below it.
_BLOCK = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)])[ \t]| {4}|\t|\|")


def read_plain(file: RawFile) -> Content:
    decoded = decode_text(file.data)
    return Content(text=decoded.text, warnings=decoded.warnings)


def read_markdown(file: RawFile) -> Content:
    decoded = decode_text(file.data)
    marks = tuple(mark_headings(decoded.text))
    return Content(decoded.text, marks=marks, warnings=decoded.warnings)


def mark_headings(text: str) -> Iterator[Mark]:
    """Yield a mark for each heading: its words without the markup, its level as the detail."""
    above: tuple[int, str] | None = None  # the previous line, if it can be a heading
    fence = ""
    start = _front_matter_end(text)
    for match in _LINE.finditer(text, start):
        line = match.group().rstrip("\r\n")
        fenced = _FENCE.match(line)
        if fence:
            if fenced and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            above = None
            continue
        if fenced:
            fence, above = fenced.group(1), None
            continue
        atx, under = _ATX.match(line), _SETEXT.match(line)
        if atx:
            if words := _without_signs(line[atx.end() :]):
                first = match.start() + atx.end()
                span = Span(first, first + len(words))
                yield Mark(MarkKind.HEADING, span, str(len(atx.group(1))))
            above = None
        elif under and above is not None:
            level = "1" if under.group(1)[0] == "=" else "2"
            span = Span(above[0], above[0] + len(above[1])).strip(text)
            yield Mark(MarkKind.HEADING, span, level)
            above = None
        else:
            plain = bool(line.strip()) and not _BLOCK.match(line)
            above = (match.start(), line) if plain else None


def _without_signs(words: str) -> str:
    """Return a heading's words without trailing blanks and number signs."""
    words = words.rstrip(" \t")
    bare = words.rstrip("#")
    return bare.rstrip(" \t") if bare.endswith((" ", "\t")) else words


def _front_matter_end(text: str) -> int:
    match = re.match(r"---[ \t]*\r?\n.*?^---[ \t]*\r?$", text, re.DOTALL | re.MULTILINE)
    return match.end() if match else 0


READER = Reader(name="plain", version=1, media_types=frozenset({MediaType.TEXT}), read=read_plain)
MARKDOWN_READER = Reader(
    name="markdown", version=1, media_types=frozenset({MediaType.MARKDOWN}), read=read_markdown
)
