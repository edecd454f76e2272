"""Adding what was uploaded: the library's own `add`, which resumes by itself."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.server.tasks.handlers.work import TaskContext

if TYPE_CHECKING:
    from fourcorners.library.ingest import Progress

KIND = "add"
LANE = "reading"


def lane(*, is_shared: bool) -> str:
    """Return the lane of uploads; where no other machine sees their files, that of this one."""
    return LANE if is_shared else f"{LANE} on {socket.gethostname()}"


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.library.ingest import add_files

    folder = Path(work.task.spec["folder"])

    def told(progress: Progress) -> None:
        work.report_progress(
            progress.done, progress.total, progress.failed, Path(progress.path).name
        )

    work.report_progress(0, 0, 0, "")
    report = add_files(
        work.library,
        [folder],
        collection=work.task.collection,
        encoder=work.engines.encoder,
        settings=work.settings,
        on_progress=told,
    )
    return {
        "found": report.found,
        "added": report.added,
        "already": report.already,
        "failed": len(report.failed),
        "duplicates": len(report.duplicates),
        "needs_ocr": len(report.needs_ocr),
    }
