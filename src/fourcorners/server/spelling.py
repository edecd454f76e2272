"""American spelling of the pages' own words, where the operator chose it.

Only what templates say themselves is respelt: contracts, playbooks and names that are drawn into a
page stay as they are. Sentences that Python makes mix with these in pages, reports and messages, so
they have only words that both spell alike, which a test checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from fourcorners.text.patterns import load_yaml

_TAGS = re.compile(r"([<>])")
_READ_OUT = re.compile(r'\b(?:title|aria-label|placeholder|alt|data-confirm)="[^"]*')


@cache
def _british() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_american())})\b", re.IGNORECASE)


@cache
def _american() -> dict[str, str]:
    text = files("fourcorners.server").joinpath("spelling.yaml").read_text("utf-8")
    words: dict[str, str] = load_yaml(text)
    return words


def respell(words: str) -> str:
    """Return words in American spelling."""
    return _british().sub(_respell_word, words)


def _respell_word(found: re.Match[str]) -> str:
    word = _american()[found[0].casefold()]
    return f"{word[0].upper()}{word[1:]}" if found[0][0].isupper() else word


class AmericanSpelling(Extension):
    """Respells what a template says: the text between its tags, and what is read out of them."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        is_inside = False
        for token in stream:
            if token.type != "data":
                yield token
                continue
            parts = []
            for part in _TAGS.split(token.value):
                if part in ("<", ">"):
                    is_inside = part == "<"
                    parts.append(part)
                elif is_inside:
                    parts.append(_READ_OUT.sub(lambda found: respell(found[0]), part))
                else:
                    parts.append(respell(part))
            yield Token(token.lineno, "data", "".join(parts))
