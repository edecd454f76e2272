"""Tasks that fail for what the next try does not have."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from fourcorners.server.tasks import runner
from fourcorners.server.tasks.queue import TaskQueue, TaskState
from tests.server.conftest import Room

DEADLOCK = RuntimeError("deadlock detected by _ModuleLock('fourcorners.search') at 1")


@pytest.mark.parametrize(
    ("error", "times", "state"),
    [
        (ImportError("cannot import name 'links_of'"), 2, TaskState.DONE),
        (DEADLOCK, 2, TaskState.DONE),
        (RuntimeError("something else"), 1, TaskState.FAILED),
    ],
)
def test_a_task_that_met_a_module_half_imported_is_tried_again(
    room: Room, monkeypatch: pytest.MonkeyPatch, error: Exception, times: int, state: TaskState
) -> None:
    tried: list[int] = []

    def run(_: object) -> Mapping[str, str]:
        tried.append(1)
        if len(tried) == 1:
            raise error
        return {}

    monkeypatch.setattr(runner, "import_module", lambda _: SimpleNamespace(run=run))
    with room.app.state.server.connection_pool.library() as library:
        task = TaskQueue(library).start("health", "thinking", "Mill", {}, by="ada")
    room.app.state.server.workers.wake()
    room.settle(task.id)
    with room.app.state.server.connection_pool.library() as library:
        assert TaskQueue(library).find(task.id).state is state
    assert len(tried) == times
