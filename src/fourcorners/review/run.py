"""Reviewing a collection against a playbook: documents × provisions, resumed where it stopped."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from fourcorners.documents.workers.worker_pool import LocalWorkerPool, WorkerPool
from fourcorners.errors import BudgetExceeded, ConfigError, DamagedDocument, FourcornersError
from fourcorners.library.contract import Contract
from fourcorners.library.damage import without_damaged
from fourcorners.library.store import Library
from fourcorners.models import registry
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.amendments import encode_amended, read_amended
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import Calibration, PreparedProvision, default_calibration
from fourcorners.review.finding import CellState, Finding, Review
from fourcorners.review.parties import Side, find_sides, set_side
from fourcorners.review.risk import rules
from fourcorners.review.store import ReviewJob, close_superseded
from fourcorners.review.stored_review import FilledReview, build_review
from fourcorners.version import __version__

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.review.prompting.reviewer import ModelReviewer

SECONDS_A_DOCUMENT = 300.0  # after which a document is given up
_RULES = "rules/9"  # raised when the rules for severities, states or quotes change


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """The progress of a review, in cells; `document` is the one just finished.

    Attributes:
        seconds_left: Estimated time for the rest at the pace so far.
        cost: What was spent in this run, in US dollars; None if nothing is charged.
        cost_left: Estimated cost of the rest at the rate so far; None as above.
    """

    done: int
    total: int
    failed: int
    document: str
    seconds_left: float | None = None
    cost: float | None = None
    cost_left: float | None = None


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """Which cells of a playbook are filled, and for whom.

    Attributes:
        collection: Narrows what is reviewed; None narrows nothing.
        documents: Ids that narrow it, likewise.
        read_for: Names the party for whom one reads, or several of a group; the collection
            remembers it until other names are given, or none (`()`): then nothing is called ours or
            theirs. None leaves what it remembers.
        again: Whether the filled cells are filled again.
        only_failed: Whether no cells are filled but those that have failed.
        as_of: The day of the review; today by default.
    """

    collection: str | None = None
    documents: Collection[str] | None = None
    read_for: Collection[str] | None = None
    again: bool = False
    only_failed: bool = False
    as_of: date | None = None


EVERYTHING = ReviewScope()


@dataclass(frozen=True, slots=True)
class Workers:
    """What fills cells; a language model is asked from this process.

    Attributes:
        jobs: Processes of this machine, if there is no `pool`.
        memory: The bytes by which a process may grow.
    """

    jobs: int = 1
    memory: int = 2 << 30
    pool: WorkerPool | None = None


ONE_WORKER = Workers()


class _Pace:
    """Estimates time and cost from the cells done since the work began."""

    def __init__(self, left: int, spent: Callable[[], float | None]) -> None:
        self._began, self._spent, self._left, self._done = time.monotonic(), spent, left, 0
        self._before = spent() or 0.0

    def step(self, cells: int) -> tuple[float, float | None, float | None]:
        """Count cells as done; return seconds left, cost, and cost left."""
        self._done += cells
        rest = (self._left - self._done) / self._done
        now = self._spent()
        cost = None if now is None else now - self._before
        seconds = (time.monotonic() - self._began) * rest
        return seconds, cost, None if cost is None else cost * rest


@dataclass(frozen=True, slots=True)
class _Order:
    """What a worker process needs for all documents of a review."""

    library: str
    provisions: tuple[PreparedProvision, ...]
    calibration: Calibration
    judge: ProvisionReader
    as_of: date | None


@dataclass(frozen=True, slots=True)
class _Task:
    document: str
    name: str
    missing: frozenset[str]
    side: Side
    vectors: NDArray[np.float32] | None = None  # of the words in force, if they are amended


def prepare_provisions(
    playbook: Playbook, encoder: Encoder | None
) -> tuple[PreparedProvision, ...]:
    return tuple(
        PreparedProvision(
            each, encoder.encode(list(each.examples) or [each.definition]) if encoder else None
        )
        for each in playbook.provisions
    )


def engine_name(encoder: Encoder | None, judged_by: str = "", asked: str = "") -> str:
    """Return the name of what fills cells: if it changes, cells are filled again."""
    verdicts, reader = registry.default_verdict_reader().name, registry.default_reader().name
    named = encoder.name if encoder else "no encoder"
    read = (default_calibration().version, registry.default_clause_reader().name, judged_by, asked)
    parts = (__version__, _RULES, verdicts, reader, named, *read)
    return hashlib.sha256("\n".join(filter(None, parts)).encode()).hexdigest()[:16]


@without_damaged
def review_library(
    library: Library,
    playbook: Playbook,
    scope: ReviewScope = EVERYTHING,
    *,
    encoder: Encoder | None,
    workers: Workers = ONE_WORKER,
    asker: ModelReviewer | None = None,
    on_progress: Callable[[ReviewProgress], None] | None = None,
) -> Review:
    """Fill every empty cell, as `fill_review` does, and return the whole grid.

    The grid holds the texts of its documents, their findings with what people said of them
    (`review.states`), the outliers among clauses, and the effects of amendments: it is for a data
    room, not for an archive.
    """
    filled = fill_review(
        library,
        playbook,
        scope,
        encoder=encoder,
        workers=workers,
        asker=asker,
        on_progress=on_progress,
    )
    return filled_grid(library, playbook, filled, scope)


@without_damaged
def filled_grid(
    library: Library, playbook: Playbook, filled: FilledReview, scope: ReviewScope
) -> Review:
    """Return the grid of a finished review."""
    left_out = library.damaged
    documents = [entry for entry in filled.documents if entry.id not in left_out]
    listed = {each.path for each in filled.unread}
    late = [each for each in library.failures(scope.collection) if each.path not in listed]
    now = datetime.now(UTC)
    stale = store.stale_documents(library, playbook, filled.whose) if scope.only_failed else set()
    return build_review(
        library,
        playbook,
        replace(
            filled,
            documents=tuple(documents),
            unread=(*filled.unread, *(each for each in late if left_out)),
        ),
        {
            entry.id: store.load_findings(library, playbook, entry.id)
            for entry in documents
            if entry.id not in stale
        },
        collection=scope.collection,
        created=now.replace(microsecond=0),
        as_of=scope.as_of or now.date(),
    )


@without_damaged
def fill_review(
    library: Library,
    playbook: Playbook,
    scope: ReviewScope = EVERYTHING,
    *,
    encoder: Encoder | None,
    workers: Workers = ONE_WORKER,
    asker: ModelReviewer | None = None,
    on_progress: Callable[[ReviewProgress], None] | None = None,
) -> FilledReview:
    """Fill every empty cell; hold the texts and findings of one document at a time.

    Cells are stored after each document: a stopped review continues where it stopped. A document
    whose review crashes or runs out of time or memory gets failed cells, with the reason; they are
    tried again next time.

    `encoder` made the library's vectors; without it the review uses words alone. `asker` has a
    language model judge what the local reader drafts; once its budget is exhausted, the remaining
    cells stay unfilled.

    Raises:
        ConfigError: If the collection holds no document and no failed file; if `only_failed`
            and `again` or `read_for` are both given; if `read_for` names nobody who is a party, or
            there are several collections and none is named; or if the workers cannot open the
            library.
        BudgetExceeded: If the budget of the language model is exhausted; what is done is stored.
    """
    collection, read_for, day = scope.collection, scope.read_for, scope.as_of
    if scope.only_failed and scope.again:
        raise ConfigError("`only` and `again` are both given.", remedy="Give only one of the two.")
    if scope.only_failed and read_for is not None:
        raise ConfigError(
            "for another party all cells are filled again, not only failed ones.",
            remedy="Give only one of the two.",
        )
    worker_pool = workers.pool or LocalWorkerPool(workers.jobs)
    if worker_pool.is_remote and not library.shared:
        raise ConfigError(
            f"other machines cannot open {library.path}: it is a file on this machine.",
            remedy="Copy it to where they can: fourcorners library copy FROM postgresql://host/firm.",
        )
    entries = [
        entry
        for entry in library.documents(collection)
        if scope.documents is None or entry.id in scope.documents
    ]
    failures = library.failures(collection) if scope.documents is None else []
    if not entries and not failures:
        where = f"the collection {collection!r}" if collection else "the library"
        raise ConfigError(f"{where} holds no contract.", remedy="Add some: fourcorners add FOLDER.")
    calibration, judge = default_calibration(), ProvisionReader.default(encoder)
    judged_by = rules.model_of(playbook)
    name = engine_name(encoder, judged_by, asker.name if asker else "")
    if read_for is not None:
        set_side(library, collection, read_for)
    whose = find_sides(library, entries)
    missing = _missing(library, playbook, name, whose, scope)
    known = {entry.id: entry for entry in entries}
    tasks = [
        _Task(one, known[one].name, missing[one], side, encode_amended(library, one, encoder, day))
        for one, side in whose.items()
        if missing[one]
    ]
    if not scope.only_failed:
        whole = [each.id for each in entries if not missing[each.id]]
        close_superseded(library, playbook, collection, whole)
    if asker is None:  # whose budget is spent on contracts in their own order
        tasks.sort(key=lambda task: known[task.document].characters, reverse=True)
    total, failed = len(entries) * len(playbook.provisions), 0
    left = sum(len(task.missing) for task in tasks)
    done = total - left
    report = on_progress or (lambda _: None)
    if tasks:
        pace = _Pace(left, lambda: asker.port.spending.cost if asker else None)
        order = _Order(library.url, prepare_provisions(playbook, encoder), calibration, judge, day)
        engines = {
            each.document: store.engine_name_for(library, name, each.document, each.side, day)
            for each in tasks
        }
        work = ReviewJob(library, playbook, collection, engines)
        try:
            for task, drafts in _fill(order, tasks, worker_pool, memory=workers.memory):
                cells = drafts
                if asker is not None:
                    reading = Contract(library, task.document)
                    filled = asker.fill(reading, drafts, task.side)
                    cells = list(filled.cells)
                    if filled.stopped is not None:
                        store.save_findings(library, playbook, engines[task.document], cells)
                        raise BudgetExceeded(
                            f"{filled.stopped.message} {done + len(cells):,} of {total:,} cells "
                            "are filled, and kept.",
                            remedy=filled.stopped.remedy,
                        )
                work.save(task.document, cells)
                done += len(cells)
                failed += sum(cell.state is CellState.FAILED for cell in cells)
                report(ReviewProgress(done, total, failed, task.name, *pace.step(len(cells))))
        finally:
            work.close()
    return FilledReview(
        tuple(entries),
        tuple(failures),
        whose,
        name,
        encoder.name if encoder else "",
        made_with=(
            ("Clause reader", judge.reader.name),
            ("Verdict reader", registry.default_verdict_reader().name),
            ("Reader", registry.default_reader().name),
            *([("Rules", judged_by)] if judged_by else []),
            *([("Language model", asker.description)] if asker else []),
            ("Calibration", calibration.version),
        ),
    )


def _missing(
    library: Library,
    playbook: Playbook,
    engine: str,
    whose: Mapping[str, Side],
    scope: ReviewScope,
) -> Mapping[str, frozenset[str]]:
    provisions = frozenset(provision.id for provision in playbook.provisions)
    nothing: frozenset[str] = frozenset()
    if scope.only_failed:
        failed = store.failed_cells(library, playbook)
        return {each: provisions & failed.get(each, nothing) for each in whose}
    known = {} if scope.again else store.cells_filled(library, playbook, engine, whose, scope.as_of)
    return {each: provisions - known.get(each, nothing) for each in whose}


def _fill(
    order: _Order, tasks: Sequence[_Task], worker_pool: WorkerPool, *, memory: int
) -> Iterator[tuple[_Task, list[Finding]]]:
    """Yield the cells of each document as they are filled; failed ones have the reason."""
    with worker_pool.start(
        partial(_fill_document, order),
        memory=memory,
        seconds=SECONDS_A_DOCUMENT,
        name=lambda task: task.name,
    ) as workers:
        for task, outcome in workers.run(tasks):
            if isinstance(outcome, DamagedDocument):
                raise outcome
            if isinstance(outcome, FourcornersError):
                outcome = list(_failed_findings(task, order.provisions, outcome))
            yield task, outcome


def _fill_document(order: _Order, task: _Task) -> list[Finding]:
    """Fill the missing cells of one document; runs in a worker process."""
    library = _open_library(order.library)
    wanted = [each for each in order.provisions if each.provision.id in task.missing]

    def read(reading: Contract) -> list[Finding]:
        return extract_findings(reading, wanted, order.calibration, order.judge, task.side)

    return read_amended(library, task.document, task.vectors, read, order.as_of)


@cache
def _open_library(path: str) -> Library:
    return Library.open(path, create=False)


def _failed_findings(
    task: _Task, provisions: Iterable[PreparedProvision], error: FourcornersError
) -> Iterator[Finding]:
    for each in provisions:
        if each.provision.id in task.missing:
            yield Finding(
                document=task.document,
                provision=each.provision.id,
                state=CellState.FAILED,
                error=error.message,
                remedy=error.remedy,
            )
