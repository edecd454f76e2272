"""Pages as pictures, and where words stand on them: drawn in processes of their own."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from fourcorners.documents import boxes as page_boxes
from fourcorners.documents.archive.container import load_bytes
from fourcorners.documents.document import Box, Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.pdf.page import PageImageRequest, render_page
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError, InputError
from fourcorners.settings import Settings
from fourcorners.text.span import Span

_WIDTH = 1440  # pixels that a page is drawn in
_SECONDS = 20.0  # after which a page is given up
_CACHE_BYTES = 64 << 20  # of pictures in memory


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    document: Document
    span: Span


def _do(item: PageImageRequest | _Place) -> bytes | list[Box]:
    """Draw a page, or find boxes; this runs in the worker process."""
    if isinstance(item, PageImageRequest):
        return render_page(item)
    return page_boxes.span_boxes(item.path, item.document, item.span)


class PageRenderer:
    def __init__(self, settings: Settings) -> None:
        self._workers = ProcessPool(
            _do, jobs=1, memory=settings.memory_mb << 20, seconds=_SECONDS, name=_describe_item
        )
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._pictures: OrderedDict[PageImageRequest, bytes] = OrderedDict()
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

    def render_page(self, document: Document, path: Path, number: int) -> bytes:
        """Return a page as a PNG; those that were asked for last are kept.

        Raises:
            InputError: If it cannot be drawn.
        """
        sheet = PageImageRequest(path, document.sha256, number, _WIDTH)
        with self._lock:
            drawn = self._pictures.pop(sheet, None)
        if drawn is None:
            made = self._run(sheet)
            assert isinstance(made, bytes)  # noqa: S101 - what `_do` makes of a sheet
            drawn = made
        with self._lock:
            self._pictures[sheet] = drawn
            while sum(map(len, self._pictures.values())) > _CACHE_BYTES and len(self._pictures) > 1:
                self._pictures.popitem(last=False)
        return drawn

    def span_boxes(self, document: Document, path: Path, span: Span) -> list[Box]:
        """Return where words stand on their pages.

        Raises:
            InputError: If that cannot be told.
        """
        made = self._run(_Place(path, document, span))
        assert isinstance(made, list)  # noqa: S101 - what `_do` makes of a place
        return made

    def close(self) -> None:
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


def _describe_item(item: PageImageRequest | _Place) -> str:
    return str(item.path)
