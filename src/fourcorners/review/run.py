"""Reviewing a collection against a playbook: documents × provisions, resumed where it stopped."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING

from fourcorners.documents.workers.worker_pool import LocalWorkerPool, WorkerPool
from fourcorners.errors import BudgetExceeded, ConfigError, DamagedDocument, FourcornersError
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry, Failure
from fourcorners.library.store import Library
from fourcorners.models.registry import default_clause_reader, default_verdict_reader
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import Calibration, PreparedProvision, default_calibration
from fourcorners.review.finding import (
    CellState,
    Finding,
    Review,
)
from fourcorners.review.parties import UNKNOWN_SIDE, Side, find_sides, set_side
from fourcorners.review.prepared_document import PreparedDocument, prepare_document
from fourcorners.review.risk import rules
from fourcorners.review.store import ReviewJob, close_superseded
from fourcorners.review.stored_review import build_review
from fourcorners.version import __version__

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.review.prompting.reviewer import ModelReviewer

SECONDS_A_DOCUMENT = 300.0  # after which a document is given up
_RULES = "rules/2"  # raised when the rules for severities or states change


@dataclass(frozen=True, slots=True)
class Progress:
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


class CellFilter(StrEnum):
    """Which of the possible cells a review fills."""

    FAILED = "failed"


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


@dataclass(frozen=True, slots=True)
class _Task:
    document: str
    name: str
    missing: frozenset[str]
    side: Side


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
    named = encoder.name if encoder else "no encoder"
    calibration, reader = default_calibration().version, default_clause_reader().name
    verdicts = default_verdict_reader().name
    parts = (__version__, _RULES, verdicts, named, calibration, reader, judged_by, asked)
    return hashlib.sha256("\n".join(filter(None, parts)).encode()).hexdigest()[:16]


def engine_name_for(name: str, side: Side) -> str:
    return f"{name}{store.SIDE_MARK}{side.key}" if side.key else name


def cells_filled(
    library: Library, playbook: Playbook, name: str, whose: Mapping[str, Side]
) -> dict[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells this engine filled for its side."""
    by_side = {
        side: store.filled_cells(library, playbook.hash, engine_name_for(name, side))
        for side in set(whose.values())
    }
    return {document: by_side[side].get(document, frozenset()) for document, side in whose.items()}


@dataclass(frozen=True, slots=True)
class FilledReview:
    """The result of a review: every cell of its documents is in the library.

    Attributes:
        documents: The documents of the grid, by name.
        unread: The files that could not be read.
        whose: For whom each document is read.
        engine: What fills the cells.
        made_with: What else they were made with, by name.
    """

    documents: tuple[Entry, ...]
    unread: tuple[Failure, ...]
    whose: Mapping[str, Side]
    engine: str
    made_with: tuple[tuple[str, str], ...]


@without_damaged
def review_library(
    library: Library,
    playbook: Playbook,
    *,
    collection: str | None = None,
    documents: Collection[str] | None = None,
    read_for: Collection[str] | None = None,
    encoder: Encoder | None,
    jobs: int = 1,
    worker_pool: WorkerPool | None = None,
    memory: int = 2 << 30,
    as_of: date | None = None,
    again: bool = False,
    only: CellFilter | None = None,
    asker: ModelReviewer | None = None,
    spent: Callable[[], float | None] = lambda: None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Review:
    """Fill every empty cell, as `fill_review` does, and return the whole grid.

    The grid holds the texts of its documents, their findings with what people said of them
    (`review.states`), the outliers among clauses, and the effects of amendments: it is for a data
    room, not for an archive.
    """
    filled = fill_review(
        library,
        playbook,
        collection=collection,
        documents=documents,
        read_for=read_for,
        encoder=encoder,
        jobs=jobs,
        worker_pool=worker_pool,
        memory=memory,
        again=again,
        only=only,
        asker=asker,
        spent=spent,
        on_progress=on_progress,
    )
    return filled_grid(
        library, playbook, filled, collection=collection, as_of=as_of, encoder=encoder, only=only
    )


@without_damaged
def filled_grid(
    library: Library,
    playbook: Playbook,
    filled: FilledReview,
    *,
    collection: str | None,
    as_of: date | None,
    encoder: Encoder | None,
    only: CellFilter | None = None,
) -> Review:
    """Return the grid of a finished review."""
    left_out = library.damaged
    documents = [entry for entry in filled.documents if entry.id not in left_out]
    listed = {each.path for each in filled.unread}
    late = [each for each in library.failures(collection) if each.path not in listed]
    now = datetime.now(UTC)
    stale = store.stale_documents(library, playbook, filled.whose) if only else set()
    return build_review(
        library,
        playbook,
        documents,
        {
            entry.id: store.load_findings(library, playbook, entry.id)
            for entry in documents
            if entry.id not in stale
        },
        filled.whose,
        collection=collection,
        created=now.replace(microsecond=0),
        as_of=as_of or now.date(),
        engine=filled.engine,
        encoder=encoder.name if encoder else "",
        unread=(*filled.unread, *(each for each in late if left_out)),
        made_with=filled.made_with,
    )


@without_damaged
def fill_review(
    library: Library,
    playbook: Playbook,
    *,
    collection: str | None = None,
    documents: Collection[str] | None = None,
    read_for: Collection[str] | None = None,
    encoder: Encoder | None,
    jobs: int = 1,
    worker_pool: WorkerPool | None = None,
    memory: int = 2 << 30,
    again: bool = False,
    only: CellFilter | None = None,
    asker: ModelReviewer | None = None,
    spent: Callable[[], float | None] = lambda: None,
    on_progress: Callable[[Progress], None] | None = None,
) -> FilledReview:
    """Fill every empty cell; hold the texts and findings of one document at a time.

    Cells are stored after each document: a stopped review continues where it stopped. A document
    whose review crashes or runs out of time or memory gets failed cells, with the reason; they are
    tried again next time.

    `collection` and `documents` (ids) narrow what is reviewed; None narrows nothing. `read_for`
    names the party for whom contracts are read, or several of a group; the collection remembers it
    until other names are given, or none (`()`): then nothing is called ours or theirs. None keeps
    what it remembers. `encoder` made the library's vectors; without it the review uses words alone.
    `worker_pool` fills cells instead of `jobs` processes of this machine; the language model is
    called from here. `memory` is the bytes by which a worker process may grow. `again` also fills
    cells that are filled already. `only` failed fills only failed cells: one that was never filled
    then becomes a failed one. `asker` has a language model judge what the local reader drafts; once
    its budget is exhausted, the remaining cells stay unfilled. `spent` returns what was paid so
    far, in US dollars.

    Raises:
        ConfigError: If the collection holds no document and no failed file; if `only`
            and `again` or `read_for` are both given; if `read_for` names nobody who is a party, or
            there are several collections and none is named; or if the workers cannot open the
            library.
        BudgetExceeded: If the budget of the language model is exhausted; what is done is stored.
    """
    if only and again:
        raise ConfigError("`only` and `again` are both given.", remedy="Give only one of the two.")
    if only and read_for is not None:
        raise ConfigError(
            "for another party all cells are filled again, not only failed ones.",
            remedy="Give only one of the two.",
        )
    worker_pool = worker_pool or LocalWorkerPool(jobs)
    if worker_pool.is_remote and not library.shared:
        raise ConfigError(
            f"other machines cannot open {library.path}: it is a file on this machine.",
            remedy="Copy it to where they can: fourcorners library copy FROM postgresql://host/firm.",
        )
    entries = [
        entry
        for entry in library.documents(collection)
        if documents is None or entry.id in documents
    ]
    failures = library.failures(collection) if documents is None else []
    if not entries and not failures:
        where = f"the collection {collection!r}" if collection else "the library"
        raise ConfigError(f"{where} holds no contract.", remedy="Add some: fourcorners add FOLDER.")
    calibration, judge = default_calibration(), ProvisionReader.default(encoder)
    judged_by = rules.model_of(playbook)
    name = engine_name(encoder, judged_by, asker.name if asker else "")
    if read_for is not None:
        set_side(library, collection, read_for)
    whose = find_sides(library, entries)
    missing = _missing(library, playbook, name, whose, again=again, only=only)
    tasks = [
        _Task(entry.id, entry.name, missing[entry.id], whose[entry.id])
        for entry in entries
        if missing[entry.id]
    ]
    if only is None:
        close_superseded(
            library, playbook, collection, [e.id for e in entries if not missing[e.id]]
        )
    total, failed = len(entries) * len(playbook.provisions), 0
    left = sum(len(task.missing) for task in tasks)
    done = total - left
    report = on_progress or (lambda _: None)
    if tasks:
        pace = _Pace(left, spent)
        order = _Order(library.url, prepare_provisions(playbook, encoder), calibration, judge)
        engines = {task.document: engine_name_for(name, task.side) for task in tasks}
        work = ReviewJob(library, playbook, collection, engines)
        try:
            for task, drafts in _fill(order, tasks, worker_pool, memory=memory):
                cells = drafts
                if asker is not None:
                    reading = prepare_from_library(library, task.document, task.side)
                    filled = asker.fill(reading, drafts)
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
                report(Progress(done, total, failed, task.name, *pace.step(len(cells))))
        finally:
            work.close()
    return FilledReview(
        tuple(entries),
        tuple(failures),
        whose,
        name,
        made_with=(
            ("Clause reader", judge.reader.name),
            ("Verdict reader", default_verdict_reader().name),
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
    *,
    again: bool,
    only: CellFilter | None,
) -> Mapping[str, frozenset[str]]:
    provisions = frozenset(provision.id for provision in playbook.provisions)
    nothing: frozenset[str] = frozenset()
    if only is CellFilter.FAILED:
        failed = store.failed_cells(library, playbook)
        return {each: provisions & failed.get(each, nothing) for each in whose}
    known = {} if again else cells_filled(library, playbook, engine, whose)
    return {each: provisions - known.get(each, nothing) for each in whose}


def _fill(
    order: _Order, tasks: Sequence[_Task], worker_pool: WorkerPool, *, memory: int
) -> Iterator[tuple[_Task, list[Finding]]]:
    """Yield the cells of each document as they are filled; failed ones have the reason."""
    with worker_pool.start(
        partial(fill_document, order),
        memory=memory,
        seconds=SECONDS_A_DOCUMENT,
        name=lambda task: task.name,
    ) as workers:
        for task, outcome in workers.run(tasks):
            if isinstance(outcome, DamagedDocument):
                raise outcome
            if isinstance(outcome, FourcornersError):
                yield task, list(_failed_findings(task, order.provisions, outcome))
            else:
                yield task, outcome


def fill_document(order: _Order, task: _Task) -> list[Finding]:
    """Fill the missing cells of one document; runs in a worker process."""
    reading = prepare_from_library(_open_library(order.library), task.document, task.side)
    wanted = [each for each in order.provisions if each.provision.id in task.missing]
    return extract_findings(reading, wanted, order.calibration, order.judge)


def prepare_from_library(
    library: Library, document: str, side: Side = UNKNOWN_SIDE
) -> PreparedDocument:
    vectors = library.vectors(document=document)
    passages = library.passages(document)
    return prepare_document(
        library.document(document),
        library.outline(document),
        library.card(document),
        passages,
        vectors.matrix if len(vectors) == len(passages) else None,
        side,
        library.concordance(document),
    )


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
