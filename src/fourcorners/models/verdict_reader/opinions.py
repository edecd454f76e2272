"""What the reader of clauses is asked for a head, and what its readings say of the head's choices.

A question of yes or no is asked alone, another one once with each option that says something; a
provision by its definition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from fourcorners.models.reader.reader import Answer, Named, Reader, Reading
from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.models.verdict_reader.features import EACH_PARTY, NO_MENTION
from fourcorners.text.span import Span

AROUND = 350  # characters before and after the marked words that are read, as trained
YES, NO, RELATED, SILENT = "yes", "no", "related", "silent"
ALONE = ""  # the choice that a question is asked alone for
_YES_OR_NO = frozenset({YES, NO, SILENT})
_LEAST = 1e-4  # the probability of a choice of which nothing is read


class Question(Protocol):
    """What is asked: a head of the verdict reader."""

    @property
    def question(self) -> str: ...
    @property
    def kind(self) -> MentionKind | None: ...
    @property
    def options(self) -> Sequence[str]: ...
    @property
    def asks(self) -> Mapping[str, str]: ...


def read_window(clause: MarkedClause) -> Span:
    """Return the part of a clause that the reader reads."""
    start = max(clause.clause.start, clause.marked.start - AROUND)
    return Span(start, min(clause.clause.end, clause.marked.end + AROUND))


def option_asks(ask: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return what is asked for a question with options: `options` has the words of each."""
    if set(options) <= _YES_OR_NO:
        return {ALONE: ask}
    return {option: f"{ask} {words.capitalize()}." for option, words in options.items() if words}


def read_opinions(
    reader: Reader, questions: Sequence[Question], clause: MarkedClause
) -> dict[str, dict[str, float]]:
    """Return for each question the logarithm of each choice's probability.

    Raises:
        ModelError: If a file of the reader is missing or damaged.
    """
    window = read_window(clause)
    asked = [(each, choice) for each in questions for choice in each.asks]
    words = [each.asks[choice] for each, choice in asked]
    read = dict(zip(words, reader.read(window.text_in(clause.text), words), strict=True))
    return {
        each.question: _logarithms(
            _chances(each, {choice: read[own] for choice, own in each.asks.items()}, clause, window)
        )
        for each in questions
        if each.asks
    }


def _chances(
    question: Question, readings: Mapping[str, Reading], clause: MarkedClause, window: Span
) -> dict[str, float]:
    if question.kind is not None:
        reading = readings[ALONE]
        named = reading.party if question.kind is MentionKind.PARTY else reading.words
        return _of_mentions(named, question.kind, clause, window)
    if ALONE in readings:
        return _of_yes_or_no(readings[ALONE], question.options)
    chances = {choice: reading.chance(Answer.YES) for choice, reading in readings.items()}
    silence = sum(each.chance(Answer.NONE) for each in readings.values()) / len(readings)
    others = [each for each in question.options if each not in chances]
    return chances | {each: silence / len(others) for each in others}


def _of_yes_or_no(reading: Reading, options: Sequence[str]) -> dict[str, float]:
    yes, no, depends, none = reading.chances
    if RELATED in options:
        return {YES: yes, RELATED: depends, NO: no + none}
    if SILENT not in options:
        return {YES: yes, NO: no + depends + none}
    if NO not in options:
        return {YES: yes, SILENT: no + depends + none}
    return {YES: yes, NO: no, SILENT: depends + none}


def _of_mentions(
    named: Named, kind: MentionKind, clause: MarkedClause, window: Span
) -> dict[str, float]:
    chances = {NO_MENTION: named.silence}
    if kind is MentionKind.PARTY:
        chances[EACH_PARTY] = named.each
    for key, spans in clause.mentioned(kind).items():
        own = [each.intersection(window) for each in spans]
        chances[key] = sum(
            named.chance_of(Span(each.start - window.start, each.end - window.start))
            for each in own
            if each is not None
        )
    return chances


def _logarithms(chances: Mapping[str, float]) -> dict[str, float]:
    total = sum(chances.values()) + len(chances) * _LEAST
    return {choice: math.log((chance + _LEAST) / total) for choice, chance in chances.items()}
