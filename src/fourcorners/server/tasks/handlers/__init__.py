"""What tasks do: one module a kind, named here.

The modules are imported where a task is done, which is in another process than the pages': they
bring half of the program with them. What they say at their top (`KIND`, `LANE`) pages may ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from fourcorners.server.tasks.handlers.work import TaskContext, TaskParked

__all__ = ["MODULES", "TaskContext", "TaskHandler", "TaskParked", "handler_of"]


class TaskHandler(Protocol):
    """Does a task to its end, or as far as it comes, and says what came of it.

    It calls `work.tell` at least every few seconds of its own steps, which raises `Parked` where
    the server stops or the task was cancelled: what was done until then must be kept.
    """

    def __call__(self, work: TaskContext) -> Mapping[str, str | int]: ...


MODULES = MappingProxyType(
    {
        "add": "add",
        "ask": "ask",
        "column": "column",
        "health": "health",
        "review": "review",
    }
)
"""The module of each kind of task; it bears the kind as its `KIND`."""


def handler_of(kind: str) -> TaskHandler:
    """Return what does a kind of task.

    Raises:
        KeyError: If there is no such kind.
    """
    return cast("TaskHandler", import_module(f"{__name__}.{MODULES[kind]}").run)
