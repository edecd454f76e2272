"""A contract's term on a day: whether it runs, renews or has ended, and what is coming up.

What the card asserts is a fact; what is computed from several values is a fact only if all of them
together are certain enough. A person must read the rest. A contract that may renew by itself is
never said to have ended; one that takes a further document to renew has, unless there is one.
"""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from fourcorners.outline.card.card import YEARLY, Card, Renewal, RenewalManner, Value
from fourcorners.outline.card.values.candidates import PERPETUAL
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import MONTHS
from fourcorners.text.values.periods import Period, describe_period, parse_period

# The product of their probabilities from which values are asserted together: out of fold nearly all
# above it are right together, as `training.values.train` prints.
TOGETHER = 0.86
_RENEWALS = 1_000  # renewals of one term that are examined: months of some eighty years
_WHOLE_DAY = len("2005-04-30")
_PATTERNS = load_patterns("fourcorners.outline.card", "term")


class EventKind(StrEnum):
    END = "end"
    RENEWAL = "renewal"
    NOTICE = "last day for notice"


class Standing(StrEnum):
    """The status of a term on a day."""

    RUNNING = "running"
    RENEWING = "renewing"
    UNCERTAIN = "uncertain"
    ENDED = "ended"
    ENDLESS = "endless"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TermChange:
    """Words of another document that change the term."""

    document: str
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Term:
    """How long a contract runs, by its card, and how other documents change that.

    Attributes:
        end: The end of the first term.
        length: How long a renewal is.
        notice: How long before its end a renewal must be stopped.
    """

    start: Value | None = None
    end: Value | None = None
    renewal: Renewal | None = None
    length: Value | None = None
    notice: Value | None = None
    changes: tuple[TermChange, ...] = ()

    @property
    def end_day(self) -> date | None:
        """Return the day on which the first term ends, certain or not."""
        return day_of(self.end)

    @property
    def is_asserted(self) -> bool:
        """Return whether the end of the first term is a fact."""
        return self.end is not None and self.end.asserted and not self.changes

    @property
    def is_automatic(self) -> bool:
        return self.renewal is not None and self.renewal.manner is RenewalManner.AUTOMATIC


@dataclass(frozen=True, slots=True)
class Event:
    """A day on which something is due.

    Attributes:
        span: The words on which it is based, or the first of them.
        asserted: Whether it is a fact; else a person must read the words.
        unless: What may prevent it.
        arithmetic: How the day was computed; empty if it is written out.
        parts: The words behind every part of it.
    """

    kind: EventKind
    day: date
    span: Span
    asserted: bool
    unless: str = ""
    arithmetic: str = ""
    parts: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a contract on a day, in a sentence, and whether that is a fact."""

    standing: Standing
    sentence: str
    asserted: bool


def read_term(card: Card, changes: Sequence[TermChange] = ()) -> Term:
    starts = [value for kind in ("effective", "agreement") if (value := card.value(kind))]
    start = next((each for each in starts if each.asserted), None)
    end, length, notice = (card.value(kind) for kind in ("end", "renewal", "notice"))
    return Term(start, end, card.renewal, length, notice, tuple(changes))


def find_final_end(card: Card) -> date | None:
    """Return the day after which only a further document prolongs a contract; None if uncertain.

    It is the end of the first term, or of the last renewal where the contract renews by itself a
    number of times.
    """
    term = read_term(card)
    if not term.is_asserted or (term.renewal and term.renewal.manner is RenewalManner.UNCLEAR):
        return None
    if not term.is_automatic:
        return term.end_day
    is_sure = term.renewal is not None and term.renewal.asserted
    return _last_day(term) if is_sure and _are_asserted(term, [term.end, term.length]) else None


def find_events(term: Term, start: date, end: date) -> list[Event]:
    """Return what is due from one day to another, both included, in order."""
    if term.end is None or term.end_day is None:
        return []
    found = _renewals(term, end) if term.is_automatic else _end(term)
    return sorted(
        (each for each in found if start <= each.day <= end), key=lambda each: (each.day, each.kind)
    )


def _end(term: Term) -> Iterator[Event]:
    if term.end is None or term.end_day is None:
        return
    unless = "it is renewed" if term.renewal else ""
    for text in filter(None, (term.end.text, term.end.other)):
        day = date.fromisoformat(text)
        yield Event(
            *(EventKind.END, day, term.end.span, term.is_asserted, unless),
            *(term.end.arithmetic, term.end.parts),
        )
        last = _notice_day(term.notice, day) if term.end.other else None
        if last and term.notice:
            yield Event(
                *(EventKind.NOTICE, last, term.notice.span, False, ""),
                *(_notice_sum(term.notice, day), (term.notice.span, *term.end.parts)),
            )


def _renewals(term: Term, until: date) -> Iterator[Event]:
    """Yield the renewals of a term that renews by itself, and the last day to stop each."""
    renewal, length = term.renewal, _period_of(term.length)
    if renewal is None or term.end is None or term.end_day is None:
        return
    most = _RENEWALS if renewal.times is None else renewal.times
    for number in range(most + 1):
        day = _renewal_day(term.end_day, length, number)
        last = _notice_day(term.notice, day) if day else None
        if day is None or (last or day) > until:
            return
        of = [term.end] if number == 0 else [term.end, term.length]
        spans = [part for each in of if each for part in (each.span, *each.parts)]
        parts = tuple(dict.fromkeys(spans))
        arithmetic = term.end.arithmetic
        if number and length:
            arithmetic = f"{term.end_day} + {describe_period(length.times(number))}"
        if number == most:
            sure = _are_asserted(term, of)
            yield Event(EventKind.END, day, term.end.span, sure, "", arithmetic, parts)
            return
        sure = renewal.asserted and _are_asserted(term, of)
        # How often is not always said in words that are understood.
        sure = sure and (number == 0 or renewal.again or renewal.times is not None)
        known = sure and _are_asserted(term, [*of, term.notice])
        unless = f"notice is given by {last.isoformat()}" if last and known else "notice is given"
        yield Event(EventKind.RENEWAL, day, renewal.span, sure, unless, arithmetic, parts)
        if last is not None and term.notice is not None:
            arithmetic = _notice_sum(term.notice, day)
            parts = (term.notice.span, *parts)
            yield Event(EventKind.NOTICE, last, term.notice.span, known, "", arithmetic, parts)


def _renewal_day(end: date, length: Period | None, number: int) -> date | None:
    if number == 0:
        return end
    if length is None:
        return None
    whole = length.times(number)
    if length.months % 12 == 0 and (end.month, end.day) == (2, 28):  # the day before 1 March
        return whole.shift(end + timedelta(days=1)) - timedelta(days=1)
    return whole.shift(end)


def _are_asserted(term: Term, values: Sequence[Value | None]) -> bool:
    """Return whether values are certain enough together, and none is changed."""
    known = [each for each in values if each is not None and each.asserted]
    if term.changes or len(known) < len(values):
        return False
    return len(known) == 1 or math.prod(each.confidence for each in known) >= TOGETHER


def find_status(term: Term, day: date) -> Status:
    """Return the status of a contract on a day."""
    end = term.end_day
    if not term.is_asserted:
        sentence = f"{_describe_unsure(term)} {_describe_renewal(term)}".strip()
        return Status(Standing.UNKNOWN, sentence, asserted=False)
    if end is None:
        endless = term.end is not None and term.end.text == PERPETUAL
        sentence = "It runs until terminated." if endless else "It ends in a year or month."
        return Status(Standing.ENDLESS if endless else Standing.UNKNOWN, sentence, endless)
    if day <= end:
        sentence = f"In its first term, until {end.isoformat()}. {_describe_renewal(term)}".strip()
        return Status(Standing.RUNNING, sentence, asserted=True)
    over = f"Its first term ended on {end.isoformat()}."
    if term.renewal is None:
        return Status(Standing.ENDED, f"It ended on {end.isoformat()}.", asserted=True)
    last = _last_day(term)
    if not term.is_automatic or not term.renewal.asserted or (last and last < day):
        sentence = f"{over} {_describe_renewal(term)} Whether it was is not known."
        return Status(Standing.UNCERTAIN, sentence, asserted=False)
    sentence = f"{over} {_describe_renewal(term)} In force unless terminated."
    return Status(Standing.RENEWING, sentence, asserted=True)


def _describe_unsure(term: Term) -> str:
    if term.end is None or not term.end.other or term.changes:
        return "When it ends is for a person to read."
    days = [f"{each.kind.value} {each.day.isoformat()}" for each in _end(term)]
    return f"It can be read in two ways, and a person must choose: {', '.join(days)}."


def _last_day(term: Term) -> date | None:
    """Return the end of the last renewal, where their number is known."""
    if term.renewal is None or term.renewal.times is None or term.end_day is None:
        return None
    return _renewal_day(term.end_day, _period_of(term.length), term.renewal.times)


def _describe_renewal(term: Term) -> str:
    """Say how a term continues after its end; empty if no words of renewal were found."""
    if term.renewal is None:
        return ""
    if not term.is_automatic or not term.renewal.asserted:
        by = {RenewalManner.CHOICE: " by choice", RenewalManner.AGREEMENT: " by agreement"}
        return f"It may be renewed{by.get(term.renewal.manner, '')}."
    length, notice = _period_of(term.length), term.notice
    times = term.renewal.times
    parts = ["It renews by itself"]
    if length and term.length and term.length.asserted:
        parts.append(f"for {describe_period(length)} at a time")
    if times:
        parts.append("once" if times == 1 else f"{times} times at most")
    if notice and notice.asserted and (period := _period_of(notice)):
        parts.append(f"unless notice is given {describe_period(period)} before")
    elif notice and notice.asserted and notice.text.startswith(YEARLY):
        parts.append(f"unless notice is given by {_day_of_year(notice)}")
    return " ".join(parts) + "."


def _notice_day(notice: Value | None, end: date) -> date | None:
    """Return the last day to stop a renewal: so long before an end, or that day of the year."""
    if notice is None or not notice.text.startswith(YEARLY):
        period = _period_of(notice)
        return period.shift(end, back=True) if period else None
    month, day = map(int, notice.text.removeprefix(YEARLY).split("-"))
    years = (end.year, end.year - 1)
    days = (date(year, month, min(day, monthrange(year, month)[1])) for year in years)
    return next(each for each in days if each <= end)


def _notice_sum(notice: Value, end: date) -> str:
    period = _period_of(notice)
    return f"{end} - {describe_period(period)}" if period else f"{_day_of_year(notice)} by {end}"


def _day_of_year(value: Value) -> str:
    month, day = map(int, value.text.removeprefix(YEARLY).split("-"))
    return f"{day} {MONTHS[month - 1]}"


def _period_of(value: Value | None) -> Period | None:
    return parse_period(value.text) if value and value.text[:1] == "P" else None


def day_of(value: Value | None) -> date | None:
    """Return the day that a value of the card is; None if it is a month, a year or no date."""
    whole = value is not None and len(value.text) == _WHOLE_DAY and value.text != PERPETUAL
    return date.fromisoformat(value.text) if value is not None and whole else None


def changes_term(words: str) -> bool:
    """Return whether words that change a contract are about its term."""
    return _PATTERNS["term"].search(words) is not None
