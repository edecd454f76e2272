"""Reviewing a collection against a playbook: documents × provisions, resumed where it stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from fourcorners.documents.workers import Workers
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.models.registry import default_clause_reader
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.review import store
from fourcorners.review.calibration import Calibration, shipped
from fourcorners.review.extract import findings
from fourcorners.review.finding import (
    CellState,
    ColumnHead,
    Finding,
    Review,
    ReviewedDocument,
    UnreadFile,
)
from fourcorners.review.job import Work
from fourcorners.review.reader import Judge
from fourcorners.review.reading import read
from fourcorners.review.scoring import Prepared
from fourcorners.version import __version__

if TYPE_CHECKING:
    from fourcorners.models.clause_reader import ClauseReader
    from fourcorners.models.encoder import Encoder

SECONDS_A_DOCUMENT = 300.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review has come, in cells; `document` is the one just finished."""

    done: int
    total: int
    failed: int
    document: str


@dataclass(frozen=True, slots=True)
class _Order:
    """What a worker process needs for all documents of a review."""

    library: str
    provisions: tuple[Prepared, ...]
    calibration: Calibration
    judge: Judge


@dataclass(frozen=True, slots=True)
class _Task:
    document: str
    name: str
    missing: frozenset[str]


def prepare(playbook: Playbook, encoder: Encoder | None) -> tuple[Prepared, ...]:
    """Encode the example clauses of each provision."""
    if encoder is None:
        return tuple(Prepared(provision, None) for provision in playbook.provisions)
    return tuple(
        Prepared(provision, encoder.encode(_examples(provision)))
        for provision in playbook.provisions
    )


def _examples(provision: Provision) -> list[str]:
    return list(provision.examples) or [provision.definition]


def engine(encoder: Encoder | None, calibration: Calibration, reader: ClauseReader) -> str:
    """Name what fills cells: a change of any of these fills them anew."""
    named = encoder.name if encoder else "no encoder"
    parts = (__version__, named, calibration.version, reader.name)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def review(
    library: Library,
    playbook: Playbook,
    *,
    collection: str | None = None,
    documents: Collection[str] | None = None,
    encoder: Encoder | None,
    jobs: int = 1,
    memory: int = 2 << 30,
    as_of: date | None = None,
    again: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Review:
    """Fill every cell that is not filled yet, and return the whole grid.

    Cells are stored as they are filled, a document at a time: a review that is stopped goes on
    where it stopped. A document whose review crashes or runs out of time or memory has failed
    cells, with the reason; they are tried again next time.

    `collection` and `documents` (ids) narrow what is reviewed; None narrows nothing. `encoder` is
    what made the library's vectors; without one the review goes by words alone. `memory` is the
    bytes by which a worker process may grow. `again` fills the filled cells anew.

    Raises:
        ConfigError: If the collection holds no document, or no file that was tried.
    """
    entries = [
        entry
        for entry in library.documents(collection)
        if documents is None or entry.id in documents
    ]
    failures = library.failures(collection) if documents is None else []
    unread = [UnreadFile(each.path, each.reason, each.remedy) for each in failures]
    if not entries and not unread:
        where = f"the collection {collection!r}" if collection else "the library"
        raise ConfigError(f"{where} holds no contract.", remedy="Add some: fourcorners add FOLDER.")
    calibration, reader = shipped(), default_clause_reader()
    judge = Judge(reader, vectors=encoder is not None and encoder.name == reader.encoder)
    name = engine(encoder, calibration, reader)
    known = {} if again else store.filled(library, playbook.hash, name)
    provisions = frozenset(provision.id for provision in playbook.provisions)
    tasks = [
        _Task(entry.id, entry.name, provisions - known.get(entry.id, frozenset()))
        for entry in entries
    ]
    tasks = [task for task in tasks if task.missing]
    done = len(entries) * len(provisions) - sum(len(task.missing) for task in tasks)
    total, failed = len(entries) * len(provisions), 0
    if tasks:
        order = _Order(str(library.path), prepare(playbook, encoder), calibration, judge)
        work = Work(library, playbook, name, collection, [task.document for task in tasks])
        try:
            for task, cells in _fill(order, tasks, jobs=jobs, memory=memory):
                work.save(task.document, cells)
                done += len(cells)
                failed += sum(cell.state is CellState.FAILED for cell in cells)
                if on_progress:
                    on_progress(Progress(done, total, failed, task.name))
        finally:
            work.close()
    return Review(
        title=collection or "All contracts",
        created=datetime.now(UTC).replace(microsecond=0),
        as_of=as_of or datetime.now(UTC).date(),
        playbook=playbook.name,
        playbook_version=playbook.version,
        playbook_hash=playbook.hash,
        columns=tuple(ColumnHead(p.id, p.name, p.definition) for p in playbook.provisions),
        documents=tuple(_row(library, entry) for entry in entries),
        findings=tuple(_grid(library, playbook, entries)),
        unread=tuple(unread),
        provenance=(
            ("Program", f"Fourcorners {__version__}"),
            ("Engine", name),
            ("Encoder", encoder.name if encoder else "none: by words alone"),
            ("Clause reader", reader.name),
            ("Calibration", calibration.version),
            ("Library", str(library.path)),
        ),
    )


def _fill(
    order: _Order, tasks: Sequence[_Task], *, jobs: int, memory: int
) -> Iterator[tuple[_Task, list[Finding]]]:
    """Yield the cells of each document as they are filled; a failure fills them with its reason."""
    with Workers(
        partial(fill_document, order),
        jobs=max(1, min(jobs, len(tasks))),
        memory=memory,
        seconds=SECONDS_A_DOCUMENT,
        name=lambda task: task.name,
    ) as workers:
        for task, outcome in workers.run(tasks):
            if isinstance(outcome, FourcornersError):
                yield task, list(_failed(task, order.provisions, outcome))
            else:
                yield task, outcome


def fill_document(order: _Order, task: _Task) -> list[Finding]:
    """Fill the missing cells of one document; runs in a worker process."""
    library = _opened(order.library)
    vectors = library.vectors(document=task.document)
    passages = library.passages(task.document)
    reading = read(
        library.document(task.document),
        library.outline(task.document),
        library.card(task.document),
        passages,
        vectors.matrix if len(vectors) == len(passages) else None,
    )
    wanted = [each for each in order.provisions if each.provision.id in task.missing]
    return findings(reading, wanted, order.calibration, order.judge)


@cache
def _opened(path: str) -> Library:
    return Library.open(path, create=False)


def _failed(
    task: _Task, provisions: Iterable[Prepared], error: FourcornersError
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


def _grid(library: Library, playbook: Playbook, entries: Iterable[Entry]) -> Iterator[Finding]:
    for entry in entries:
        cells = store.load(library, playbook, entry.id)
        for provision in playbook.provisions:
            yield cells[provision.id]


def _row(library: Library, entry: Entry) -> ReviewedDocument:
    document = library.document(entry.id)
    outline = library.outline(entry.id)
    return ReviewedDocument(
        id=entry.id,
        name=entry.name,
        path=entry.path,
        media_type=entry.media_type,
        text=document.text,
        card=library.card(entry.id),
        outline_confidence=outline.confidence,
        windows=outline.windows,
        page_count=entry.pages,
        needs_ocr=entry.needs_ocr,
        warnings=document.warnings,
    )
