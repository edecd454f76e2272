"""Threads that do something again and again, and that no error of one round ends."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod

from fourcorners.errors import FourcornersError
from fourcorners.library.database import WAIT_FOR_SERVER

_log = logging.getLogger("fourcorners.server")


def brief_reason(error: Exception) -> str:
    """Return what a log says of an error: of one that is not ours its kind, as it may quote."""
    return error.message if isinstance(error, FourcornersError) else type(error).__name__


class Periodic(ABC):
    """A thread that runs rounds until it is stopped.

    Args:
        name: Of the thread, as the log names it.
        first: Seconds until the first round, and after one that failed.
        every: Seconds between rounds; as `first` if left out.
        wanted: Whether there is anything to do: else `start` starts nothing.
    """

    def __init__(
        self, name: str, first: float, every: float | None = None, *, wanted: bool = True
    ) -> None:
        self._first, self._every, self._wanted = first, every or first, wanted
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        if self._wanted:
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    @abstractmethod
    def run_round(self) -> None:
        """Do what is due now."""

    def _run(self) -> None:
        WAIT_FOR_SERVER.set(False)  # the next round tries again
        wait = self._first
        while not self._stopping.wait(wait):
            try:
                self.run_round()
                wait = self._every
            except Exception as error:  # noqa: BLE001 - locked or full, or a defect: try again
                _log.error("%s: a round failed: %s", self._thread.name, brief_reason(error))
                wait = self._first
