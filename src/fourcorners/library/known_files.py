"""What a collection knows of files that are added again: which it holds, and which are gone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from fourcorners.documents.ocr.recognition import OcrOptions, is_ocr_available
from fourcorners.library.store import Library

_OPENED = frozenset({"message/rfc822"})  # documents that contain others


def note_known_file(
    library: Library, path: Path, digest: str, *, collection: str, ocr: OcrOptions
) -> str | None:
    """Note the path of a file whose content the collection holds, if it is all there is.

    Returns its document; None where the file has to be read.
    """
    library.delete_damaged_values(digest, collection)
    if library.holds_damaged(digest, collection):
        return None
    if library.media_type_of(digest, collection) in _OPENED:
        return None  # what is attached must be looked at
    if library.unread_pages(digest, collection) and is_ocr_available(ocr):
        return None  # it was added where no engine was installed, or too little time given
    return library.note_path(digest, str(path), collection=collection)


def forget_vanished(
    library: Library, paths: Sequence[Path], here: Collection[str], *, collection: str
) -> None:
    """Forget failures of files at and under the paths that are no longer `here`."""
    gone = [
        failure.path
        for failure in library.failures(collection)
        if failure.path not in here
        and any(path in (Path(failure.path), *Path(failure.path).parents) for path in paths)
    ]
    library.forget_failures(gone, collection=collection)
