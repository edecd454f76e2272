"""Running a server until a signal, after which it is gone within five seconds.

What is in hand is given a moment, tasks are parked, and what a thread still does then is cut: a
library survives that at any time, and a thread that reckons cannot be told to stop.
"""

from __future__ import annotations

import logging
import os
import threading
from types import FrameType

import uvicorn

GRACE_SECONDS = 1
"""Seconds in which requests in hand may end."""
_CUT_SECONDS = 4.5  # seconds after a signal when the process ends whatever it does

_log = logging.getLogger("fourcorners.server")


class StoppingServer(uvicorn.Server):
    """A server that ends soon after a signal, whatever its requests do."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            timer = threading.Timer(_CUT_SECONDS, _cut)
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)


def _cut() -> None:
    _log.warning("what is still in hand is cut")
    logging.shutdown()
    os._exit(0)
