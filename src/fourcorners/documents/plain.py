"""Read plain text unchanged, so that external offsets remain valid, and Markdown as it is shown."""

from __future__ import annotations

import html
import re
from dataclasses import replace

from fourcorners.documents.encoding import decode_text
from fourcorners.documents.html.reader import read_page
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader

_MAX_NESTING = 60  # levels of quotations and lists
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?P<lines>.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_NOTE = re.compile(r"^\[(?=\^[^\]\n]+\]:)", re.MULTILINE)  # a footnote, no definition of a link


def _read_plain(file: RawFile) -> Content:
    decoded = decode_text(file.data)
    return Content(text=decoded.text, warnings=decoded.warnings)


def _read_markdown(file: RawFile) -> Content:
    """Read what a viewer shows: the words of the page that CommonMark describes.

    Lines stay lines, since contracts are often written with one clause on each.
    """
    from markdown_it import MarkdownIt

    decoded = decode_text(file.data)
    front = _FRONT_MATTER.match(decoded.text)
    body = decoded.text[front.end() :] if front else decoded.text
    parser = MarkdownIt("commonmark", {"breaks": True, "maxNesting": _MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    tokens = parser.parse(_NOTE.sub(r"\\\g<0>", body))
    if any(token.level >= _MAX_NESTING - 2 for token in tokens):  # what is deeper would be lost
        warning = "Its lists and quotations are nested too deeply: it is read as plain text."
        return Content(text=decoded.text, warnings=(*decoded.warnings, warning))
    page = str(parser.renderer.render(tokens, parser.options, {})).replace("<br />\n", "<br />")
    if front:
        lines = "\n".join(front["lines"].splitlines())
        page = f"<pre>{html.escape(lines)}</pre>{page}"
    return read_page(replace(decoded, text=page))


READER = Reader(name="plain", version=1, media_types=frozenset({MediaType.TEXT}), read=_read_plain)
MARKDOWN_READER = Reader(
    name="markdown", version=2, media_types=frozenset({MediaType.MARKDOWN}), read=_read_markdown
)
