"""Making the vectors of documents that have none, and all of a library's anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fourcorners.library.prepare import encoded_texts
from fourcorners.library.store import Library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder


def encode_anew(
    library: Library,
    encoder: Encoder,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> int:
    """Make all vectors of a library with another encoder; return of how many documents.

    It may be stopped at any moment: documents without vectors are found by their words, and the
    next call makes the rest. Nothing happens where all are this encoder's.
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
    """Make the vectors of a document that is stored; nothing where `encode` makes none."""
    passages = [(each.context, each.span) for each in library.passages(document)]
    texts = encoded_texts(library.text(document), library.exclusions(document), passages)
    vectors = encode(texts)
    if vectors is not None:
        library.set_vectors(document, vectors)
