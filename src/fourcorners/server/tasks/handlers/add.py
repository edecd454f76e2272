"""Adding what was uploaded: files are kept, and read by the library's own `add`, which resumes."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from fourcorners.errors import LibraryError
from fourcorners.library.database import as_string
from fourcorners.operations.errors import Refusal
from fourcorners.operations.failures import FailuresRequest, select_failures
from fourcorners.operations.notices import Notice, NoticeKind, is_unseen, notify
from fourcorners.operations.principal import Role
from fourcorners.server.store.uploads import settle_upload
from fourcorners.server.tasks.handlers import TaskContext
from fourcorners.server.tasks.queue import Task

if TYPE_CHECKING:
    from fourcorners.library.add_report import Progress
    from fourcorners.library.store import Library
    from fourcorners.server.context import RequestContext

KIND = "add"
LANE = "reading"


def lane(*, is_shared: bool) -> str:
    """Return the lane of uploads; where no other machine sees their files, that of this one."""
    return LANE if is_shared else f"{LANE} on {socket.gethostname()}"


def receive_files(
    context: RequestContext, collection: str, files: Iterable[tuple[str, BinaryIO]]
) -> Task:
    """Keep files under their senders' names, and start the task that adds them.

    The collection exists from then on, whether or not any of them can be read.

    Whoever calls has checked that the person may add to the collection.

    Raises:
        TooLarge: If they are more, or larger, than is taken; then none is kept.
        Refusal: If there is none among them that can be a contract.
    """
    with context.state.connection_pool.library() as library:
        upload = context.state.uploads.create(library)

    def settle(library: Library) -> None:
        settle_upload(library, upload.folder.name)
        library.add_collection(collection)

    try:
        for name, source in files:
            upload.save_file(name, source)
        if not upload.count:
            raise Refusal("no readable files: hidden and temporary files are skipped.")
        spec = {"folder": str(upload.folder), "files": str(upload.count)}
        uploads_lane = lane(is_shared=context.state.uploads.is_shared)
        return context.start_task(KIND, uploads_lane, collection, spec, beside=settle)
    except BaseException:
        upload.delete()
        with suppress(LibraryError), context.state.connection_pool.library() as library:
            settle_upload(library, upload.folder.name)
        raise


def retry_files(context: RequestContext, asked: FailuresRequest) -> Task:
    """Start the task that reads files again which could not be read.

    Raises:
        NotFound: If they may not know of the collection, or a file is not among them.
        NotAllowed: If they are no editor there.
    """
    with context.access() as access:
        failures = select_failures(access, asked)
        library = access.library_for(asked.collection, Role.EDITOR)
        paths = sorted({str(_file_on_disk(Path(each.path))) for each in failures})
        watched = {
            as_string(folder)
            for path in paths
            for (folder,) in library.execute(
                "SELECT folder FROM server_watched WHERE path = ?", (path,)
            )
        }
    spec = {"paths": paths, "files": str(len(paths)), "watched": sorted(watched)}
    uploads_lane = lane(is_shared=context.state.uploads.is_shared and not watched)
    return context.start_task(KIND, uploads_lane, asked.collection, spec)


def _file_on_disk(path: Path) -> Path:
    """Return a path, or the file that holds it: what an archive holds is read with the archive."""
    return next((each for each in (path, *path.parents) if each.is_file()), path)


def paths_to_read(task: Task) -> list[Path]:
    """Return the files and folders that a task adds.

    A file of a watched folder that has become a link is not read.
    """
    paths = [Path(each) for each in task.spec.get("paths") or [task.spec["folder"]]]
    watched = task.spec.get("watched", [])
    return [
        each
        for each in paths
        if not any(each.is_relative_to(folder) for folder in watched)
        or str(each.resolve()) == str(each)
    ]


def list_unread(library: Library, task: Task, reason: str, remedy: str) -> None:
    """List what a failed task did not add of a watched folder: nothing else takes it again."""
    for path in task.spec.get("paths", ()) if task.spec.get("watched") else ():
        if library.document_at(path, task.collection) is None:
            library.fail(path, reason, remedy, collection=task.collection)


def notify_members(library: Library, task: Task) -> None:
    """Tell the members of a collection that files have arrived, once until they have seen it."""
    from fourcorners.server.auth.accounts import Accounts

    notice = Notice(kind=NoticeKind.ADDED, by=task.asked_by, collection=task.collection)
    with library.transaction():
        for person, _ in Accounts(library).members(task.collection):
            if not is_unseen(library, person, notice):
                notify(library, person, notice)


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.library.ingest import add_files
    from fourcorners.library.originals.files import Originals
    from fourcorners.search.graph import update_links
    from fourcorners.server.tasks.arrivals import start_reviews

    def report_progress(progress: Progress) -> None:
        work.report_progress(
            progress.done, progress.total, progress.failed, Path(progress.path).name
        )

    work.report_progress(0, 0, 0, "")
    report = add_files(
        work.library,
        paths_to_read(work.task),
        collection=work.task.collection,
        encoder=work.engines.encoder,
        settings=work.settings,
        on_progress=report_progress,
    )
    update_links(work.library)
    start_reviews(work.library, work.task.collection)
    if report.added:
        notify_members(work.library, work.task)
    originals = Originals(work.settings.originals)
    stored = originals.move_added(
        work.library,
        work.task.collection,
        report,
        lambda done, total: work.report_progress(done, total, len(report.failed), ""),
    )
    return {
        "originals_waiting": len(stored.failed),
        **{name: getattr(report, name) for name in ("found", "added", "already")},
        **{name: len(getattr(report, name)) for name in ("failed", "duplicates", "needs_ocr")},
    }
