"""The parser: recursive descent over the tokens of a query.

query   = or
or      = and { "OR" and }
and     = not { [ "AND" ] not }
not     = { "NOT" } near
near    = primary { ( w/N | pre/N ) primary }
primary = ( "(" or ")" | "[" or { "," or } "]" | phrase [ ~N ] | word ) [ ^B ] | name:value
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import replace
from datetime import date
from math import prod

from fourcorners.errors import QueryError
from fourcorners.search.query.lexer import MAX_BOOST, Token, TokenKind, query_error, tokenize_query
from fourcorners.search.query.tree import (
    And,
    Field,
    FieldName,
    Mode,
    Node,
    Not,
    Or,
    Part,
    Phrase,
    Prefix,
    Proximity,
    Query,
    Word,
)
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import word_spans
from fourcorners.text.tokenization import tokenize

MAX_TERMS = 1_000  # of a query
MAX_DEPTH = 50  # of brackets
MAX_NEAR_PARTS = 16  # of a proximity
MAX_NEAR_CHOICES = 256
"""Maximum combinations of one alternative from each OR group of a proximity."""
PLAIN_WORDS = 3  # minimum words without operators of a question
_PATTERNS = load_patterns("fourcorners.search.query", "parser")
_DAY = _PATTERNS["day"]

# Scripts written without spaces: the index has a whole run of them as one word.
_UNSPACED = _PATTERNS["unspaced"]
_ENDS = frozenset(
    (TokenKind.END, TokenKind.CLOSE, TokenKind.LIST_CLOSE, TokenKind.COMMA, TokenKind.OR)
)


def parse_query(
    text: str, *, mode: Mode = Mode.SYMMETRIC, stem: bool = False, fields: bool = True
) -> Query:
    """Parse a query; see `fourcorners.search.query` for the language.

    Args:
        text: What the user wrote.
        mode: How to read `"a b"~5`.
        stem: Whether `assign` finds assigns, assigned and assignment too.
        fields: Whether fields such as `type:lease` are allowed.

    Raises:
        QueryError: If it is invalid. The message shows the place, the remedy what to write.
    """
    if not text.strip():
        raise QueryError(
            "the query is empty.", remedy='Write words, such as "change control"~5 OR assign*.'
        )
    parser = _Parser(text, mode, fields=fields)
    tree = parser.query()
    return Query(text, tree, parser.plain, mode, stem)


class _Parser:
    def __init__(self, text: str, mode: Mode, *, fields: bool) -> None:
        self._text = text
        self._mode = mode
        self._fields = fields
        self._tokens = list(tokenize_query(text))
        self._at = 0
        self._depth = 0
        self._terms = 0

    @property
    def plain(self) -> bool:
        """Return whether there are only bare words, and enough of them for a question."""
        given = [token for token in self._tokens[:-1] if token.kind is not TokenKind.FIELD]
        bare = all(
            token.kind is TokenKind.CHUNK and not token.text.endswith("*") for token in given
        )
        return bare and len(given) >= PLAIN_WORDS

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _fault(self, at: int, fault: str, **values: str | float) -> QueryError:
        return query_error(self._text, at, fault, **values)

    def query(self) -> Node:
        if self._peek().kind is TokenKind.END:
            raise self._nothing(0)
        tree, at = self._or()
        self._positive(tree, at)
        if self._peek().kind is not TokenKind.END:
            opening = {TokenKind.CLOSE: "(", TokenKind.LIST_CLOSE: "["}.get(self._peek().kind)
            raise self._fault(
                self._peek().at,
                "closes_nothing" if opening else "stray",
                token=self._peek().kind.value,
                opening=opening or "",
            )
        return tree

    def _positive(self, node: Node, at: int) -> None:
        if isinstance(node, Not):
            raise self._fault(at, "not_alone")

    def _or(self) -> tuple[Node, int]:
        first, start = self._and()
        parts = [first]
        while self._peek().kind is TokenKind.OR:
            self._positive(parts[-1], start)
            self._take()
            part, at = self._and()
            self._positive(part, at)
            parts.append(part)
        return (parts[0] if len(parts) == 1 else Or(tuple(parts))), start

    def _and(self) -> tuple[Node, int]:
        first, start = self._parse_not()
        parts = [first]
        while self._peek().kind not in _ENDS:
            if self._peek().kind is TokenKind.AND:
                self._take()
            parts.append(self._parse_not()[0])
        if len(parts) == 1:
            return first, start
        if all(isinstance(part, Not) for part in parts):
            self._positive(first, start)
        return And(tuple(parts)), start

    def _parse_not(self) -> tuple[Node, int]:
        start = self._peek().at
        if self._peek().kind is not TokenKind.NOT:
            return self._parse_near(), start
        self._take()
        part = self._parse_near() if self._peek().kind is not TokenKind.NOT else None
        if part is None or isinstance(part, Not):
            raise self._fault(start, "not_of_not")
        return Not(part), start

    def _parse_near(self) -> Node:
        start = self._peek().at
        first = self._primary()
        if self._peek().kind is not TokenKind.WITHIN:
            return first
        joint = self._peek()
        parts = [self._part(first, start)]
        while self._peek().kind is TokenKind.WITHIN:
            other = self._take()
            if (other.number, other.ordered) != (joint.number, joint.ordered):
                raise self._fault(other.at, "mixed_chain", first=joint.text, other=other.text)
            at = self._peek().at
            parts.append(self._part(self._primary(), at))
        return self._join_proximity(tuple(parts), joint)

    def _join_proximity(self, parts: tuple[Part, ...], joint: Token) -> Proximity:
        if len(parts) > MAX_NEAR_PARTS:
            raise self._fault(joint.at, "many_parts", count=len(parts), most=MAX_NEAR_PARTS)
        if prod(map(_choices, parts)) > MAX_NEAR_CHOICES:
            raise self._fault(joint.at, "many_pairs", most=MAX_NEAR_CHOICES)
        return Proximity(parts, int(joint.number), joint.ordered)

    def _part(self, node: Node, at: int) -> Part:
        if not isinstance(node, Word | Prefix | Phrase | Or) or not _is_part(node):
            raise self._fault(at, "no_part")
        if _is_boosted(node):
            raise self._fault(at, "boosted_part")
        return node

    def _primary(self) -> Node:
        token = self._take()
        match token.kind:
            case TokenKind.OPEN:
                node = self._group(token, TokenKind.CLOSE)
            case TokenKind.LIST_OPEN:
                node = self._group(token, TokenKind.LIST_CLOSE)
            case TokenKind.STRING:
                node = self._string(token)
            case TokenKind.CHUNK:
                folded, prefix = self._fold_chunk(token.text, token.at)
                node = _term(folded, prefix=prefix)
            case TokenKind.FIELD:
                return self._field(token)
            case _:
                raise self._missing(token)
        return self._boosted(node)

    def _missing(self, token: Token) -> QueryError:
        fault = {TokenKind.SLOP: "lone_distance", TokenKind.BOOST: "lone_boost"}.get(token.kind)
        return self._fault(token.at, fault or "missing", token=token.kind.value)

    def _group(self, opening: Token, closing: TokenKind) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._fault(opening.at, "deep", most=MAX_DEPTH)
        parts = [self._or()]
        while closing is TokenKind.LIST_CLOSE and self._peek().kind is TokenKind.COMMA:
            self._take()
            if self._peek().kind is TokenKind.LIST_CLOSE:
                break
            parts.append(self._or())
        if self._peek().kind is not closing:
            is_end = self._peek().kind is TokenKind.END
            raise self._fault(
                opening.at if is_end else self._peek().at,
                "open_bracket" if is_end else "other_bracket",
                opening=opening.text,
                token=self._peek().kind.value,
                closing=closing.value,
            )
        self._take()
        self._depth -= 1
        if len(parts) == 1:
            if closing is TokenKind.LIST_CLOSE or self._peek().kind is TokenKind.BOOST:
                self._positive(*parts[0])
            return parts[0][0]
        for part, at in parts:
            self._positive(part, at)
        return Or(tuple(part for part, _ in parts))

    def _boosted(self, node: Node) -> Node:
        if self._peek().kind is not TokenKind.BOOST:
            return node
        token = self._take()
        assert not isinstance(node, Not)  # noqa: S101 - `_group` has refused it
        if isinstance(node, Field):
            raise self._fault(token.at, "boosted_field")
        boost = round(node.boost * token.number, 6)
        if not 0 < boost <= MAX_BOOST:
            raise self._fault(token.at, "boosts", boost=boost, most=MAX_BOOST)
        return replace(node, boost=boost)

    def _string(self, token: Token) -> Node:
        slop = self._take() if self._peek().kind is TokenKind.SLOP else None
        parts: list[tuple[tuple[str, ...], bool]] = []
        for place in word_spans(token.text):
            at, chunk = token.at + 1 + place.start, place.text_in(token.text)
            if parts and parts[-1][1] and not slop:
                raise self._fault(at, "prefix_within")
            if chunk.strip("*") != chunk or tokenize(chunk).tokens:
                parts.append(self._fold_chunk(chunk, at))
        if not parts:
            raise self._nothing(token.at)
        lucene = self._mode is Mode.LUCENE
        if slop and lucene:
            parts = [
                ((word,), prefix and at == len(part) - 1)
                for part, prefix in parts
                for at, word in enumerate(part)
            ]
        if not slop:
            return _term(tuple(word for part, _ in parts for word in part), prefix=parts[-1][1])
        if len(parts) == 1:
            raise self._fault(token.at, "one_word")
        joined = self._join_proximity(
            tuple(_term(part, prefix=prefix) for part, prefix in parts), slop
        )
        return replace(joined, sloppy=lucene)

    def _field(self, token: Token) -> Field:
        if not self._fields:
            raise self._fault(token.at, "field_of_one", field=token.field)
        if self._peek().kind in (TokenKind.BOOST, TokenKind.SLOP):
            raise self._fault(self._peek().at, "marked_field")
        name, value = FieldName(token.field), " ".join(token.text.split())
        if name is FieldName.DATE:
            first, last = self._days(value, token.value_at)
            return Field(name, value, first, last)
        if not tokenize(value).tokens or "*" in value:
            raise self._fault(token.value_at, "field_words", field=token.field)
        return Field(name, value)

    def _days(self, value: str, at: int) -> tuple[date | None, date | None]:
        """Return the first and last day of `2019`, `2019-03`, `2019-03-04`, `2019..2021-06`."""
        left, dots, right = value.partition("..")
        first, last = _day(left, last=False), _day(right if dots else left, last=True)
        missing = (not left and not right) or (left and not first) or (right and not last)
        if missing or (not dots and not first):
            raise self._fault(at, "no_date")
        if first and last and last < first:
            raise self._fault(at, "backwards")
        return first, last

    def _fold_chunk(self, chunk: str, at: int) -> tuple[tuple[str, ...], bool]:
        """Return the folded words of a chunk, and whether the last is only the start of one."""
        bare = chunk.rstrip("*")
        folded = tuple(tokenize(bare).tokens)
        prefix = bare != chunk
        if prefix and (not folded or not tokenize(bare[-1]).tokens or len(chunk) - len(bare) > 1):
            raise self._fault(at + len(bare), "lone_star")
        if "*" in bare or re.search(r"\w\?\w", bare):
            mark = bare.find("*") if "*" in bare else bare.find("?")
            raise self._fault(at + mark, "wildcard", mark=bare[mark])
        if unspaced := _UNSPACED.search(bare):
            raise self._fault(at + unspaced.start(), "unspaced")
        self._terms += len(folded)
        if self._terms > MAX_TERMS:
            raise self._fault(at, "many_terms", most=MAX_TERMS)
        return folded, prefix

    def _nothing(self, at: int) -> QueryError:
        return self._fault(at, "nothing")


def _term(folded: tuple[str, ...], *, prefix: bool) -> Word | Prefix | Phrase:
    if len(folded) > 1:
        return Phrase(folded, prefix)
    return Prefix(folded[0]) if prefix else Word(folded[0])


def _day(text: str, *, last: bool) -> date | None:
    """Return the first (or last) day of a year, month or day; None if it is invalid."""
    found = _DAY.fullmatch(text)
    if not found:
        return None
    year, month = int(found[1]), int(found[2] or (12 if last else 1))
    if not (year and 1 <= month <= 12):
        return None
    length = monthrange(year, month)[1]
    day = int(found[3] or (length if last else 1))
    return date(year, month, day) if 1 <= day <= length else None


def _is_part(node: Node) -> bool:
    if isinstance(node, Or):
        return all(map(_is_part, node.parts))
    return isinstance(node, Word | Prefix | Phrase)


def _is_boosted(node: Part) -> bool:
    if node.boost != 1.0:
        return True
    return isinstance(node, Or) and any(
        _is_boosted(part)
        for part in node.parts
        if not isinstance(part, And | Not | Proximity | Field)
    )


def _choices(node: Node) -> int:
    return sum(map(_choices, node.parts)) if isinstance(node, Or) else 1
