"""Pages as pictures, and where words are on them: drawn in separate processes."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, cast

from fourcorners.documents import boxes as page_boxes
from fourcorners.documents.archive.container import load_bytes
from fourcorners.documents.document import Box, Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.pdf.page import PageImageRequest, render_page
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import CallError, FourcornersError, InputError
from fourcorners.library.originals.files import Originals
from fourcorners.server.rendering.fetched_files import FetchedFiles
from fourcorners.server.rendering.renditions import Renditions
from fourcorners.settings import Settings
from fourcorners.text.span import Span

WIDTHS = (1200, 2400)
"""Pixels that a page is drawn in: as it fits a window, and enlarged."""

_SECONDS = 20.0  # after which a page is given up
_CACHE_BYTES = 64 << 20  # of pictures in memory


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    document: Document
    span: Span


@dataclass(frozen=True, slots=True)
class _Lines:
    path: Path
    document: Document
    page: int


_Item: TypeAlias = PageImageRequest | _Place | _Lines
_Made: TypeAlias = bytes | list[Box] | list[tuple[Span, Box]]


def _do(item: _Item) -> _Made:
    """Draw a page, or find boxes; this runs in the worker process."""
    match item:
        case PageImageRequest():
            return render_page(item)
        case _Place():
            return page_boxes.span_boxes(item.path, item.document, item.span)
        case _Lines():
            return page_boxes.page_lines(item.path, item.document, item.page)


class PageRenderer:
    """Draws the pages of documents that have some: PDFs, and what was drawn of Word documents.

    Args:
        files: The folder of uploaded files, next to which the pages of Word documents are kept.
    """

    def __init__(self, settings: Settings, files: Path) -> None:
        self._fetched = FetchedFiles(files, Originals(settings.originals))
        self.renditions = Renditions(files, settings, self.find_file)
        self._workers = ProcessPool(
            _do, jobs=1, memory=settings.memory_mb << 20, seconds=_SECONDS, name=_describe_item
        )
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._pictures: OrderedDict[PageImageRequest, bytes] = OrderedDict()
        self._checked: dict[tuple[str, int, int], str] = {}

    def find_printed(self, document: Document) -> Document | None:
        """Return a document with its pages and the path of their PDF, if they can be shown.

        Of a Word document that is another one than was read: its pages are those drawn of it.
        """
        if document.media_type != MediaType.PDF:
            drawn_document = self.renditions.find(document)
            return None if drawn_document is None else drawn_document.document
        file = self.find_file(document) if document.pages else None
        return None if file is None else replace(document, path=str(file))

    def find_file(self, document: Document) -> Path | None:
        """Return the file that a document was read from, if it is still that one.

        One in a bucket is fetched.
        """
        path = Path(document.path)
        try:
            if self._digest(path) == document.sha256:
                return path
        except FourcornersError:
            pass
        try:
            return self._fetched.fetch(document)
        except FourcornersError:
            return None

    def file_problem(self, document: Document) -> str:
        """Say why the file that a document was read from cannot be had; empty if it can."""
        if self.find_file(document) is not None:
            return ""
        try:
            self._fetched.fetch(document)
        except CallError:
            return "The store of original files does not answer; this is its text as it was read."
        except FourcornersError:
            pass
        return "The original file is missing or has changed; this is its text as it was read."

    def render_page(
        self,
        printed: Document,
        number: int,
        width: int = WIDTHS[0],
        check: Callable[[], None] = lambda: None,
    ) -> bytes:
        """Return a page as a PNG; those that were asked for last are kept.

        `check` is called when the page's turn has come; what it raises ends the request.

        Raises:
            InputError: If it cannot be drawn.
        """
        sheet = PageImageRequest(Path(printed.path), printed.sha256, number, width)
        with self._lock:
            drawn = self._pictures.pop(sheet, None)
        if drawn is None:
            drawn = cast("bytes", self._run(sheet, check))
        with self._lock:
            self._pictures[sheet] = drawn
            while sum(map(len, self._pictures.values())) > _CACHE_BYTES and len(self._pictures) > 1:
                self._pictures.popitem(last=False)
        return drawn

    def span_boxes(self, printed: Document, span: Span) -> list[Box]:
        """Return where words are on their pages.

        Raises:
            InputError: If that is not known.
        """
        return cast("list[Box]", self._find(_Place(Path(printed.path), printed, span)))

    def page_lines(
        self, printed: Document, number: int, check: Callable[[], None]
    ) -> list[tuple[Span, Box]]:
        """Return the lines of a page with their place on it, in reading order.

        Raises:
            InputError: If that is not known.
        """
        made = self._find(_Lines(Path(printed.path), printed, number), check)
        return cast("list[tuple[Span, Box]]", made)

    def close(self) -> None:
        self.renditions.close()
        self._workers.close()

    def _find(self, item: _Place | _Lines, check: Callable[[], None] = lambda: None) -> _Made:
        return self._run(item, check) if page_boxes.needs_file(item.document) else _do(item)

    def _run(self, item: _Item, check: Callable[[], None] = lambda: None) -> _Made:
        with self._turn:
            check()
            for _, outcome in self._workers.run([item]):
                if isinstance(outcome, InputError):  # where the file is, is the operator's to know
                    problem = outcome.message.removeprefix(f"{item.path}: ")
                    raise InputError(problem, remedy=outcome.remedy)
                if isinstance(outcome, FourcornersError):
                    raise outcome
                return outcome
        raise InputError("the page could not be drawn.", remedy="Try again.")

    def _digest(self, path: Path) -> str:
        """Return the hash of a file, which may be in an archive; known while it stays as it is."""
        status = next((each.stat() for each in (path, *path.parents) if each.is_file()), None)
        if status is None:
            raise InputError(f"{path}: it is not there.")
        key = (str(path), status.st_mtime_ns, status.st_size)
        if key not in self._checked:
            self._checked[key] = hashlib.sha256(load_bytes(path)).hexdigest()
        return self._checked[key]


def _describe_item(item: _Item) -> str:
    return str(item.path)
