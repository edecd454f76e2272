"""The job behind a review: what is stored, and what is left to do after any end."""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.errors import LibraryError
from fourcorners.library.jobs import Jobs, worker_name
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding

LEASE = 24 * 3600.0  # seconds; a dead process on the same machine loses its lease at once


class Work:
    """The job of one review: each document is a step, done when its cells are stored.

    Raises:
        LibraryError: If another process is at work on documents of the same review.
    """

    def __init__(
        self,
        library: Library,
        playbook: Playbook,
        engine: str,
        collection: str | None,
        documents: Sequence[str],
    ) -> None:
        self._library, self._playbook, self._engine = library, playbook.hash, engine
        self._jobs, self._worker = Jobs(library), worker_name()
        spec = {"playbook": playbook.id, "hash": playbook.hash, "collection": collection or ""}
        self._job = self._jobs.start("review", spec)
        self._jobs.add_steps(self._job, documents)
        self._jobs.retry(self._job, documents)
        claimed = self._jobs.claim(self._job, self._worker, LEASE, len(documents))
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
            store.save(self._library, self._playbook, self._engine, cells)
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
