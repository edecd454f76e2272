"""The job behind a review: what is stored, and what is left to do after any end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fourcorners.errors import LibraryError
from fourcorners.library.database import as_string
from fourcorners.library.jobs import JobTable, worker_name
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding

LEASE_SECONDS = 24 * 3600.0  # seconds; a dead process on the same machine loses its lease at once


_KIND = "review"


def close_superseded(
    library: Library, playbook: Playbook, collection: str | None, documents: Sequence[str]
) -> None:
    """Close what an ended review left open, as far as these documents' cells are all filled.

    A review that was to fill filled cells anew, and ended on the way, is done with as soon as one
    finds nothing to fill. Documents that have left the library are done with, too; and so is a
    review by another version of the playbook, which no command can resume.
    """
    jobs, spec = JobTable(library), _spec(playbook, collection)
    for job in jobs.list(unfinished=True):
        if job.kind == _KIND and job.spec == spec:
            gone = library.execute(
                "SELECT key FROM steps WHERE job = ? AND key NOT IN (SELECT id FROM documents)",
                (job.id,),
            )
            with library.transaction():
                jobs.mark_finished(job, [*documents, *(as_string(key) for (key,) in gone)])
                jobs.complete(job)
        elif job.kind == _KIND and {**job.spec, "hash": spec["hash"]} == spec:
            with library.transaction():
                if not jobs.workers(job):
                    jobs.cancel(job)


def _spec(playbook: Playbook, collection: str | None) -> dict[str, str]:
    return {"playbook": playbook.id, "hash": playbook.hash, "collection": collection or ""}


class ReviewJob:
    """The job of one review: each document is a step, done when its cells are stored.

    `engines` names what fills the cells of each document.

    Raises:
        LibraryError: If another process is at work on documents of the same review.
    """

    def __init__(
        self,
        library: Library,
        playbook: Playbook,
        collection: str | None,
        engines: Mapping[str, str],
    ) -> None:
        documents = list(engines)
        self._library, self._playbook, self._engines = library, playbook, engines
        self._jobs, self._worker = JobTable(library), worker_name()
        self._job = self._jobs.start(_KIND, _spec(playbook, collection))
        self._jobs.add_steps(self._job, documents)
        self._jobs.retry(self._job, documents)
        claimed = self._jobs.claim(self._job, self._worker, LEASE_SECONDS, len(documents))
        self._steps = {step.key: step for step in claimed}
        missing = [key for key in documents if key not in self._steps]
        if missing:
            self._jobs.release(self._job, self._worker)
            raise LibraryError(
                f"another process is reviewing {len(missing)} of these contracts right now.",
                remedy="Wait until it is done, and run the command again.",
            )

    def save(self, document: str, cells: Sequence[Finding]) -> None:
        """Store the cells of a document, and with them that its step is done."""
        failed = next((cell for cell in cells if cell.state is CellState.FAILED), None)
        with self._library.transaction():
            store.save_findings(self._library, self._playbook, self._engines[document], cells)
            if failed is not None:
                self._jobs.fail(self._steps[document], failed.error, failed.remedy)
            else:
                self._jobs.finish(self._steps[document])

    def close(self) -> None:
        """Give back what was not done, and close the job if nothing is left of it.

        Documents that failed are tried again by the next review.
        """
        self._jobs.release(self._job, self._worker)
        self._jobs.complete(self._job)
