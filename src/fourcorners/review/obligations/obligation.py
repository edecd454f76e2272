"""An obligation: who must do, or must not do, what, on which condition, and by when.

The words that say when are read here, with the resulting day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from fourcorners.outline.card.card import Card
from fourcorners.outline.card.term import Term
from fourcorners.review.obligations.brackets import find_bracket_end
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import Period, find_periods

EACH = "Each party"
EITHER = "The party concerned"
UNNAMED = "Not said"


class ObligationKind(StrEnum):
    DUTY = "duty"
    PROHIBITION = "prohibition"


class TimeKind(StrEnum):
    """Kinds of time: by a day, within a period, repeatedly, at once, after, during."""

    DATE = "date"
    PERIOD = "period"
    RECURRING = "recurring"
    PROMPT = "prompt"
    EVENT = "event"
    DURATION = "duration"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who a sentence binds.

    Attributes:
        name: A party as the contract calls it, `EACH`, `EITHER` or `UNNAMED`.
        parties: The names of the parties of the contract's card that are meant; empty if none is.
        span: The words that name it, if any do.
    """

    name: str
    parties: tuple[str, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Time:
    """Words that say when.

    Attributes:
        day: The resulting day, if they name one or count from a certain one.
        unless: What may change that day.
    """

    kind: TimeKind
    span: Span
    day: date | None = None
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Obligation:
    """What a sentence binds a party to.

    Attributes:
        binding: The words that bind, such as `shall not`; of a point in a list its number.
        action: What must be done or not be done.
        quote: The sentence, or the part of a long one, that says so.
        lead: For a point in a list: the words before the list, with the actor and the binding
            words, or its heading.
        opening: Of these the words between the binding words and the list, such as `provide the
            following`; None if the point is no verb that they govern.
    """

    kind: ObligationKind
    actor: Actor
    binding: Span
    action: Span
    quote: Span
    conditions: tuple[Span, ...] = ()
    times: tuple[Time, ...] = ()
    lead: Span | None = None
    opening: Span | None = None


_PATTERNS = load_patterns("fourcorners.review.obligations", "obligation")
_BEFORE, _AFTER = 40, 140  # characters around a period that say what it counts from
_INSIDE = 24  # characters of an action before a condition that is put into it
_WHOLE_DAY = len("2005-04-30")
_LONGEST = 1_500  # characters of a clause in which times are looked for


@dataclass(frozen=True, slots=True)
class Calendar:
    """The days of a contract from which periods count."""

    card: Card
    term: Term

    def day(self, counted: re.Match[str], period: Period) -> tuple[date | None, str]:
        """Return the day on which a period ends, and what may change it; None if uncertain."""
        back, event = bool(counted["back"]), counted["event"]
        for kind in ("effective", "agreement"):
            if not _STARTS[kind].match(event):
                continue
            value = self.card.value(kind)
            if value is None or not value.asserted or len(value.text) != _WHOLE_DAY:
                return None, ""
            return period.shift(date.fromisoformat(value.text), back=back), ""
        if _PATTERNS["end"].match(event) and self.term.is_asserted and self.term.end_day:
            renewed = " or is renewed" if self.term.renewal else ""
            return period.shift(self.term.end_day, back=back), f"the term ends earlier{renewed}"
        return None, ""


def find_conditions(text: str, before: Iterable[Span], action: Span) -> Iterator[Span]:
    """Yield the conditions of an obligation: in the words before its action, and in that."""
    for words in before:
        lead = _PATTERNS["condition"].search(text, words.start, words.end)
        if lead:
            yield _trim(text, Span(lead.start(), words.end))
    tail = _PATTERNS["condition"].search(text, action.start, action.end)
    if tail and tail.start() > action.start:
        comma = text.find(",", tail.end(), action.end)
        inside = tail.start() - action.start <= _INSIDE and comma > 0
        inside &= not tail.group().casefold().endswith("that")  # a clause, with its own commas
        yield _trim(text, Span(tail.start(), comma if inside else action.end))


def _trim(text: str, span: Span) -> Span:
    span = Span(span.start, find_bracket_end(text, span) or span.end)
    end = _PATTERNS["leftover"].search(text, max(span.start, span.end - 30), span.end)
    return Span(span.start, end.start() if end else span.end).strip(text)


def find_times(text: str, opening: Span, action: Span, calendar: Calendar) -> Iterator[Time]:
    """Yield the words that say when, in order, with the resulting day, if it is certain."""
    found: list[Time] = []
    for part in (_before_condition(text, opening), action):
        within = Span(part.start, min(part.end, part.start + _LONGEST))
        found.extend(_dates(text, within))
        found.extend(_periods(text, within, calendar))
        found.extend(_others(text, within))
    done: list[Span] = []
    for each in sorted(found, key=lambda each: (each.day is None, each.span.start, -each.span.end)):
        if not any(each.span.overlaps(span) for span in done):
            done.append(each.span)
    yield from sorted(
        (each for each in found if each.span in done), key=lambda each: each.span.start
    )


def _before_condition(text: str, opening: Span) -> Span:
    """Return the words before a clause without its condition, which may contain days too."""
    found = _PATTERNS["condition"].search(text, opening.start, opening.end)
    return Span(opening.start, found.start()) if found else opening


def _dates(text: str, within: Span) -> Iterator[Time]:
    before: Time | None = None
    for written in find_dates(text, within):
        low = max(within.start, written.span.start - _BEFORE)
        kind, start = TimeKind.DATE, written.span.start
        led = _PATTERNS["by_day"].search(text, low, start)
        since = _PATTERNS["from_day"].search(text, low, start)
        if before and _PATTERNS["series"].fullmatch(text, before.span.end, start):
            kind = before.kind
        elif since and (led is None or since.start() < led.start()):
            kind, start = TimeKind.DURATION, since.start()
        elif led is None or _is_aside(text, within, led):
            before = None
            continue
        else:
            start = led.start()
        day = written.value if kind is TimeKind.DATE and not written.other else None
        before = Time(kind, Span(start, written.span.end), day)
        yield before


def _is_aside(text: str, within: Span, led: re.Match[str]) -> bool:
    """Return whether a day belongs to something else: "the schedule filed on May 1, 2020"."""
    low = max(within.start, led.start() - _BEFORE)
    if _PATTERNS["expected"].search(text, low, led.start()):
        return True
    is_past = _PATTERNS["done"].search(text, low, led.start())
    first = led.group().split()[0].casefold()
    if first in ("before", "prior"):  # "films that are released before May 1, 2020"
        return _PATTERNS["relative"].search(text, within.start, led.start()) is not None
    return first == "on" and is_past is not None


def _periods(text: str, within: Span, calendar: Calendar) -> Iterator[Time]:
    for written in find_periods(text, within):
        low = max(within.start, written.span.start - _BEFORE)
        led = _PATTERNS["within"].search(text, low, written.span.start)
        counted = _PATTERNS["counted"].match(
            text, written.span.end, min(within.end, written.span.end + _AFTER)
        )
        if led is None and counted is None:
            continue
        if counted and counted["of"] and not (led and not _PATTERNS["least"].match(led.group())):
            continue  # "six months of the term", "at least six months of shelf life"
        start = led.start() if led else written.span.start
        span = Span(start, counted.end() if counted else written.span.end).strip(text)
        if led and led["while"]:
            yield Time(TimeKind.DURATION, span)
            continue
        day, unless = None, ""
        if counted and _is_deadline(text, within, led, counted):
            day, unless = calendar.day(counted, written.value)
        yield Time(TimeKind.PERIOD, span, day, unless)


def _is_deadline(
    text: str, within: Span, led: re.Match[str] | None, counted: re.Match[str]
) -> bool:
    """Return whether a period is the time for what must be done, and not for something else."""
    if led is None or (_PATTERNS["least"].match(led.group()) and not counted["back"]):
        return False
    low = max(within.start, led.start() - _BEFORE)
    return _PATTERNS["to_be"].search(text, low, led.start()) is None


def _others(text: str, within: Span) -> Iterator[Time]:
    for match in _PATTERNS["when"].finditer(text, within.start, within.end):
        yield Time(TimeKind(match.lastgroup or ""), Span(*match.span()).strip(text))


_STARTS = {"effective": _PATTERNS["effective"], "agreement": _PATTERNS["agreement"]}
