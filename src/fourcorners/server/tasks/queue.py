"""Tasks: long work that the server was asked for, kept in the library so that no end loses it.

A task is a step of one of two jobs of the library (its lane), which gives it its lease, its
attempts and its resumption; this module keeps what was asked, by whom, and the result.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from fourcorners.library.audit import utc_now
from fourcorners.library.database import Row, as_string, in_transaction
from fourcorners.library.jobs import Job, JobTable
from fourcorners.library.store import Library
from fourcorners.operations.errors import Conflict, NotFound
from fourcorners.server.store.webhooks import announce

LANES = ("reading", "thinking", "asking", "looking")
"""The tasks of a lane run one after the other; lanes run in parallel."""


class TaskState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    PARKED = "parked"  # the server stopped; the next start continues it
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in (TaskState.DONE, TaskState.FAILED, TaskState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of long work.

    Attributes:
        lane: Which thread does it; those of a lane are done one after the other.
        note: What is in hand, for people; never words of a contract.
        reason: Why it failed, with what to do about it in `remedy`.
    """

    id: str
    kind: str
    lane: str
    collection: str
    spec: Mapping[str, Any]
    asked_by: str
    state: TaskState
    done: int
    total: int
    failed: int
    note: str
    result: Mapping[str, str | int]
    reason: str
    remedy: str
    created: str
    finished: str


_COLUMNS = tuple(each.name for each in fields(Task))
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM server_tasks"  # noqa: S608 - our columns


class TaskQueue:
    def __init__(self, library: Library) -> None:
        self._library = library
        self._jobs = JobTable(library)

    def transaction(self) -> AbstractContextManager[None]:
        return self._library.transaction()

    @in_transaction
    def start(
        self, kind: str, lane: str, collection: str, spec: Mapping[str, Any], *, by: str
    ) -> Task:
        # Ids sort as tasks came, those of one second too; the rest of an id cannot be guessed.
        identifier = f"{time.time_ns() // 1_000:013x}{secrets.token_hex(6)}"
        self._library.execute(
            "INSERT INTO server_tasks(id, kind, lane, collection, spec, asked_by, state, "
            "created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(identifier, kind, lane, collection),
                json.dumps(dict(spec), sort_keys=True),
                *(by, TaskState.WAITING.value, utc_now()),
            ),
        )
        self._jobs.add_steps(self.job(lane), [identifier])
        self._library.record(
            "task", {"task": identifier, "kind": kind, "collection": collection, "by": by}
        )
        return self.find(identifier)

    def job(self, lane: str) -> Job:
        return self._jobs.start("server", {"lane": lane})

    def find(self, identifier: str) -> Task:
        """Return a task.

        Raises:
            NotFound: If there is none with this id.
        """
        rows = self._library.execute(f"{_SELECT} WHERE id = ?", (identifier,))
        if not rows:
            raise NotFound(f"task {identifier[:40]!r} not found, or you don't have access.")
        return _task(rows[0])

    def list(self, *, limit: int = 100, before: str = "") -> list[Task]:
        """Return tasks, the latest first; `before` is the id of one, whose elders follow."""
        rows = self._library.execute(
            f"{_SELECT} WHERE ?1 = '' OR (created, id) < "  # noqa: S608
            "(SELECT created, id FROM server_tasks WHERE id = ?1) "
            "ORDER BY created DESC, id DESC LIMIT ?2",
            (before, limit),
        )
        return [_task(row) for row in rows]

    def of_kind(self, kind: str) -> Sequence[Task]:
        """Return the tasks of a kind, the latest first."""
        order = "ORDER BY created DESC, id DESC"
        rows = self._library.execute(f"{_SELECT} WHERE kind = ? {order}", (kind,))
        return [_task(row) for row in rows]

    def is_waiting(self, lanes: Sequence[str]) -> bool:
        rows = self._library.execute(
            "SELECT 1 FROM server_tasks WHERE finished = '' "
            "AND lane IN (SELECT value FROM json_each(?)) LIMIT 1",
            (json.dumps(list(lanes)),),
        )
        return bool(rows)

    def progress(self, identifier: str, done: int, total: int, failed: int, note: str) -> None:
        self._library.execute(
            "UPDATE server_tasks SET done = ?, total = ?, failed = ?, note = ? WHERE id = ?",
            (done, total, failed, note, identifier),
        )

    @in_transaction
    def set_state(
        self,
        identifier: str,
        state: TaskState,
        *,
        result: Mapping[str, str | int] | None = None,
        reason: str = "",
        remedy: str = "",
    ) -> None:
        self._library.execute(
            "UPDATE server_tasks SET state = ?, result = coalesce(?, result), reason = ?, "
            "remedy = ?, note = CASE WHEN ?1 = 'running' THEN note ELSE '' END, "
            "finished = ? WHERE id = ?",
            (
                state.value,
                None if result is None else json.dumps(dict(result), sort_keys=True),
                *(reason, remedy, utc_now() if state.is_final else "", identifier),
            ),
        )
        if state.is_final:
            from fourcorners.server.tasks.steps import ProgressSteps

            ProgressSteps(self._library, identifier).clear()  # those of a killed process
            ended = self.find(identifier)
            announce(self._library, identifier, ended.kind, ended.collection, state.value)

    @in_transaction
    def cancel(self, identifier: str, *, by: str) -> Task:
        """End a task that has not been done yet; what was done of it stays.

        Raises:
            NotFound: If there is none with this id.
            Conflict: If it has ended.
        """
        task = self.find(identifier)
        if task.state.is_final:
            raise Conflict(f"task {identifier} has ended already.")
        self.set_state(identifier, TaskState.CANCELLED)
        job = self.job(task.lane)
        self._jobs.mark_finished(job, [identifier])
        self._jobs.complete(job)  # where no other task is in the lane, nobody else does
        self._library.record("cancel task", {"task": identifier, "by": by})
        return self.find(identifier)


def _task(row: Row) -> Task:
    values: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    values |= {name: json.loads(as_string(values[name])) for name in ("spec", "result")}
    return Task(**values | {"state": TaskState(values["state"])})
