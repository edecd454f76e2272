"""An obligation: who must do, or must not do, what, on which condition, and by when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from fourcorners.text.span import Span

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
            words.
    """

    kind: ObligationKind
    actor: Actor
    binding: Span
    action: Span
    quote: Span
    conditions: tuple[Span, ...] = ()
    times: tuple[Time, ...] = ()
    lead: Span | None = None

    @property
    def time(self) -> Time | None:
        """Return the most precise time: a day before a period, and that before a duration."""
        return min(self.times, key=_rank_time, default=None)

    @property
    def days(self) -> tuple[Time, ...]:
        """Return its times with a day, in order."""
        return tuple(sorted((each for each in self.times if each.day), key=_day))

    @property
    def due(self) -> Time | None:
        """Return the first of its times with a day."""
        return next(iter(self.days), None)


_RANKS = (
    *(TimeKind.DATE, TimeKind.PERIOD, TimeKind.EVENT, TimeKind.RECURRING, TimeKind.PROMPT),
    TimeKind.DURATION,
)


def _rank_time(each: Time) -> tuple[bool, int]:
    return each.day is None, _RANKS.index(each.kind)


def _day(each: Time) -> date:
    return each.day or date.max
