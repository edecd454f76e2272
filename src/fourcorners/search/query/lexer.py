"""Split a query into tokens, with errors that point at the character."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from fourcorners.errors import QueryError
from fourcorners.search.query.tree import FieldName
from fourcorners.text.patterns import load_patterns
from fourcorners.text.tokenization import tokenize

FAULTS = Path(__file__).with_name("faults.yaml")
"""The errors of queries, each with its message, and what to write instead."""
MAX_CHARACTERS = 100_000  # of a query
MAX_SHOWN = 72  # characters of a long query that are shown around the fault
MAX_DISTANCE = 1_000  # words of a proximity
MAX_BOOST = 1_000.0  # of a term


class TokenKind(Enum):
    """What a token of the query is; the value names it in messages."""

    CHUNK = "a word"
    FIELD = "a field"
    STRING = "a phrase"
    OPEN = "`(`"
    CLOSE = "`)`"
    LIST_OPEN = "`[`"
    LIST_CLOSE = "`]`"
    COMMA = "`,`"
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    WITHIN = "a proximity"
    SLOP = "`~`"
    BOOST = "`^`"
    END = "the end of the query"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `at` is where it starts, `text` its words, `number` its distance or boost.

    Attributes:
        field: The name of a field; its value is at `value_at`.
    """

    kind: TokenKind
    at: int
    text: str = ""
    number: float = 0.0
    ordered: bool = False
    field: str = ""
    value_at: int = 0


QUOTES = '"“”„‟'
_SINGLE = {
    "(": TokenKind.OPEN,
    ")": TokenKind.CLOSE,
    "[": TokenKind.LIST_OPEN,
    "]": TokenKind.LIST_CLOSE,
}
_OPERATORS = {"AND": TokenKind.AND, "OR": TokenKind.OR, "NOT": TokenKind.NOT}
_PATTERNS = load_patterns("fourcorners.search.query", "lexer")
_CHUNK = re.compile(rf"[^\s{QUOTES}()\[\]^~]+")
_CHUNK_IN_LIST = re.compile(rf"[^\s{QUOTES}()\[\]^~,]+")
_FIELD = re.compile(rf"({'|'.join(name.value for name in FieldName)}):(?=\S)", re.IGNORECASE)
_SUM = _PATTERNS["sum"]
_SLOP = _PATTERNS["slop"]
_BOOST = _PATTERNS["boost"]
_WITHIN = _PATTERNS["within"]
_FOREIGN_WITHIN = _PATTERNS["foreign_within"]


def tokenize_query(query: str) -> Iterator[Token]:
    """Yield the tokens of a query; chunks without a letter or digit are left out.

    Raises:
        QueryError: If a mark of the language is not complete, or a number is too large.
    """
    if len(query) > MAX_CHARACTERS:
        raise query_error(query, MAX_CHARACTERS, "too_long", most=MAX_CHARACTERS)
    at = 0
    brackets: list[str] = []
    while at < len(query):
        char = query[at]
        if char.isspace():
            at += 1
            continue
        token, end = _next_token(query, at, in_list=brackets[-1:] == ["["])
        if char in "([":
            brackets.append(char)
        elif char in ")]" and brackets:
            brackets.pop()
        if token:
            yield token
        at = end
    yield Token(TokenKind.END, len(query.rstrip()))


def _next_token(query: str, at: int, *, in_list: bool) -> tuple[Token | None, int]:
    char = query[at]
    if char in _SINGLE:
        return Token(_SINGLE[char], at, char), at + 1
    if char in QUOTES:
        return _string(query, at)
    if char == "~":
        return _slop(query, at)
    if char == "^":
        return _boost(query, at)
    if char == "," and in_list:
        return Token(TokenKind.COMMA, at, char), at + 1
    if field := _FIELD.match(query, at):
        return _field(query, at, field[1].lower(), field.end(), in_list=in_list)
    found = _SUM.match(query, at) or (_CHUNK_IN_LIST if in_list else _CHUNK).match(query, at)
    assert found is not None  # noqa: S101 - the cases above take every other character
    return _chunk(query, at, found[0]), found.end()


def _field(query: str, at: int, name: str, value_at: int, *, in_list: bool) -> tuple[Token, int]:
    if query[value_at] in QUOTES:
        value, end = _string(query, value_at)
        return Token(TokenKind.FIELD, at, value.text, field=name, value_at=value_at + 1), end
    found = (_CHUNK_IN_LIST if in_list else _CHUNK).match(query, value_at)
    if found is None:
        raise query_error(query, value_at, "no_value", field=name)
    return Token(TokenKind.FIELD, at, found[0], field=name, value_at=value_at), found.end()


def _string(query: str, at: int) -> tuple[Token, int]:
    for end in range(at + 1, len(query)):
        if query[end] in QUOTES:
            return Token(TokenKind.STRING, at, query[at + 1 : end]), end + 1
    raise query_error(query, at, "open_quote")


def _slop(query: str, at: int) -> tuple[Token, int]:
    found = _SLOP.match(query, at)
    if not found:
        raise query_error(query, at, "no_distance")
    return Token(TokenKind.SLOP, at, found[0], _distance(query, at, found[1])), found.end()


def _boost(query: str, at: int) -> tuple[Token, int]:
    found = _BOOST.match(query, at)
    if not found:
        raise query_error(query, at, "no_boost")
    boost = round(float(found[1]), 6) if len(found[1]) < 20 else MAX_BOOST + 1
    if not 0 < boost <= MAX_BOOST:
        raise query_error(query, at, "high_boost" if boost else "zero_boost", most=MAX_BOOST)
    return Token(TokenKind.BOOST, at, found[0], boost), found.end()


def _distance(query: str, at: int, digits: str) -> int:
    distance = int(digits) if len(digits) < 10 else MAX_DISTANCE + 1
    if distance > MAX_DISTANCE:
        raise query_error(query, at, "far", most=MAX_DISTANCE)
    return distance


def _chunk(query: str, at: int, chunk: str) -> Token | None:
    if chunk in _OPERATORS:
        return Token(_OPERATORS[chunk], at, chunk)
    if found := _WITHIN.fullmatch(chunk):
        ordered = found[1].lower() in ("pre", "onear")
        distance = _distance(query, at, found[2])
        return Token(TokenKind.WITHIN, at, chunk, distance, ordered)
    _refuse_other_dialects(query, at, chunk)
    if chunk.strip("*") != chunk or tokenize(chunk).tokens:
        return Token(TokenKind.CHUNK, at, chunk)
    return None


def _refuse_other_dialects(query: str, at: int, chunk: str) -> None:
    """Refuse syntax of other query languages that would be misread here."""
    following = query[at + len(chunk) : at + len(chunk) + 1]
    if _FOREIGN_WITHIN.fullmatch(chunk):
        raise query_error(query, at, "foreign_within", operator=chunk)
    if chunk == "NEAR" and following == "(":
        raise query_error(query, at, "foreign_near")
    sign, rest = chunk[0], chunk[1:] or following
    if sign in "-!+" and rest and (rest[0].isalnum() or rest[0] in QUOTES + "("):
        raise query_error(query, at, "foreign_must" if sign == "+" else "foreign_not", sign=sign)


def query_error(query: str, at: int, fault: str, **values: str | float) -> QueryError:
    """Return an error that shows the query with a caret under the character at `at`.

    `fault` is its name in `faults.yaml`, and `values` fill in its message and remedy.
    """
    what, remedy = (_faults()[fault][part].format(**values) for part in ("what", "remedy"))
    start = max(0, min(at - MAX_SHOWN // 2, len(query) - MAX_SHOWN))
    shown = "".join(
        char if char.isprintable() else " " for char in query[start : start + MAX_SHOWN]
    )
    before = "…" if start else ""
    after = "…" if start + MAX_SHOWN < len(query) else ""
    caret = " " * (len(before) + at - start) + "^"
    error = QueryError(f"{what}\n  {before}{shown}{after}\n  {caret}", remedy=remedy)
    error.at = at
    return error


@cache
def _faults() -> Mapping[str, Mapping[str, str]]:
    from fourcorners.text.patterns import load_yaml

    faults: dict[str, dict[str, str]] = load_yaml(FAULTS.read_text(encoding="utf-8"))
    return faults
