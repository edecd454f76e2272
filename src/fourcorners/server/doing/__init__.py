"""What tasks do: one module a kind, named here.

The modules are imported where a task is done, which is in another process than the pages': they
bring half of the program with them. What they say at their top (`KIND`, `LANE`) pages may ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from fourcorners.server.doing.work import Parked, Work

__all__ = ["KINDS", "Does", "Parked", "Work", "function_of"]


class Does(Protocol):
    """Does a task to its end, or as far as it comes, and says what came of it.

    It calls `work.tell` at least every few seconds of its own steps, which raises `Parked` where
    the server stops or the task was cancelled: what was done until then must be kept.
    """

    def __call__(self, work: Work) -> Mapping[str, str | int]:
        """Do the task and return its result."""
        ...


KINDS = MappingProxyType(
    {
        "add": "adding",
        "ask": "asking",
        "column": "columns",
        "health": "examining",
        "review": "reviewing",
    }
)
"""The module of each kind of task; it bears the kind as its `KIND`."""


def function_of(kind: str) -> Does:
    """Return what does a kind of task.

    Raises:
        KeyError: If there is no such kind.
    """
    return cast("Does", import_module(f"{__name__}.{KINDS[kind]}").do)
