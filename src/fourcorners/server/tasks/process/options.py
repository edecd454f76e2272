"""What a workshop is told at its start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fourcorners.settings import Settings

IDLE_SECONDS = 120.0
"""Seconds without a task after which a workshop closes, and its memory is free again."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """What a workshop is told at its start.

    Attributes:
        library: The library's file or URL.
        lanes: Whose tasks it does.
        server: The process that it works for.
        idle: Seconds without a task after which it closes.
    """

    library: str | Path
    settings: Settings
    lanes: Sequence[str]
    server: int
    idle: float = IDLE_SECONDS
