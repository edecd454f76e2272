"""Conditions over what a review found: `exclusivity AND minimum-commitment NOT change-of-control`.

A cell that was not filled makes a condition unknown, never false: absence is a claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from fourcorners.errors import ConfigError, QueryError
from fourcorners.playbooks.playbook import Playbook

_MOST = 200  # words, signs and names in one condition


@dataclass(frozen=True, slots=True)
class HasProvision:
    """A provision is found; `provision` is its id."""

    provision: str


@dataclass(frozen=True, slots=True)
class NotCondition:
    """The inner condition is false."""

    part: Condition


@dataclass(frozen=True, slots=True)
class AllConditions:
    """Every part is true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyCondition:
    """At least one part is true."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = "HasProvision | NotCondition | AllConditions | AnyCondition"


def evaluate_condition(condition: Condition, found: Mapping[str, bool | None]) -> bool | None:
    """Return whether a condition is true; None if that depends on unknown cells.

    `found` says whether each provision was found; a missing one, or None, is unknown.
    """
    if isinstance(condition, HasProvision):
        return found.get(condition.provision)
    if isinstance(condition, NotCondition):
        inner = evaluate_condition(condition.part, found)
        return None if inner is None else not inner
    parts = [evaluate_condition(part, found) for part in condition.parts]
    decides = isinstance(condition, AnyCondition)
    if decides in parts:
        return decides
    return None if None in parts else not decides


def condition_provisions(condition: Condition) -> list[str]:
    """Return the ids of the provisions that a condition names, in order, each once."""

    def walk(part: Condition) -> Iterator[str]:
        if isinstance(part, HasProvision):
            yield part.provision
        elif isinstance(part, NotCondition):
            yield from walk(part.part)
        else:
            for each in part.parts:
                yield from walk(each)

    return list(dict.fromkeys(walk(condition)))


def condition_text(condition: Condition, playbook: Playbook) -> str:
    """Return a condition as text that `parse` can read, with the provisions' ids."""
    if isinstance(condition, HasProvision):
        return playbook.provision(condition.provision).id
    if isinstance(condition, NotCondition):
        return f"NOT {_bracketed(condition.part, playbook)}"
    joint = " AND " if isinstance(condition, AllConditions) else " OR "
    text = joint.join(_bracketed(part, playbook) for part in condition.parts)
    return text.replace(" AND NOT ", " NOT ")


def _bracketed(condition: Condition, playbook: Playbook) -> str:
    text = condition_text(condition, playbook)
    return f"({text})" if isinstance(condition, AllConditions | AnyCondition) else text


class _Token(NamedTuple):
    """A sign (`AND`, `OR`, `NOT`, a bracket, `end`) or, with an empty sign, a name."""

    sign: str
    name: str
    at: int


_TOKENS = re.compile(
    r"\s*(?:(?P<sign>AND|OR|NOT)(?![^\s()\"“”])|(?P<bracket>[()])|[\"“](?P<quoted>[^\"“”]*)[\"”]|"
    r"(?P<word>[^\s()\"“”]+)|(?P<odd>\S))"
)


def is_condition(text: str) -> bool:
    """Return whether a text is written as a condition: with AND, OR, NOT, brackets or quotes."""
    return bool(re.search(r"(?<![\w-])(?:AND|OR|NOT)(?![\w-])|[()\"“”]", text))


def parse_condition(text: str, playbook: Playbook) -> Condition:
    """Read a condition: names of provisions joined by AND, OR and NOT (which implies AND).

    A name is an id, a name or an alias, in quotation marks or without.

    Raises:
        QueryError: If it does not parse; the message points at the character.
        ConfigError: If the playbook has no such provision.
    """
    tokens = list(_tokens(text))
    if len(tokens) > _MOST:
        raise QueryError(f"a condition has at most {_MOST} parts, not {len(tokens)}.")
    return _Reader(text, tokens, playbook).whole()


def _tokens(text: str) -> Iterator[_Token]:
    name: list[str] = []
    start = 0
    for match in _TOKENS.finditer(text):
        if match["word"] is not None:
            if not name:
                start = match.start("word")
            name.append(match["word"])
            continue
        if name:
            yield _Token("", " ".join(name), start)
            name = []
        if match["quoted"] is not None:
            yield _Token("", " ".join(match["quoted"].split()), match.start("quoted"))
        elif match["odd"] is not None:
            raise _fault(text, match.start("odd"), "a quotation mark is not closed")
        else:
            group = "sign" if match["sign"] else "bracket"
            yield _Token(match[group], "", match.start(group))
    if name:
        yield _Token("", " ".join(name), start)
    yield _Token("end", "", len(text))


def _fault(text: str, at: int, what: str) -> QueryError:
    error = QueryError(
        f"{what}, at character {at + 1} of {text!r}.",
        remedy="Write it as: exclusivity AND (insurance OR assignment) NOT change-of-control",
    )
    error.at = at
    return error


class _Reader:
    def __init__(self, text: str, tokens: Sequence[_Token], playbook: Playbook) -> None:
        self._text, self._tokens, self._playbook, self._at = text, tokens, playbook, 0

    def _take(self, sign: str) -> _Token | None:
        """Consume the next token if it is this sign."""
        token = self._tokens[self._at]
        self._at += token.sign == sign
        return token if token.sign == sign else None

    def whole(self) -> Condition:
        found = self._either()
        token = self._tokens[self._at]
        if token.sign != "end":
            what = "this bracket closes nothing" if token.sign == ")" else "AND or OR is missing"
            raise _fault(self._text, token.at, what)
        return found

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._take("OR"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else AnyCondition(tuple(parts))

    def _both(self) -> Condition:
        parts = [self._one()]
        while self._take("AND") or self._tokens[self._at].sign == "NOT":
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else AllConditions(tuple(parts))

    def _one(self) -> Condition:
        if self._take("NOT"):
            return NotCondition(self._one())
        if opened := self._take("("):
            inner = self._either()
            if not self._take(")"):
                raise _fault(self._text, opened.at, "this bracket is not closed")
            return inner
        token = self._tokens[self._at]
        if token.sign or not token.name:
            raise _fault(self._text, token.at, "the name of a provision is missing")
        self._at += 1
        try:
            return HasProvision(self._playbook.provision(token.name).id)
        except ConfigError as error:
            raise QueryError(
                f"{error.message.rstrip('.')}, at character {token.at + 1}.", remedy=error.remedy
            ) from error
