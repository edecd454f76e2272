"""What tasks do: one module a kind, named here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fourcorners.server.doing import adding, asking, columns, examining, reviewing
from fourcorners.server.doing.work import Parked, Work

__all__ = ["KINDS", "Does", "Parked", "Work"]


class Does(Protocol):
    """Does a task to its end, or as far as it comes, and says what came of it.

    It calls `work.tell` at least every few seconds of its own steps, which raises `Parked` where
    the server stops or the task was cancelled: what was done until then must be kept.
    """

    def __call__(self, work: Work) -> Mapping[str, str | int]:
        """Do the task and return its result."""
        ...


KINDS: Mapping[str, Does] = {
    adding.KIND: adding.do,
    asking.KIND: asking.do,
    columns.KIND: columns.do,
    examining.KIND: examining.do,
    reviewing.KIND: reviewing.do,
}
