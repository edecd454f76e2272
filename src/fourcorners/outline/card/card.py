"""The contract card: the main facts of a contract."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Generic, TypeVar

from fourcorners.text.span import Span

T = TypeVar("T")
YEARLY = "--"
"""What precedes month and day of a day of each year, as in ISO 8601."""


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """A fact with the words that state it.

    Attributes:
        span: Empty if a person gave the fact in words that the contract does not have.
        by: The person who gave it; empty if it was read.
    """

    value: T
    span: Span
    confidence: float
    by: str = ""


@dataclass(frozen=True, slots=True)
class Party:
    """A party by its name, with the short name and the role the contract gives it, if any.

    Attributes:
        name: If that is left blank, the short name.
        is_blank: Whether the contract leaves the name blank.
    """

    name: str
    short: str = ""
    role: str = ""
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A date, term or notice period, as judged.

    Attributes:
        kind: One of `values.judge.KINDS`.
        text: A date in ISO form (`2005-04` if the day is blank, `--09-30` if it is one of each
            year), a period as an ISO 8601 duration, or `perpetual`.
        asserted: Whether it is certain enough to be stated; else a person must read its words.
        other: A second reading, where the words have two and nothing decides.
        arithmetic: How it was computed: `2021-05-03 + 30 months`; empty if it is written out.
        parts: The words behind every part of it.
    """

    kind: str
    text: str
    span: Span
    confidence: float
    asserted: bool
    other: str = ""
    arithmetic: str = ""
    parts: tuple[Span, ...] = ()


class RenewalManner(StrEnum):
    """How a term is renewed; the most certain first."""

    AUTOMATIC = "automatic"
    CHOICE = "choice"
    AGREEMENT = "agreement"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Renewal:
    """Words by which a term continues after its end.

    Attributes:
        times: Maximum number of renewals; None if not stated, or unlimited.
        asserted: Whether it is certain that these words renew the contract's own term.
        again: Whether they say that it is renewed again and again.
    """

    manner: RenewalManner
    times: int | None
    span: Span
    asserted: bool
    again: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """What the contract says about itself; a missing fact is None, never a guess without words."""

    title: Fact[str] | None = None
    type: Fact[str] | None = None
    parties: tuple[Fact[Party], ...] = ()
    agreement_date: Fact[date] | None = None
    effective_date: Fact[date] | None = None
    expiry_date: Fact[date] | None = None
    governing_law: Fact[str] | None = None
    amends: Fact[str] | None = None
    values: tuple[Value, ...] = ()
    renewal: Renewal | None = None

    @property
    def party_names(self) -> tuple[str, ...]:
        """The names of the parties that have one."""
        return tuple(fact.value.name for fact in self.parties if not fact.value.is_blank)

    def readings(self, kind: str) -> str:
        """Return the days that a date may be, where nothing says which; else an empty string."""
        found = self.value(kind)
        return f"{found.text} or {found.other}" if found and found.other else ""

    def value(self, kind: str) -> Value | None:
        return next((each for each in self.values if each.kind == kind), None)
