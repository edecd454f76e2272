"""Prepare a file in a worker: read it, outline it, cut it into passages, encode them.

What is stored already may be encoded again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.document import Document
from fourcorners.documents.ocr.recognition import OcrOptions, is_ocr_available
from fourcorners.errors import ConfigError, InputError
from fourcorners.library.columns import DocumentColumns, document_columns
from fourcorners.library.store import Library
from fourcorners.outline.exclusions import Exclusion, blank_text
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.documents.workers.worker_pool import WorkerPool
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.settings import EncoderSettings, Settings


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file within the file: its path, and its SHA-256 unless it does not unpack."""

    path: Path
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A file, ready to be encoded and stored; the seconds are those of this process.

    `holds` are the files within it, such as an email's attachments, which are prepared separately.
    `vectors`, of shape (passages, dimension), are given if it was encoded too.
    """

    columns: DocumentColumns
    warnings: tuple[str, ...]
    read_seconds: float
    outline_seconds: float
    holds: tuple[ArchiveMember, ...] = ()
    vectors: NDArray[np.float32] | None = None
    encode_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class OpenedArchive:
    """An archive: not a document itself, but its members may be."""

    holds: tuple[ArchiveMember, ...]


def prepare_file(path: Path, ocr: OcrOptions = OcrOptions()) -> PreparedFile | OpenedArchive:  # noqa: B008 - it cannot change
    """Read a file and compute all that the library stores of it, except its vectors.

    Raises:
        InputError: If it cannot be read, or holds no words.
    """
    from fourcorners.documents.media_types import MediaType
    from fourcorners.documents.read import media_type_of, read_document
    from fourcorners.outline.build import build_outline
    from fourcorners.outline.card.read import read_card
    from fourcorners.outline.passages.cut import cut_passages

    began = time.perf_counter()
    kind = media_type_of(path)
    if kind is MediaType.ZIP:
        return OpenedArchive(_holds(path))
    document = read_document(path, ocr)
    _require_words(document, ocr)
    done = time.perf_counter()
    outline = build_outline(document)
    card = read_card(document, outline)
    columns = document_columns(document, outline, card, cut_passages(document, outline))
    return PreparedFile(
        columns=columns,
        warnings=document.warnings,
        read_seconds=done - began,
        outline_seconds=time.perf_counter() - done,
        holds=_holds(path) if kind is MediaType.EMAIL else (),
    )


def embed_file(
    made: PreparedFile | OpenedArchive, *, settings: EncoderSettings, name: str
) -> PreparedFile | OpenedArchive:
    """Add vectors to a prepared file, with the encoder of the settings, which must be `name`.

    Raises:
        ConfigError: If it is a different one here.
        ModelError: If its files are missing or damaged.
    """
    if isinstance(made, OpenedArchive):
        return made
    encoder = _encoder(settings)
    if encoder.name != name:
        raise ConfigError(
            f"the encoder is {encoder.name} on a node, and {name} where the job was started.",
            remedy="Give all nodes the same model.",
        )
    began = time.perf_counter()
    vectors = encoder.encode(passage_texts(made.columns))
    return replace(made, vectors=vectors, encode_seconds=time.perf_counter() - began)


def passage_texts(columns: DocumentColumns) -> list[str]:
    """Return the text to encode of each passage: its context and its words."""
    spans = [(context, Span(start, end)) for _, start, end, _, _, context in columns.passages]
    return _encoded_texts(columns.text, columns.exclusions, spans)


def _encoded_texts(
    text: str, exclusions: Sequence[Exclusion], passages: Iterable[tuple[str, Span]]
) -> list[str]:
    """Return the texts to encode of passages with their contexts, without exclusions.

    A passage without other words is encoded unchanged: search may find it.
    """
    shown = blank_text(text, exclusions)
    return [
        text_with_context(context, span.text_in(shown if span.text_in(shown).strip() else text))
        for context, span in passages
    ]


def text_with_context(context: str, words: str) -> str:
    """Return the context and words of a passage as input for an encoder."""
    return f"{context}\n{words}".lstrip("\n")


@cache
def _encoder(settings: EncoderSettings) -> Encoder:
    from fourcorners.models.registry import default_encoder

    return default_encoder(settings, threads=1)


def _holds(path: Path) -> tuple[ArchiveMember, ...]:
    """List the files within a file, unpacking each to know it by its content."""
    from fourcorners.documents.archive.container import open_container

    found: list[ArchiveMember] = []
    with open_container(path) as members:
        for member in members:
            place = path / member.name
            try:
                found.append(ArchiveMember(place, sha256(member.load()).hexdigest()))
            except InputError:  # reported when it is read
                found.append(ArchiveMember(place))
    return tuple(found)


def _require_words(document: Document, ocr: OcrOptions) -> None:
    if any(character.isalnum() for character in document.text):
        return
    if document.pages_needing_ocr:
        from fourcorners.documents.ocr.recognition import ocr_remedy

        why = document.warnings[-1] if document.warnings else ""
        count = len(document.pages)
        raise InputError(
            f"{document.path}: it needs OCR: none of its {count} pages has text. {why}".rstrip(),
            remedy=ocr_remedy(ocr),
        )
    raise InputError(
        f"{document.path}: it holds no words.",
        remedy="Check that it is the contract, and supply it again.",
    )


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
    texts = _encoded_texts(library.text(document), library.exclusions(document), passages)
    vectors = encode(texts)
    if vectors is not None:
        library.set_vectors(document, vectors)


def vector_step(
    worker_pool: WorkerPool, encoder: Encoder | None, settings: Settings
) -> Callable[[PreparedFile | OpenedArchive], PreparedFile | OpenedArchive] | None:
    """Return what makes vectors where files are read; a server's key stays on this machine."""
    if encoder is None or not worker_pool.embeds_passages or settings.encoder.kind == "remote":
        return None
    return partial(embed_file, settings=settings.encoder, name=encoder.name)


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


def file_size(path: Path) -> int:
    """Return the bytes of a file; 0 of what is in a bucket or within another file."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
