"""`McpTool`: a tool that programs may call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar, get_type_hints

from fourcorners.server.context import RequestContext
from fourcorners.value import Value

TArguments = TypeVar("TArguments", bound=Value)
Progress: TypeAlias = Callable[[int, int, str], None]
"""Receives how far a call is: steps done, of how many at most, and what happens, in words."""
ToolFunction: TypeAlias = Callable[[RequestContext, TArguments, Progress], Value]


@dataclass(frozen=True, slots=True)
class McpTool(Generic[TArguments]):
    """A tool; its name, its arguments and its answer are those of the function that runs it.

    Attributes:
        description: What it is for, to the program that chooses among tools.
        run: Answers; it raises a `FourcornersError` where it cannot.
        writes: Whether it changes what the library holds.
        destructive: Whether what it deletes or replaces is lost.
        open_world: Whether it may send words of contracts to the configured language model.
    """

    title: str
    description: str
    run: ToolFunction[TArguments]
    writes: bool
    destructive: bool
    open_world: bool

    @property
    def name(self) -> str:
        return self.run.__name__.strip("_")

    @property
    def types(self) -> tuple[type[Value], type[Value]]:
        _, arguments, _, result = get_type_hints(self.run).values()
        return arguments, result


def tool(
    title: str,
    description: str,
    *,
    writes: bool = False,
    destructive: bool = False,
    open_world: bool = False,
) -> Callable[[ToolFunction[TArguments]], McpTool[TArguments]]:
    return lambda run: McpTool(title, description, run, writes, destructive, open_world)
