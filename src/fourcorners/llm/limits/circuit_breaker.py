"""`Breaker`: stops asking a server that does not answer, and tries it again after a rest."""

from __future__ import annotations

import time
from collections.abc import Callable

from fourcorners.errors import LlmUnreachable

MAX_FAILURES = 5  # in a row
OPEN_SECONDS = 30.0  # until one question is let through again
_REMEDY = "Check that the server runs, and url under [llm]; then go on with the same command."


class CircuitBreaker:
    """What one server's last attempts say of it; used on one event loop.

    After so many attempts in a row, over all questions, that got no connection or no answer in
    time, nothing is sent for a rest. Then one question goes through: its answer ends the pause, its
    failure begins another.

    Args:
        after: Attempts in a row.
        rest: Seconds.
    """

    def __init__(
        self,
        after: int = MAX_FAILURES,
        rest: float = OPEN_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._after, self._rest, self._clock = after, rest, clock
        self._lost = 0
        self._until: float | None = None
        self._is_probed = False

    def is_open(self) -> bool:
        return self._until is not None and (self._is_probed or self._clock() < self._until)

    def enter(self, name: str) -> None:
        """Let an attempt begin, or refuse it; each that began must end by `answered` or `lost`.

        Raises:
            LlmUnreachable: If the server is taken for dead.
        """
        if self.is_open():
            raise self.open_error(name)
        if self._until is not None:
            self._is_probed = True

    def record_answer(self) -> None:
        self._lost, self._until, self._is_probed = 0, None, False

    def record_failure(self) -> None:
        self._lost += 1
        self._is_probed = False
        if self._lost >= self._after:
            self._until = self._clock() + self._rest

    def record_abandoned(self) -> None:
        """Say that an attempt was given up before anything was learned."""
        self._is_probed = False

    def open_error(self, name: str) -> LlmUnreachable:
        times = "once" if self._lost == 1 else f"{self._lost} times in a row"
        return LlmUnreachable(
            f"{name} was not asked, because its server did not answer {times}.", remedy=_REMEDY
        )
