"""Split a page of HTML into tags and words, in one pass, however malformed it is.

Tree builders give up at some depth and lose what is below; the standard library's parser takes
minutes for a page of unclosed comments. This one reads each character once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Literal, NamedTuple

MAX_ATTRIBUTES = 4000  # characters of a tag that are searched for attributes
MAX_PICTURE = 30_000_000  # of one that may hold a picture

_NAME = re.compile(r"/?([a-zA-Z][^\s/>]{0,40})")
_ATTRIBUTE = re.compile(r"""([^\s=/>"']++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?""")
_LONG_NUMBER = re.compile(r"&#[0-9]{1000,}+;?")  # of no character, and more than Python takes
_SIGNS = re.compile("<*+")
_RAW_TEXT_TAGS = frozenset({"script", "style", "textarea", "title", "xmp"})


class Token(NamedTuple):
    """Characters with their references resolved, or the name of a tag that opens or closes."""

    kind: Literal["text", "start", "end"]
    text: str
    attributes: Mapping[str, str] = {}


def tokenize_html(page: str) -> Iterator[Token]:
    reader = _Tokenizer(page)
    while reader.at < len(page):
        yield from reader.next_tokens()


class _Tokenizer:
    def __init__(self, page: str) -> None:
        self._page, self.at = page, 0
        self._without: set[str] = set()  # end tags that do not occur any more

    def next_tokens(self) -> Iterator[Token]:
        page = self._page
        opened = page.find("<", self.at)
        if opened < 0:
            opened = len(page)
        if opened > self.at:
            yield Token("text", _unescape(page[self.at : opened]))
            self.at = opened
        if opened == len(page):
            return
        name = _NAME.match(page, opened + 1)
        if page.startswith("<!--", opened):
            self.at = self._find_end("-->", opened + 4) or opened + 4
        elif page.startswith(("<!", "<?"), opened):
            self.at = self._after_declaration(opened)
        elif name is None:  # the last of many such signs may open a tag
            self.at = max(opened + 1, _SIGNS.match(page, opened).end() - 1)  # type: ignore[union-attr]
            yield Token("text", page[opened : self.at])
        else:
            yield from self._tag(opened, name)

    def _after_declaration(self, opened: int) -> int:
        end = self._find_end(">", opened) or opened + 2
        inside = self._page[opened:end]
        if inside[:9].lower() == "<!doctype" and "[" in inside:  # of XHTML: it holds others
            return self._find_end("]>", opened) or end
        return end

    def _tag(self, opened: int, name: re.Match[str]) -> Iterator[Token]:
        end = self._end_of_tag(opened)
        if end is None:
            yield Token("text", "<")
            self.at = opened + 1
            return
        self.at = end
        word = name.group(1).lower()
        if self._page[opened + 1] == "/":
            yield Token("end", word)
            return
        longest = MAX_PICTURE if word == "img" else MAX_ATTRIBUTES
        inside = self._page[name.end() : min(end - 1, name.end() + longest)]
        yield Token("start", word, _parse_attributes(inside))
        if word in _RAW_TEXT_TAGS:
            closing = f"</{word}"
            last = self._find_ignoring_case(closing, end)
            if last is not None:
                yield Token("text", _unescape(self._page[end:last]))
                self.at = last

    def _end_of_tag(self, opened: int) -> int | None:
        """Return the place after a tag: after its first `>` outside quotes."""
        end = self._find_end(">", opened)
        if end is None:
            return None
        last = end
        for _ in range(4):  # a value may contain the sign a few times
            inside = self._page[opened:last]
            open_quote = next((q for q in ('="', "='") if inside.count(q[1]) % 2), None)
            if open_quote is None or open_quote not in inside or len(inside) > MAX_ATTRIBUTES:
                return last if open_quote is None else end
            further = self._page.find(">", last, last + MAX_ATTRIBUTES)
            if further < 0:
                return end
            last = further + 1
        return end

    def _find_end(self, sign: str, start: int) -> int | None:
        if sign in self._without:
            return None
        found = self._page.find(sign, start)
        if found < 0:
            self._without.add(sign)
            return None
        return found + len(sign)

    def _find_ignoring_case(self, sign: str, start: int) -> int | None:
        if sign in self._without:
            return None
        match = re.compile(re.escape(sign), re.IGNORECASE).search(self._page, start)
        if match is None:
            self._without.add(sign)
            return None
        return match.start()


def _parse_attributes(inside: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(inside):
        value = next((each for each in match.groups()[1:] if each is not None), "")
        found.setdefault(match.group(1).lower(), _unescape(value))
    return found


def _unescape(words: str) -> str:
    return unescape(_LONG_NUMBER.sub("\ufffd", words) if "&#" in words else words)
