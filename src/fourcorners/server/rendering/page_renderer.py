"""Pages as pictures, and where words stand on them: drawn in processes of their own."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from fourcorners.documents import boxes as boxing
from fourcorners.documents.archive.container import load_bytes
from fourcorners.documents.document import Box, Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.pdf.page import PageImageRequest, render_page
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError
from fourcorners.settings import Settings
from fourcorners.text.span import Span

WIDTHS = (640, 1024, 1440, 2048)
"""Pixels across that a page is drawn in: few, so that what was drawn once is met again."""
_SECONDS = 20.0  # after which a page is given up
_KEPT_BYTES = 64 << 20  # of pictures in memory

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class _Place:
    """Words of a document whose boxes are wanted."""

    path: Path
    document: Document
    span: Span


def _do(item: PageImageRequest | _Place) -> bytes | list[Box]:
    """Draw a page, or find boxes; this runs in the worker process."""
    if isinstance(item, PageImageRequest):
        return render_page(item)
    return boxing.span_boxes(item.path, item.document, item.span)


class _Kept(Generic[Key]):
    """What was made last, up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self._held: OrderedDict[Key, bytes] = OrderedDict()
        self._most, self._size, self._lock = most, 0, threading.Lock()

    def get(self, key: Key) -> bytes | None:
        """Return what is kept under a key."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: Key, value: bytes) -> None:
        """Keep a value, and let go of the oldest."""
        with self._lock:
            self._size += len(value) - len(self._held.pop(key, b""))
            self._held[key] = value
            while self._size > self._most and len(self._held) > 1:
                self._size -= len(self._held.popitem(last=False)[1])


class PageRenderer:
    """Draws pages of the documents whose originals are at hand."""

    def __init__(self, settings: Settings) -> None:
        self._workers = ProcessPool(
            _do, jobs=1, memory=settings.memory_mb << 20, seconds=_SECONDS, name=_called
        )
        self._turn = threading.Lock()
        self._pictures: _Kept[PageImageRequest] = _Kept(_KEPT_BYTES)
        self._checked: dict[tuple[str, int, int], str] = {}

    def find_original(self, document: Document) -> Path | None:
        """Return the file that a document with pages was read from, if it is still that one."""
        if document.media_type != MediaType.PDF or not document.pages:
            return None
        path = Path(document.path)
        try:
            digest = self._digest(path)
        except FourcornersError:
            return None
        return path if digest == document.sha256 else None

    def render_page(self, document: Document, path: Path, number: int, width: int) -> bytes:
        """Return a page as a PNG of one of the `WIDTHS`.

        Raises:
            InputError: If it cannot be drawn.
        """
        fitting = next((each for each in WIDTHS if each >= width), WIDTHS[-1])
        sheet = PageImageRequest(path, document.sha256, number, fitting)
        kept = self._pictures.get(sheet)
        if kept is None:
            made = self._run(sheet)
            assert isinstance(made, bytes)  # noqa: S101 - what `_do` makes of a sheet
            kept = made
            self._pictures.put(sheet, kept)
        return kept

    def span_boxes(self, document: Document, path: Path, span: Span) -> list[Box]:
        """Return where words stand on their pages.

        Raises:
            InputError: If that cannot be told.
        """
        made = self._run(_Place(path, document, span))
        assert isinstance(made, list)  # noqa: S101 - what `_do` makes of a place
        return made

    def close(self) -> None:
        """End the process."""
        self._workers.close()

    def _run(self, item: PageImageRequest | _Place) -> bytes | list[Box]:
        with self._turn:
            for _, outcome in self._workers.run([item]):
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


def _called(item: PageImageRequest | _Place) -> str:
    return str(item.path)
