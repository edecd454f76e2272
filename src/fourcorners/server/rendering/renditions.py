"""Word documents as pages: drawn one after the other when they are first opened, and kept.

They are kept next to the uploaded files and are in no backup: what is missing is drawn again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from pathlib import Path

from fourcorners.documents.conversion.renditions import Rendition, is_supported, render_document
from fourcorners.documents.document import Box, Document, OcrWord, Page, TextSource
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError
from fourcorners.server.store.uploads import PAGES_FOLDER
from fourcorners.settings import Settings
from fourcorners.system import private_files
from fourcorners.system.processes import lower_priority
from fourcorners.text.span import Span

_SECONDS = 180.0  # after which a document is given up, however many steps that takes
_NICENESS = 10  # so that pages that are read, and reviews, come first
_MOST_WAITING = 50  # documents; who opens another asks again every two seconds
_RETRY_SECONDS = 600.0  # after which one that failed may be tried again
_IN_MEMORY = 4  # documents whose words are at hand
_TENTHS = 10  # of a point, in which places are kept

_log = logging.getLogger("fourcorners.server")


class RenditionState(StrEnum):
    NONE = "none"  # it has no pages here: its format, or LibreOffice is not installed
    AVAILABLE = "available"  # they can be drawn
    READY = "ready"
    PREPARING = "preparing"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DrawnDocument:
    """A document with the pages that were drawn of it: its path and its hash are the PDF's."""

    document: Document
    unlike: int


def _draw(document: Document) -> Rendition:
    """Draw a document; this runs in the worker process."""
    lower_priority(_NICENESS)
    return render_document(document)


class Renditions:
    """The pages of Word documents.

    Args:
        files: The folder of uploaded files.
        find_file: Returns the file that a document was read from; None if it is not there.
    """

    def __init__(
        self, files: Path, settings: Settings, find_file: Callable[[Document], Path | None]
    ) -> None:
        self._folder, self._find_file = files / PAGES_FOLDER, find_file
        self._memory = settings.memory_mb << 20
        self._lock = threading.Condition()
        self._waiting: OrderedDict[str, Document] = OrderedDict()
        self._failed: dict[str, float] = {}
        self._known: OrderedDict[tuple[str, str], DrawnDocument] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._pool: ProcessPool[Document, Rendition] | None = None
        self._is_closed = False

    def find(self, document: Document) -> DrawnDocument | None:
        """Return a document with its pages, if they were drawn of this text."""
        if not self._path(document.id, "pdf").is_file():
            return None
        key = (document.id, _digest(document.text.encode()))
        with self._lock:
            found = self._known.pop(key, None)
        if found is None:
            found = self._load(document, key[1])
        if found is not None:
            with self._lock:
                self._known[key] = found
                while len(self._known) > _IN_MEMORY:
                    self._known.popitem(last=False)
        return found

    def state(self, document: Document, *, prepare: bool) -> RenditionState:
        """Return whether a document has pages, and have them drawn if that is asked for."""
        if not is_supported(document):
            return RenditionState.NONE
        if self.find(document) is not None:
            return RenditionState.READY
        if not prepare:
            return RenditionState.AVAILABLE
        with self._lock:
            failed = self._failed.get(document.id)
            if failed is not None and time.monotonic() < failed + _RETRY_SECONDS:
                return RenditionState.FAILED
            if document.id not in self._waiting and len(self._waiting) < _MOST_WAITING:
                self._waiting[document.id] = document
                self._lock.notify()
            if (self._thread is None or not self._thread.is_alive()) and not self._is_closed:
                self._thread = threading.Thread(target=self._work, name="pages", daemon=True)
                self._thread.start()
        return RenditionState.PREPARING

    def unlike(self, document: Document) -> int:
        """Return how many words differ between the text of a document and its pages."""
        found = self.find(document)
        return 0 if found is None else found.unlike

    def keep_only(self, documents: Collection[str]) -> None:
        """Remove the pages of all documents but these, which are those of the library."""
        known = set(documents)
        with self._lock:
            for identifier in [each for each in self._waiting if each not in known]:
                del self._waiting[identifier]
            for key in [each for each in self._known if each[0] not in known]:
                del self._known[key]
        for path in self._folder.glob("*.*"):
            if path.name.split(".")[0] not in known:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._lock.notify()
            pool, thread = self._pool, self._thread
        if pool is not None:
            pool.close()
        if thread is not None:
            thread.join(2.0)

    def _work(self) -> None:
        with ProcessPool(
            _draw, jobs=1, memory=self._memory, seconds=_SECONDS, name=_describe
        ) as pool:
            with self._lock:
                self._pool = pool
            while (document := self._wait()) is not None:
                self._prepare(pool, document)

    def _wait(self) -> Document | None:
        with self._lock:
            self._lock.wait_for(lambda: self._waiting or self._is_closed)
            return None if self._is_closed else next(iter(self._waiting.values()))

    def _prepare(self, pool: ProcessPool[Document, Rendition], document: Document) -> None:
        problem = "the pages were not kept"
        try:
            file = self._find_file(document) or document.path
            for _, outcome in pool.run([replace(document, path=str(file))]):
                if isinstance(outcome, FourcornersError):
                    problem = type(outcome).__name__
                    continue
                with self._lock:
                    is_wanted = document.id in self._waiting  # else it has left the library
                if is_wanted:
                    self._save(document, outcome)
                problem = ""
        except (OSError, RuntimeError, FourcornersError) as error:  # a full disk, or the end
            problem = type(error).__name__
        finally:
            with self._lock:
                self._waiting.pop(document.id, None)
                if problem:
                    self._failed[document.id] = time.monotonic()
        if problem:
            _log.warning("pages of %s were not drawn: %s", document.id, problem)

    def _save(self, document: Document, drawn: Rendition) -> None:
        value = {
            "text": _digest(document.text.encode()),
            "pdf": _digest(drawn.pdf),
            "unlike": drawn.unlike,
            "pages": [(*astuple(page.span), page.width, page.height) for page in drawn.pages],
            "words": [
                (*astuple(word.span), word.box.page, *_in_tenths(word.box)) for word in drawn.words
            ],
        }
        private_files.make_folder(self._folder)
        private_files.restrict(self._folder)
        packed = zlib.compress(json.dumps(value, separators=(",", ":")).encode())
        for kind, data in (("words", packed), ("pdf", drawn.pdf)):
            with (
                _replaced(self._path(document.id, kind)) as path,
                private_files.open_new(path) as file,
            ):
                file.write(data)

    def _load(self, document: Document, text: str) -> DrawnDocument | None:
        try:
            packed = self._path(document.id, "words").read_bytes()
            value = json.loads(zlib.decompress(packed))
            if value["text"] != text:
                return None
            pages, words = _pages(value["pages"]), _words(value["words"])
            made = drawn_document(
                document, self._path(document.id, "pdf"), value["pdf"], pages, words
            )
            return DrawnDocument(made, int(value["unlike"]))
        except (OSError, ValueError, KeyError, TypeError, zlib.error):
            return None  # damaged: it is drawn again

    def _path(self, identifier: str, kind: str) -> Path:
        return self._folder / f"{identifier}.{kind}"


def drawn_document(
    document: Document,
    pdf: Path,
    sha256: str,
    pages: tuple[Page, ...],
    words: tuple[OcrWord, ...],
) -> Document:
    """Return a document with pages, as if it had been read from the PDF that was drawn of it."""
    return replace(
        document,
        path=str(pdf),
        sha256=sha256,
        media_type=MediaType.PDF.value,
        pages=pages,
        words=words,
    )


def _pages(rows: Sequence[Sequence[float]]) -> tuple[Page, ...]:
    return tuple(
        Page(number, Span(int(start), int(end)), width, height, TextSource.OCR)
        for number, (start, end, width, height) in enumerate(rows, 1)
    )


def _words(rows: Sequence[Sequence[int]]) -> tuple[OcrWord, ...]:
    return tuple(
        OcrWord(Span(start, end), Box(page, *(side / _TENTHS for side in sides)), 1.0)
        for start, end, page, *sides in rows
    )


def _in_tenths(box: Box) -> tuple[int, ...]:
    return tuple(round(side * _TENTHS) for side in (box.x0, box.y0, box.x1, box.y1))


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Lend the path of a new file that takes the place of another when it is whole."""
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        yield new
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _describe(document: Document) -> str:
    return document.name
