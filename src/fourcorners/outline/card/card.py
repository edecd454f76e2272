"""The contract card: what a reader would write on the folder's front."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from fourcorners.text.span import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    value: T
    span: Span
    confidence: float


@dataclass(frozen=True, slots=True)
class Party:
    """A party by its name, with the short name and the role the contract gives it, if any."""

    name: str
    short: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """What the contract says of itself; a missing fact is None, never a guess without words."""

    title: Fact[str] | None = None
    type: Fact[str] | None = None
    parties: tuple[Fact[Party], ...] = ()
    agreement_date: Fact[date] | None = None
    effective_date: Fact[date] | None = None
    expiry_date: Fact[date] | None = None
    governing_law: Fact[str] | None = None
    amends: Fact[str] | None = None
