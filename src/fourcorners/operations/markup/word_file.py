"""A redline in the contract's own Word file: written in a separate process."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import ConfigError, FourcornersError, InputError
from fourcorners.library.originals.files import Originals
from fourcorners.redline.proposal import Redline
from fourcorners.redline.word import write_redline
from fourcorners.settings import Settings

_SECONDS = 60.0  # after which a file is given up


@dataclass(frozen=True, slots=True)
class _Order:
    redline: Redline
    document: Document
    data: bytes
    author: str
    at: datetime


def _write(order: _Order) -> tuple[bytes, Redline]:
    """Write the file; this runs in the worker process."""
    path = Path(order.document.name)
    return write_redline(
        order.redline, order.document.text, order.data, path, author=order.author, at=order.at
    )


def has_word_original(settings: Settings, document: Document) -> bool:
    """Tell whether the Word file that a document was read from is there, and the same."""
    return word_original(settings, document) is not None


def write_word_file(
    settings: Settings, document: Document, redline: Redline, *, author: str
) -> tuple[bytes, Redline]:
    """Return the marked file, and the redline as the file allows it.

    What the file does not let be changed is an open point of the redline that is returned.

    Raises:
        InputError: If the original is no Word file, is gone, or cannot be written.
    """
    data = word_original(settings, document)
    if data is None:
        raise InputError(
            f"the original Word file of {document.name} is missing, or has changed.",
            remedy="Download the table of changes instead, or add the file again.",
        )
    order = _Order(redline, document, data, author, datetime.now(UTC))
    memory = settings.memory_mb << 20
    with ProcessPool(_write, jobs=1, memory=memory, seconds=_SECONDS, name=_describe) as pool:
        for _, outcome in pool.run([order]):
            if isinstance(outcome, FourcornersError):
                raise outcome
            return outcome
    raise InputError("the file could not be written.", remedy="Try again.")


def word_original(settings: Settings, document: Document) -> bytes | None:
    """Return the Word file that a document was read from; None if it is gone, or none."""
    if document.media_type != MediaType.DOCX:
        return None
    try:
        return Originals(settings.originals).load(document)
    except FourcornersError:
        return None


def require_all(written: Redline) -> None:
    """Refuse what the file does not let be changed.

    Raises:
        ConfigError: If there is a change that it does not.
    """
    for point in written.open_points:
        raise ConfigError(
            f"{point.name}: {point.reason}", remedy="Make this change in Word by hand."
        )


def _describe(order: _Order) -> str:
    return order.document.name
