"""Whether a sentence allows, requires, forbids or spares what a question of yes or no asks.

Contracts say who may, shall or shall not do what in few turns of phrase. A sentence is read so only
where the one who may or shall is the one that the question is about, and what follows speaks of
what the question has done; whatever else it says is left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.search.stems import stems
from fourcorners.text.patterns import load_patterns


class Polarity(StrEnum):
    ALLOWS = "allows"
    REQUIRES = "requires"
    FORBIDS = "forbids"
    SPARES = "spares"  # nobody has to


class ModalQuestion(StrEnum):
    ALLOWED = "is it allowed?"
    REQUIRED = "is it required?"


_REACH = 90  # characters after the words of permission within which the act is named
_BEFORE = 110  # characters before them within which the one who may is named
_PATTERNS = load_patterns("fourcorners.research.verdict", "polarity")
_CUES = (
    (Polarity.SPARES, _PATTERNS["spares"]),
    (Polarity.FORBIDS, _PATTERNS["forbids"]),
    (Polarity.ALLOWS, _PATTERNS["allows"]),
    (Polarity.REQUIRES, _PATTERNS["requires"]),
)
_ASKED = (
    (ModalQuestion.REQUIRED, _PATTERNS["required"]),
    (ModalQuestion.ALLOWED, _PATTERNS["allowed"]),
)
_ANYBODY = _PATTERNS["anybody"]
_PASSIVE = _PATTERNS["passive"]
_HEDGED = _PATTERNS["hedged"]
_NON = _PATTERNS["non"]
_SPLIT = _PATTERNS["split"]


@dataclass(frozen=True, slots=True)
class ModalStatement:
    """The statement of a question taken apart: who, and what they would do.

    Attributes:
        subject: Stems of who, under each name.
        verb: Stems of which one at least must follow: of the act's verb, and of the law's words.
        act: Stems of all that would be done.
    """

    asks: ModalQuestion
    subject: frozenset[str]
    verb: frozenset[str]
    act: frozenset[str]


def parse_modal_statement(statement: str, own: str, terms: str) -> ModalStatement | None:
    """Take the statement of a question apart; None if it is not of what may or must be done.

    Args:
        statement: As the question names the parties.
        own: The same in the contract's own words.
        terms: The law's words for what the question says in everyday ones.
    """
    for asks, pattern in _ASKED:
        match = pattern.match(statement.strip().rstrip("."))
        if match is None:
            continue
        matched = pattern.match(own.strip().rstrip("."))
        who = f"{match['subject']} {matched['subject'] if matched else ''}"
        act = match["act"]
        verb = stems(act)[:1]
        law = stems(terms) if terms else []
        return ModalStatement(
            asks,
            frozenset(stems(who)),
            frozenset((*verb, *law)),
            frozenset((*stems(act), *law)),
        )
    return None


def find_polarities(sentence: str, asked: ModalStatement) -> Iterator[tuple[Polarity, str]]:
    """Yield what a sentence says of the act that is asked for, with the piece that says it."""
    start = 0
    for end in (*(match.end() for match in _SPLIT.finditer(sentence)), len(sentence)):
        piece, start = sentence[start:end], end
        for stance, found in _cues(piece):
            before = piece[max(0, found.start() - _BEFORE) : found.end()]
            after = piece[found.end() : found.end() + _REACH]
            if _is_meant(before, after, asked) and asked.verb & set(stems(after)):
                yield stance, piece


def _cues(piece: str) -> Iterator[tuple[Polarity, re.Match[str]]]:
    """Yield the words of permission and duty, each as the first kind that knows it."""
    taken: list[tuple[int, int]] = []
    for stance, pattern in _CUES:
        for match in pattern.finditer(piece):
            if not any(match.start() < end and start < match.end() for start, end in taken):
                taken.append(match.span())
                yield stance, match


def _is_meant(before: str, after: str, asked: ModalStatement) -> bool:
    """Tell whether the one who may or shall is the one that is asked about."""
    if _ANYBODY.search(before) or asked.subject & set(stems(before)):
        return True
    return bool(_PASSIVE.match(after) and asked.act & set(stems(before)))


def is_hedged(piece: str, question: str) -> bool:
    """Tell whether a piece of a sentence is narrower than it begins: by "only", or by "non-…"."""
    asked = set(stems(question))
    if any(set(stems(match)) & asked for match in _NON.findall(piece)):
        return True
    hedges = [match.group() for match in _HEDGED.finditer(piece)]
    return any(not set(stems(each)) <= asked for each in hedges)


def answer_to(stance: Polarity, asks: ModalQuestion) -> bool | None:
    """Return yes or no to what is asked, from what a sentence says; None if it does not tell."""
    if asks is ModalQuestion.ALLOWED:
        return {Polarity.ALLOWS: True, Polarity.REQUIRES: True, Polarity.FORBIDS: False}.get(stance)
    return {Polarity.REQUIRES: True, Polarity.SPARES: False, Polarity.FORBIDS: False}.get(stance)
