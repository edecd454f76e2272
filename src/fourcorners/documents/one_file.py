"""Reading one file on its own, in a process that a hostile file cannot leave."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.documents.ocr.recognition import OcrOptions
from fourcorners.documents.read import read_document
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import FourcornersError
from fourcorners.settings import Settings


def read_one_file(path: Path, settings: Settings) -> Document:
    """Return the document in a file, within the limits of the settings.

    Raises:
        FourcornersError: If it cannot be read.
    """
    read = partial(read_document, ocr=OcrOptions(settings.ocr, settings.ocr_seconds))
    memory = settings.memory_mb << 20
    with ProcessPool(read, jobs=1, memory=memory, seconds=settings.seconds) as workers:
        ((_, outcome),) = workers.run([path])
    if isinstance(outcome, FourcornersError):
        raise outcome
    return outcome
