"""What this process and its children have used, as far as the system says; and what they may."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def cpu_seconds() -> float:
    """Return the CPU time of this process and, except on Windows, of its children that ended."""
    return time.process_time() + child_cpu_seconds()


def child_cpu_seconds() -> float:
    """Return the CPU time of the children that have ended; 0 on Windows, which does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_bytes(*, of_children: bool = False) -> int:
    """Return the most memory this process held, or one of its children; 0 on Windows."""
    if sys.platform == "win32":
        return 0
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN if of_children else resource.RUSAGE_SELF)
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def limited_cores(threads: int) -> Iterator[None]:
    """Let this process, and those it starts, use so many cores, where the system can (Linux)."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:threads])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
