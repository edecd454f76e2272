"""`Offered`: a tool that programs may call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from fourcorners.server.api.models import Value
from fourcorners.server.context import RequestContext

TArguments = TypeVar("TArguments", bound=Value)
Progress: TypeAlias = Callable[[int, int, str], None]
"""Told how far a call is: steps done, of how many at most, and what happens, in words."""


def no_progress(done: int, most: int, words: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class McpTool(Generic[TArguments]):
    """A tool.

    Attributes:
        description: What it is for, to the program that chooses among tools.
        arguments: Its arguments.
        result: Its answer.
        run: Answers; it raises a `FourcornersError` where it cannot.
        writes: Whether it changes what the library holds.
        open_world: Whether it may send words of contracts to the configured language model.
        run_with_progress: Answers as `run` does and reports progress; None for what is quick.
    """

    name: str
    title: str
    description: str
    arguments: type[TArguments]
    result: type[Value]
    run: Callable[[RequestContext, TArguments], Value]
    writes: bool = False
    open_world: bool = False
    run_with_progress: Callable[[RequestContext, TArguments, Progress], Value] | None = None

    def call(self, context: RequestContext, asked: TArguments, tell: Progress) -> Value:
        """Answer, and tell how far that is where it takes long."""
        return (
            self.run(context, asked)
            if self.run_with_progress is None
            else self.run_with_progress(context, asked, tell)
        )
