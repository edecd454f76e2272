"""Writing a long report: its file waits for whoever may read the collection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fourcorners.server.tasks.handlers import TaskContext

KIND = "export"
LANE = "looking"
_LOOK = 2.0  # seconds between looks whether the file is written


def run(work: TaskContext) -> Mapping[str, str | int]:
    from concurrent.futures import ThreadPoolExecutor, wait

    from fourcorners.library.tokens import fold_name
    from fourcorners.operations.access import Access
    from fourcorners.operations.principal import Principal, Role
    from fourcorners.operations.reviewing.exports import ExportRequest, load_export, write_export
    from fourcorners.server.store import exports
    from fourcorners.server.store.uploads import UploadFolder
    from fourcorners.work_folder import make_temporary_folder

    asked, by = ExportRequest.model_validate(work.task.spec["request"]), work.task.asked_by
    reader = Principal(by, roles={fold_name(asked.collection): Role.READER})
    shown_path = UploadFolder(Path(work.task.spec["uploads"])).display_path
    work.report_progress(0, 0, 0, "")
    review = load_export(Access(work.library, reader, watched=False), asked, shown_path)
    count = len(review.documents)
    work.report_progress(0, count, 0, "")
    with make_temporary_folder() as folder, ThreadPoolExecutor(1) as writer:
        path = folder / f"report.{asked.format}"
        written = writer.submit(write_export, review, asked.format, path, by)
        while not wait([written], _LOOK).done:
            work.report_progress(0, count, 0, "")
        written.result()
        name = exports.file_name(review.title, review.playbook_id, asked.format)
        exports.save_file(work.library, work.task.id, name, path.read_bytes())
    work.report_progress(count, count, 0, "")
    return {"file": name, "contracts": count}
