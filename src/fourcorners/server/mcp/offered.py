"""`Offered`: a tool that programs may call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from fourcorners.server.api.models import Value
from fourcorners.server.desk import DeskOf

Takes = TypeVar("Takes", bound=Value)
Tell: TypeAlias = Callable[[int, int, str], None]
"""Told how far a call is: steps done, of how many at most, and what happens, in words."""


def silent(done: int, most: int, words: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Offered(Generic[Takes]):
    """A tool.

    Attributes:
        says: What it is for, to the program that chooses among tools.
        takes: Its arguments.
        gives: Its answer.
        do: Answers; it raises a `FourcornersError` where it cannot.
        writes: Whether it changes what the library holds.
        leaves: Whether it may send words of contracts to the configured language model.
        tells: Answers as `do` does, and tells how far it is; None for what is done at once.
    """

    name: str
    title: str
    says: str
    takes: type[Takes]
    gives: type[Value]
    do: Callable[[DeskOf, Takes], Value]
    writes: bool = False
    leaves: bool = False
    tells: Callable[[DeskOf, Takes, Tell], Value] | None = None

    def call(self, desk: DeskOf, asked: Takes, tell: Tell) -> Value:
        """Answer, and tell how far that is where it takes long."""
        return self.do(desk, asked) if self.tells is None else self.tells(desk, asked, tell)
