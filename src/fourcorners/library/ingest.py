"""`add`: turn files into documents of the library, despite any interruption.

Files are read by a worker pool: processes with limits. The main process encodes, if the pool does
not, and stores, one transaction a document. What is stored remains: run it again after any
interruption, and it continues.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.archive.container import MAX_BYTES, MAX_MEMBERS, is_member_path
from fourcorners.documents.discovery import (
    UnreadPath,
    is_bucket_object,
    path_or_url,
    unreadable_error,
)
from fourcorners.documents.ocr.recognition import OcrOptions, is_ocr_available
from fourcorners.documents.workers.worker_pool import LocalWorkerPool, TaskRunner, WorkerPool
from fourcorners.errors import FourcornersError, InputError, LibraryError
from fourcorners.library.entries import Failure
from fourcorners.library.jobs import Job, JobTable, Step, worker_name
from fourcorners.library.listing import storable_path
from fourcorners.library.prepare import (
    ArchiveMember,
    OpenedArchive,
    PreparedFile,
    embed_file,
    encoded_texts,
    passage_texts,
    prepare_file,
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
_PART = 1 << 20  # bytes hashed at once
_POLL = 0.5  # seconds between looks at steps that another process holds
_OPENED = frozenset({"message/rfc822"})  # documents that contain others


@dataclass(frozen=True, slots=True)
class Progress:
    """How far `add` is, in files; `path` is the one just finished."""

    done: int
    total: int
    failed: int
    path: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A file whose content the collection holds from another path."""

    path: str
    same_as: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """A file that changed since it was added; the earlier version is still in the library."""

    path: str
    earlier: str


@dataclass(frozen=True, slots=True)
class NeedsOcr:
    """A document that was added, but for the pages that gave no text."""

    path: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """A document that was added, with what a person should know of its reading."""

    path: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddReport:
    """The result for the files.

    `found == added + already + len(failed)`, except for files that another process added meanwhile.

    Attributes:
        found: How many files (and paths that could not be entered) there were.
        added: How many new documents there are.
        already: How many files had content that the collection already had, including `duplicates`.
        characters: Of the new documents.
        passages: Of the new documents.
        seconds: Time spent by stage: read and outline in all workers together, encode, store.
    """

    found: int
    added: int
    already: int
    failed: tuple[Failure, ...]
    duplicates: tuple[Duplicate, ...]
    replaced: tuple[Replaced, ...]
    needs_ocr: tuple[NeedsOcr, ...]
    characters: int
    passages: int
    seconds: Mapping[str, float]
    warned: tuple[ReadingWarning, ...] = ()


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
        then=_encoding(worker_pool, encoder, settings),
    ) as workers:
        run.work(workers, settings.seconds + _LEASE)
    run.encode_the_rest()
    return run.report()


def _encoding(
    worker_pool: WorkerPool, encoder: Encoder | None, settings: Settings
) -> Callable[[PreparedFile | OpenedArchive], PreparedFile | OpenedArchive] | None:
    """Return what makes vectors where files are read; a server's key stays on this machine."""
    if encoder is None or not worker_pool.embeds_passages or settings.encoder.kind == "remote":
        return None
    return partial(embed_file, settings=settings.encoder, name=encoder.name)


@dataclass(slots=True)
class _Tally:
    """The results for the files so far."""

    added: int = 0
    already: int = 0
    characters: int = 0
    passages: int = 0
    failed: dict[str, Failure] = field(default_factory=dict)
    duplicates: list[Duplicate] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    needs_ocr: list[NeedsOcr] = field(default_factory=list)
    warned: list[ReadingWarning] = field(default_factory=list)
    seconds: dict[str, float] = field(
        default_factory=lambda: {"read": 0.0, "outline": 0.0, "encode": 0.0, "store": 0.0}
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Ready:
    """A document to be stored."""

    step: Step
    path: Path
    made: PreparedFile
    vectors: NDArray[np.float32] | None


class _Run:
    """One call of `add`."""

    def __init__(
        self,
        library: Library,
        collection: str,
        encoder: Encoder | None,
        on_progress: Callable[[Progress], None] | None,
        ocr: OcrOptions,
    ) -> None:
        self._library = library
        self._ocr = ocr
        self._jobs = JobTable(library)
        self._me = worker_name()
        self._collection = collection
        self._encoder = encoder
        self._on_progress = on_progress
        self._files: dict[str, Path] = {}  # by the key of the step
        self._in_hand: dict[Path, Step] = {}
        self._ready: list[_Ready] = []
        self._found: set[str] = set()  # keys of what is a file by itself, and paths not entered
        self._settled_keys: set[str] = set()  # of steps that this run has reported
        self._digests: dict[str, str] = {}  # of files within files, by key
        self._held_by: dict[Path, int] = {}  # how many files were found within one on disk
        self._tally = _Tally()
        self._job: Job
        self._lease = _LEASE
        self._renewed = time.monotonic()

    def look(self, paths: Sequence[Path], worker_pool: WorkerPool) -> None:
        unread: list[UnreadPath] = []
        for found in worker_pool.find_files(paths):
            if not isinstance(found, UnreadPath) and self._library.owns(found):
                continue  # the library may lie among the contracts
            if isinstance(found, UnreadPath):
                unread.append(found)
            else:
                self._files[_key(found)] = found
        self._found = {*self._files, *(str(problem.path) for problem in unread)}
        spec = {
            "collection": fold_name(self._collection),
            "paths": json.dumps(sorted({_key(path) for path in paths})),
        }
        with self._library.transaction():
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
            self._forget_the_vanished(paths)
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

    def report(self) -> AddReport:
        tally = self._tally
        return AddReport(
            found=len(self._found),
            added=tally.added,
            already=tally.already,
            failed=tuple(tally.failed[path] for path in sorted(tally.failed)),
            duplicates=tuple(sorted(tally.duplicates, key=lambda each: each.path)),
            replaced=tuple(sorted(tally.replaced, key=lambda each: each.path)),
            needs_ocr=tuple(sorted(tally.needs_ocr, key=lambda each: each.path)),
            characters=tally.characters,
            passages=tally.passages,
            seconds=dict(tally.seconds),
            warned=tuple(sorted(tally.warned, key=lambda each: each.path)),
        )

    def _unknown_files(self) -> Iterator[Path]:
        while steps := self._jobs.claim(self._job, self._me, self._lease, _CLAIM):
            unknown: list[Path] = []
            hashed = [(step, self._path(step), self._digest(step)) for step in steps]
            with self._library.transaction():
                for step, path, digest in hashed:
                    if isinstance(digest, FourcornersError):
                        self._fail(step, path, digest)
                    elif not digest or not self._settle_step(step, path, digest):
                        self._in_hand[path] = step
                        unknown.append(path)
            yield from unknown

    def hold(self) -> None:
        """Prolong the leases when a quarter of their time is over."""
        if time.monotonic() - self._renewed > self._lease / 4:
            self._jobs.renew(self._job, self._me, self._lease)
            self._renewed = time.monotonic()

    def _path(self, step: Step) -> Path:
        return self._files.get(step.key, Path(step.key))

    def _settle_step(self, step: Step, path: Path, digest: str) -> bool:
        """Finish the step of a file whose content the collection holds, if it is all there is."""
        self._library.delete_damaged_values(digest, self._collection)
        if self._library.holds_damaged(digest, self._collection):
            return False
        if self._library.media_type_of(digest, self._collection) in _OPENED:
            return False  # what is attached must be looked at
        if self._library.unread_pages(digest, self._collection) and is_ocr_available(self._ocr):
            return False  # it was added where no engine was installed, or too little time given
        earlier = self._library.document_at(str(path), self._collection)
        document = self._library.note_path(digest, str(path), collection=self._collection)
        if document is None:
            return False
        self._jobs.finish(step)
        self._record_present(path, document, earlier)
        return True

    def _open(self, step: Step, path: Path, made: OpenedArchive) -> None:
        with self._library.transaction():
            if not self._add_held(step, path, made.holds):
                return
            self._jobs.finish(step)
            self._library.forget_failures([str(path)], collection=self._collection)
        self._found.discard(step.key)

    def _add_held(self, step: Step, path: Path, holds: Sequence[ArchiveMember]) -> bool:
        """Add a step for each file within a file; False, and a failure, if there are too many."""
        above = (*reversed(path.parents), path)
        outermost = next((each for each in above if _key(each) in self._files), path)
        count = self._held_by.get(outermost, 0) + len(holds)
        if count > MAX_MEMBERS:
            remedy = "If you trust it: unpack it yourself and add the folder."
            self._fail(step, path, InputError(f"{path}: it holds too many files.", remedy=remedy))
            return False
        self._held_by[outermost] = count
        keys = [_key(each.path) for each in holds]
        for key, each in zip(keys, holds, strict=True):
            self._files[key] = each.path
            self._digests[key] = each.sha256
        self._found.update(keys)
        self._jobs.add_steps(self._job, keys)
        self._jobs.retry(self._job, [key for key in keys if key not in self._settled_keys])
        return True

    def _digest(self, step: Step) -> str | FourcornersError:
        """Return the SHA-256 of a step's file; empty where only reading it will tell."""
        path = self._path(step)
        if step.key in self._digests:
            return self._digests[step.key]
        return "" if is_bucket_object(path) or is_member_path(path) else _digest(path)

    def _keep(self, step: Step, path: Path, made: PreparedFile) -> None:
        columns, seconds = made.columns, self._tally.seconds
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
        stored: list[tuple[_Ready, bool, str | None]] = []
        with self._library.transaction():
            for each in ready:
                earlier = self._library.document_at(str(each.path), self._collection)
                is_new = self._library.add_columns(
                    each.made.columns, each.vectors, collection=self._collection
                )
                if each.made.holds and not self._add_held(each.step, each.path, each.made.holds):
                    continue
                self._jobs.finish(each.step)
                stored.append((each, is_new, earlier))
        self._tally.seconds["store"] += time.perf_counter() - began
        for each, is_new, earlier in stored:
            self._record_stored(each.path, each.made, earlier, is_new=is_new)

    def _record_stored(
        self, path: Path, made: PreparedFile, earlier: str | None, *, is_new: bool
    ) -> None:
        columns = made.columns
        document = self._library.document_id(columns, self._collection)
        if not is_new:
            self._record_present(path, document, earlier)
            return
        self._tally.added += 1
        self._tally.characters += len(columns.text)
        self._tally.passages += len(columns.passages)
        if columns.needs_ocr:
            self._tally.needs_ocr.append(NeedsOcr(path_or_url(path), columns.needs_ocr))
        if made.warnings:
            self._tally.warned.append(ReadingWarning(path_or_url(path), made.warnings))
        self._note_earlier(path, document, earlier)
        self._tell(path)

    def _record_present(self, path: Path, document: str, earlier: str | None) -> None:
        self._tally.already += 1
        held_as = self._library.path_of(document)
        if held_as != storable_path(str(path)):
            self._tally.duplicates.append(Duplicate(str(path), held_as))
        self._note_earlier(path, document, earlier)
        self._tell(path)

    def _note_earlier(self, path: Path, document: str, earlier: str | None) -> None:
        if earlier is not None and earlier != document:
            self._tally.replaced.append(Replaced(str(path), earlier))

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
        self._tally.seconds["encode"] += time.perf_counter() - began
        return np.concatenate(parts)

    def _fail(self, step: Step, path: Path, error: FourcornersError) -> None:
        reason = error.message.removeprefix(f"{path}: ").removeprefix(f"{path_or_url(path)}: ")
        with self._library.transaction():
            self._jobs.fail(step, reason, error.remedy)
            self._record_failure(path, reason, error.remedy)
        self._tell(path)

    def _record_failure(self, path: Path, reason: str, remedy: str) -> None:
        name = path_or_url(path)
        reason = reason.removeprefix(f"{name}: ")
        self._tally.failed[name] = Failure(name, reason, remedy)
        self._library.fail(name, reason, remedy, collection=self._collection, job=self._job.id)

    def _forget_the_vanished(self, paths: Sequence[Path]) -> None:
        here = {storable_path(str(path)) for path in self._files.values()}
        gone = [
            failure.path
            for failure in self._library.failures(self._collection)
            if failure.path not in here
            and any(path in (Path(failure.path), *Path(failure.path).parents) for path in paths)
        ]
        self._library.forget_failures(gone, collection=self._collection)

    def _close(self) -> None:
        for key, reason, remedy in self._jobs.failed_steps(self._job):
            path = self._files.get(key, Path(key))
            if path_or_url(path) not in self._tally.failed:
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
                self._record_present(path, document, document)
            elif name in failures:
                self._tally.failed.setdefault(name, failures[name])

    def _tell(self, path: Path) -> None:
        key = _key(path)
        self._found.add(key)
        self._settled_keys.add(key)
        if self._on_progress is None:
            return
        tally = self._tally
        done = tally.added + tally.already + len(tally.failed)
        self._on_progress(Progress(done, len(self._found), len(tally.failed), path_or_url(path)))


def _digest(path: Path) -> str | FourcornersError:
    """Return the SHA-256 of a file; empty if it is too large to be worth it, or growing."""
    try:
        with path.open("rb") as file:
            left = os.fstat(file.fileno()).st_size
            if left > MAX_BYTES:
                return ""
            digest = sha256()
            while left and (part := file.read(min(left, _PART))):
                digest.update(part)
                left -= len(part)
            return "" if left or file.read(1) else digest.hexdigest()
    except OSError as error:
        return unreadable_error(path, error)


def _key(path: Path) -> str:
    return storable_path(str(path if is_bucket_object(path) else path.absolute()))


def reencode_library(
    library: Library,
    encoder: Encoder,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> int:
    """Make all vectors of a library with another encoder; return the number of documents.

    It may be stopped at any time: documents without vectors are found by their words, and the next
    call makes the rest. Nothing happens if all vectors are from this encoder.
    """
    library.change_encoder(encoder.name, encoder.dimension)
    waiting = library.documents_without_vectors()
    for done, document in enumerate(waiting, 1):
        encode_document(library, document, encoder.encode)
        on_progress(done, len(waiting))
    return len(waiting)


def encode_document(
    library: Library,
    document: str,
    encode: Callable[[Sequence[str]], NDArray[np.float32] | None],
) -> None:
    """Make the vectors of a stored document; do nothing if `encode` makes none."""
    passages = [(each.context, each.span) for each in library.passages(document)]
    texts = encoded_texts(library.text(document), library.exclusions(document), passages)
    vectors = encode(texts)
    if vectors is not None:
        library.set_vectors(document, vectors)
