"""What metrics show of a library: counts and sizes, and no word or name that it holds."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from fourcorners.errors import FourcornersError
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.llm_store import LibraryLedger
from fourcorners.library.store import Library
from fourcorners.server.store.audit_trail import unsent_count
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.telemetry.spans import MetricReading
from fourcorners.system.processes import memory_bytes

_FAILED = "failed"  # the state of a task


class LibraryMetrics:
    """Reads the values of all instruments.

    Args:
        lanes: The lanes of tasks, each of which has a queue.
        kinds: The kinds of tasks, each of which may fail: before one does, the count is 0.
        deaths: Returns how often the process of the tasks died.
        sends_audit: Whether a collector of logs gets the audit trail.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        lanes: tuple[str, ...],
        kinds: Iterable[str],
        deaths: Callable[[], int],
        *,
        sends_audit: bool = False,
    ) -> None:
        self._pool, self._lanes, self._kinds, self._deaths = pool, lanes, kinds, deaths
        self._sends_audit = sends_audit
        self._last_call = 0  # the calls of models up to this one are in the totals
        self._calls: dict[tuple[str, str, str], tuple[int, int, int, float]] = {}

    def __call__(self) -> Iterator[MetricReading]:
        """Read everything; what is of a library that cannot be read is left out."""
        yield from _memory()
        yield from _disk(self._pool.files)
        yield MetricReading("fourcorners.workshop.deaths", self._deaths())
        try:
            with self._pool.library() as library:
                found = [
                    *_sizes(library),
                    *_tasks(library, self._lanes, self._kinds),
                    *self._model_calls(library),
                ]
                if self._sends_audit:
                    found.append(MetricReading("fourcorners.audit.unsent", unsent_count(library)))
        except FourcornersError:
            yield MetricReading("fourcorners.library.up", 0)
            return
        yield MetricReading("fourcorners.library.up", 1)
        yield from found

    def _model_calls(self, library: Library) -> Iterator[MetricReading]:
        self._last_call, new = LibraryLedger(library).totals_after(self._last_call)
        for key, more in new.items():
            before = self._calls.get(key, (0, 0, 0, 0.0))
            self._calls[key] = (
                before[0] + more[0],
                before[1] + more[1],
                before[2] + more[2],
                before[3] + more[3],
            )
        for (role, model, outcome), values in self._calls.items():
            labels = {"role": role, "model": model, "outcome": outcome}
            yield MetricReading("fourcorners.model.calls", values[0], labels)
            yield MetricReading(
                "fourcorners.model.tokens", values[1], {**labels, "direction": "in"}
            )
            yield MetricReading(
                "fourcorners.model.tokens", values[2], {**labels, "direction": "out"}
            )
            yield MetricReading("fourcorners.model.cost", values[3], labels)


def _sizes(library: Library) -> Iterator[MetricReading]:
    for instrument, table in (("documents", "documents"), ("failed_reads", "failures")):
        counted = library.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 - our tables
        yield MetricReading(f"fourcorners.library.{instrument}", as_integer(counted[0][0]))
    yield MetricReading("fourcorners.library.size", library.size())


def _tasks(
    library: Library, lanes: tuple[str, ...], kinds: Iterable[str]
) -> Iterator[MetricReading]:
    counts = {(kind, _FAILED): 0 for kind in sorted(kinds)}
    for kind, state, count in library.execute(
        "SELECT kind, state, count(*) FROM server_tasks GROUP BY kind, state"
    ):
        counts[as_string(kind), as_string(state)] = as_integer(count)
    for (kind, state), number in counts.items():
        yield MetricReading("fourcorners.tasks", number, {"kind": kind, "state": state})
    now = datetime.now(UTC)
    ages: dict[str, list[float]] = {lane: [] for lane in lanes}
    for lane, created in library.execute(
        "SELECT lane, created FROM server_tasks WHERE state IN ('waiting', 'parked')"
    ):
        age = (now - datetime.fromisoformat(as_string(created))).total_seconds()
        # A lane may be one machine's: its name follows.
        ages.setdefault(as_string(lane).partition(" on ")[0], []).append(age)
    for lane, waiting in ages.items():
        yield MetricReading("fourcorners.queue.length", len(waiting), {"lane": lane})
        yield MetricReading("fourcorners.queue.age", max((0.0, *waiting)), {"lane": lane})
    yield MetricReading("fourcorners.leases.lost", _lost_leases(library))


def _lost_leases(library: Library) -> int:
    """Return how many claims of steps ended without one: of those claimed again, all but the last.

    A step that is parked gives its claim back, and counts for none.
    """
    rows = library.execute(
        "SELECT coalesce(sum(attempts - CASE WHEN state = 'waiting' "
        "OR (state = 'claimed' AND lease < ?) THEN 0 ELSE 1 END), 0) FROM steps WHERE attempts > 0",
        (time.time(),),
    )
    return as_integer(rows[0][0])


def _disk(folder: Path) -> Iterator[MetricReading]:
    there = next((each for each in (folder, *folder.parents) if each.exists()), None)
    if there is not None:
        usage = shutil.disk_usage(there)
        yield MetricReading("fourcorners.disk.free", usage.free)
        yield MetricReading("fourcorners.disk.size", usage.total)


def _memory() -> Iterator[MetricReading]:
    """Read what Linux says of this process and those that it started."""
    own = memory_bytes(os.getpid())
    if own:
        yield MetricReading("fourcorners.memory", own, {"process": "server"})
        children = sum(map(memory_bytes, _descendants(os.getpid())))
        yield MetricReading("fourcorners.memory", children, {"process": "children"})


def _descendants(process: int) -> Iterator[int]:
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            for child in map(int, listed.read_text("ascii").split()):
                yield child
                yield from _descendants(child)
