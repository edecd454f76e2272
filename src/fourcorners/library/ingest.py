"""`add`: turn files into documents of the library, despite any interruption.

Files are read by a worker pool: processes with limits. The main process encodes, if the pool does
not, and stores, one transaction a document. What is stored remains: run it again after any
interruption, and it continues.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.archive.container import MAX_BYTES, MAX_MEMBERS, is_member_path
from fourcorners.documents.discovery import UnreadPath, digest_file, is_bucket_object, path_or_url
from fourcorners.documents.ocr.recognition import OcrOptions
from fourcorners.documents.workers.worker_pool import LocalWorkerPool, TaskRunner, WorkerPool
from fourcorners.errors import FourcornersError, InputError, LibraryError
from fourcorners.library.add_report import AddReport, Progress, Replaced, Tally
from fourcorners.library.database import in_transaction
from fourcorners.library.entries import Failure
from fourcorners.library.jobs import Job, JobTable, Step, worker_name
from fourcorners.library.listing import storable_path
from fourcorners.library.prepare import (
    ArchiveMember,
    OpenedArchive,
    PreparedFile,
    encode_document,
    file_size,
    forget_vanished,
    note_known_file,
    passage_texts,
    prepare_file,
    vector_step,
)
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.settings import Settings

_CLAIM = 16  # steps claimed together
_SLICE = 1024  # passages encoded together, so that a very long document can be interrupted
_LEASE = 60.0  # seconds that a lease lasts beyond the time one file may take
_POLL = 0.5  # seconds between looks at steps that another process holds


def add_files(
    library: Library,
    paths: Iterable[str | Path],
    *,
    collection: str,
    encoder: Encoder | None,
    settings: Settings | None = None,
    worker_pool: WorkerPool | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> AddReport:
    """Add the files at and under the paths to a collection.

    A file that cannot be added is a failure in the report and in the library, and is tried again
    the next time; all others go on. Documents that were added without vectors get them, and those
    with pages that no text recognition read are read again where it is possible now. What
    archives hold and what mails have attached is added too, under paths that lead through them.
    A `worker_pool` reads, and makes vectors if it does that, instead of processes of this machine;
    the encoder must then be that of the settings. Without settings their defaults are used.

    Raises:
        LibraryError: If the library holds vectors of another encoder, or cannot be written.
        ModelError: If the encoder's files are missing or damaged.
        KeyboardInterrupt: Raised again after the current work was released.
    """
    if settings is None:
        from fourcorners.settings import Settings

        settings = Settings.defaults()
    if encoder is not None:
        library.set_encoder(encoder.name, encoder.dimension)
    ocr = OcrOptions(settings.ocr, settings.ocr_seconds)
    worker_pool = worker_pool or LocalWorkerPool(settings.jobs)
    run = _Run(library, collection, encoder, on_progress, ocr)
    run.look([Path(path) for path in paths], worker_pool)
    with worker_pool.start(
        partial(prepare_file, ocr=ocr),
        memory=settings.memory_mb << 20,
        seconds=settings.seconds,
        alive=run.hold,
        then=vector_step(worker_pool, encoder, settings),
    ) as workers:
        run.work(workers, settings.seconds + _LEASE)
    run.encode_the_rest()
    return run.tally.report(len(run.found))


@dataclass(frozen=True, slots=True, eq=False)
class _Ready:
    """A document to be stored."""

    step: Step
    path: Path
    made: PreparedFile
    vectors: NDArray[np.float32] | None


@dataclass
class _Run:
    """One call of `add`."""

    _library: Library
    _collection: str
    _encoder: Encoder | None
    _on_progress: Callable[[Progress], None] | None
    _ocr: OcrOptions
    _me: str = field(default_factory=worker_name)
    _job: Job = field(init=False)
    _files: dict[str, Path] = field(default_factory=dict)  # by the key of the step
    _in_hand: dict[Path, Step] = field(default_factory=dict)
    _ready: list[_Ready] = field(default_factory=list)
    # Keys of what is a file by itself, and paths not entered.
    found: set[str] = field(default_factory=set)
    _settled_keys: set[str] = field(default_factory=set)  # of steps that this run has reported
    _digests: dict[str, str] = field(default_factory=dict)  # of files within files, by key
    _held_by: dict[Path, frozenset[str]] = field(default_factory=dict)  # keys, by file on disk
    tally: Tally = field(default_factory=Tally)
    _lease: float = _LEASE
    _renewed: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._jobs = JobTable(self._library)

    def transaction(self) -> AbstractContextManager[None]:
        return self._library.transaction()

    def look(self, paths: Sequence[Path], worker_pool: WorkerPool) -> None:
        unread: list[UnreadPath] = []
        for found in worker_pool.find_files(paths):
            if isinstance(found, UnreadPath):
                unread.append(found)
            elif not self._library.owns(found):  # the library may lie among the contracts
                self._files[_key(found)] = found
        self.found = {*self._files, *(str(problem.path) for problem in unread)}
        spec = {
            "collection": fold_name(self._collection),
            "paths": json.dumps(sorted({_key(path) for path in paths})),
        }
        self._begin(paths, unread, spec)

    @in_transaction
    def _begin(
        self, paths: Sequence[Path], unread: Sequence[UnreadPath], spec: Mapping[str, str]
    ) -> None:
        self._job = self._jobs.start("add", spec)
        self._jobs.retry(self._job)
        # A file may have changed; files within files are reported when they are opened.
        # Checking an object would require fetching it.
        done = [
            key
            for key in self._jobs.done_keys(self._job)
            if key in self._files and not is_bucket_object(self._files[key])
        ]
        self._jobs.retry(self._job, done)
        self._jobs.add_steps(self._job, self._files)
        here = {storable_path(str(path)) for path in self._files.values()}
        forget_vanished(self._library, paths, here, collection=self._collection)
        for problem in unread:
            self._record_failure(problem.path, problem.reason, problem.remedy)

    def work(self, workers: TaskRunner[Path, PreparedFile | OpenedArchive], lease: float) -> None:
        self._lease = lease
        try:
            while True:
                for path, outcome in workers.run(self._unknown_files()):
                    step = self._in_hand.pop(path)
                    if isinstance(outcome, FourcornersError):
                        self._fail(step, path, outcome)
                    elif isinstance(outcome, OpenedArchive):
                        self._open(step, path, outcome)
                    else:
                        self._keep(step, path, outcome)
                    self.hold()
                self._store()
                left = self._jobs.progress(self._job)
                if not left.claimed and not left.waiting:
                    break
                if not left.waiting:
                    time.sleep(_POLL)
        except BaseException:
            with suppress(LibraryError):  # report what stopped the work
                self._jobs.release(self._job, self._me)
            raise
        self._close()

    def encode_the_rest(self) -> None:
        if self._encoder is None or fold_name(self._collection) not in {
            fold_name(name) for name, _ in self._library.collections()
        }:
            return
        for document in self._library.documents_without_vectors(self._collection):
            encode_document(self._library, document, self._encode)

    def _unknown_files(self) -> Iterator[Path]:
        while steps := self._jobs.claim(self._job, self._me, self._lease, _CLAIM):
            hashed = [(step, self._path(step), self._digest(step)) for step in steps]
            known, failed = self._settle_known(hashed)
            for path, document, earlier in known:
                self._record(path, document, earlier)
            for path in failed:
                self._tell(path)
            settled = {*failed, *(path for path, _, _ in known)}
            unknown = {path: step for step, path, _ in hashed if path not in settled}
            self._in_hand.update(unknown)
            yield from sorted(unknown, key=file_size, reverse=True)  # so that no long one ends last

    @in_transaction
    def _settle_known(
        self, hashed: Sequence[tuple[Step, Path, str | FourcornersError]]
    ) -> tuple[list[tuple[Path, str, str | None]], list[Path]]:
        """Settle the steps of files whose content the collection holds, or that cannot be read.

        Returns of the first each path with its document and the path's earlier one, and the others.
        """
        known: list[tuple[Path, str, str | None]] = []
        failed: list[Path] = []
        for step, path, digest in hashed:
            if isinstance(digest, FourcornersError):
                self._fail_step(step, path, digest)
                failed.append(path)
            elif digest:
                earlier = self._library.document_at(str(path), self._collection)
                if document := note_known_file(
                    self._library, path, digest, collection=self._collection, ocr=self._ocr
                ):
                    self._jobs.finish(step)
                    known.append((path, document, earlier))
        return known, failed

    def hold(self) -> None:
        """Prolong the leases when a quarter of their time is over."""
        if time.monotonic() - self._renewed > self._lease / 4:
            self._jobs.renew(self._job, self._me, self._lease)
            self._renewed = time.monotonic()

    def _path(self, step: Step) -> Path:
        return self._files.get(step.key, Path(step.key))

    @in_transaction
    def _open(self, step: Step, path: Path, made: OpenedArchive) -> None:
        if self._add_held(step, path, made.holds):
            self._jobs.finish(step)
            self._library.forget_failures([str(path)], collection=self._collection)
            self.found.discard(step.key)

    def _add_held(self, step: Step, path: Path, holds: Sequence[ArchiveMember]) -> bool:
        """Add a step for each file within a file; False, and a failure, if there are too many."""
        above = (*reversed(path.parents), path)
        outermost = next((each for each in above if _key(each) in self._files), path)
        held = self._held_by.get(outermost, frozenset()) | {_key(each.path) for each in holds}
        if len(held) > MAX_MEMBERS:
            remedy = "If you trust it: unpack it yourself and add the folder."
            self._fail(step, path, InputError(f"{path}: it holds too many files.", remedy=remedy))
            return False
        self._held_by[outermost] = held
        keys = [_key(each.path) for each in holds]
        for key, each in zip(keys, holds, strict=True):
            self._files[key] = each.path
            self._digests[key] = each.sha256
        self.found.update(keys)
        self._jobs.add_steps(self._job, keys)
        self._jobs.retry(self._job, [key for key in keys if key not in self._settled_keys])
        return True

    def _digest(self, step: Step) -> str | FourcornersError:
        """Return the SHA-256 of a step's file; empty where only reading it will tell."""
        path = self._path(step)
        if step.key in self._digests:
            return self._digests[step.key]
        is_unseen = is_bucket_object(path) or is_member_path(path)
        return "" if is_unseen else digest_file(path, MAX_BYTES)

    def _keep(self, step: Step, path: Path, made: PreparedFile) -> None:
        columns, seconds = made.columns, self.tally.seconds
        seconds["read"] += made.read_seconds
        seconds["outline"] += made.outline_seconds
        seconds["encode"] += made.encode_seconds
        vectors = made.vectors if made.vectors is not None else self._encode(passage_texts(columns))
        self._ready.append(_Ready(step, path, made, vectors))
        if len(self._ready) >= self._library.documents_at_once:
            self._store()

    def _store(self) -> None:
        ready, self._ready = self._ready, []
        if not ready:
            return
        began = time.perf_counter()
        stored = self._store_documents(ready)
        self.tally.seconds["store"] += time.perf_counter() - began
        for each, is_new, earlier in stored:
            document = self._library.document_id(each.made.columns, self._collection)
            self._record(each.path, document, earlier, each.made if is_new else None)

    @in_transaction
    def _store_documents(self, ready: Sequence[_Ready]) -> list[tuple[_Ready, bool, str | None]]:
        """Store documents; return each with whether it is new and its path's earlier document."""
        stored: list[tuple[_Ready, bool, str | None]] = []
        for each in ready:
            earlier = self._library.document_at(str(each.path), self._collection)
            is_new = self._library.add_columns(
                each.made.columns, each.vectors, collection=self._collection
            )
            if each.made.holds and not self._add_held(each.step, each.path, each.made.holds):
                continue
            self._jobs.finish(each.step)
            stored.append((each, is_new, earlier))
        return stored

    def _record(
        self, path: Path, document: str, earlier: str | None, made: PreparedFile | None = None
    ) -> None:
        """Count a file as added where its document is what was `made`, else as held already."""
        if made is not None:
            self.tally.count_new(path_or_url(path), made)
        else:
            self.tally.count_known(str(path), self._library.path_of(document))
        if earlier is not None and earlier != document:
            self.tally.replaced.append(Replaced(str(path), earlier))
        self._tell(path)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """Return the vectors of texts; None without an encoder."""
        if self._encoder is None:
            return None
        import numpy as np

        began = time.perf_counter()
        parts = [np.empty((0, self._encoder.dimension), dtype=np.float32)]
        for at in range(0, len(texts), _SLICE):
            parts.append(self._encoder.encode(texts[at : at + _SLICE]))
            self.hold()
        self.tally.seconds["encode"] += time.perf_counter() - began
        return np.concatenate(parts)

    def _fail(self, step: Step, path: Path, error: FourcornersError) -> None:
        self._fail_step(step, path, error)
        self._tell(path)

    @in_transaction
    def _fail_step(self, step: Step, path: Path, error: FourcornersError) -> None:
        reason = error.message.removeprefix(f"{path}: ").removeprefix(f"{path_or_url(path)}: ")
        self._jobs.fail(step, reason, error.remedy)
        self._record_failure(path, reason, error.remedy)

    def _record_failure(self, path: Path, reason: str, remedy: str) -> None:
        name = path_or_url(path)
        reason = reason.removeprefix(f"{name}: ")
        self.tally.failed[name] = Failure(name, reason, remedy)
        self._library.fail(name, reason, remedy, collection=self._collection, job=self._job.id)

    def _close(self) -> None:
        for key, reason, remedy in self._jobs.failed_steps(self._job):
            path = self._files.get(key, Path(key))
            if path_or_url(path) not in self.tally.failed:
                self._record_failure(path, reason, remedy)
        self._count_others()
        self._jobs.complete(self._job)

    def _count_others(self) -> None:
        """Count what another process has done that is adding the same files at the same time."""
        left = [path for key, path in self._files.items() if key not in self._settled_keys]
        failures = {each.path: each for each in self._library.failures(self._collection)}
        for path in left:
            name = path_or_url(path)
            if document := self._library.document_at(str(path), self._collection):
                self._record(path, document, document)
            elif name in failures:
                self.tally.failed.setdefault(name, failures[name])

    def _tell(self, path: Path) -> None:
        key = _key(path)
        self.found.add(key)
        self._settled_keys.add(key)
        if self._on_progress is None:
            return
        tally = self.tally
        done = tally.added + tally.already + len(tally.failed)
        self._on_progress(Progress(done, len(self.found), len(tally.failed), path_or_url(path)))


def _key(path: Path) -> str:
    return storable_path(str(path if is_bucket_object(path) else path.absolute()))
