"""Vectors of clauses: from what the library has read already, or else made and kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.library.database import as_bytes, as_string
from fourcorners.library.store import Library
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.precedents.clause import Clause, ClausePlace
from fourcorners.precedents.scoring.collection import Vectors
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Rows: TypeAlias = "NDArray[np.float32]"
COVERED = 0.9
"""The share of the passages that a clause overlaps which must be its own, and its share of theirs,
for the mean of their vectors to be its vector."""
BATCH = 256
"""Texts that are encoded before they are stored: as much is lost if a run is stopped."""


def clause_vectors(library: Library, clauses: Iterable[Clause], encoder: Encoder) -> Vectors:
    """Return what gives one unit row a text of these clauses.

    A contract was read when it was added: a clause of it that holds whole passages has the mean of
    their vectors, by length. Any other, and that of a bank, is read by itself, once.
    """
    read = library.encoder is not None and library.encoder.name == encoder.name
    places = {each.text: each.places[0] for each in clauses if read and each.places[0].document}

    def vectors(texts: Sequence[str]) -> Rows:
        import numpy as np

        rows = np.empty((len(texts), encoder.dimension), np.float32)
        found = _passage_means(
            library, {at: places[t] for at, t in enumerate(texts) if t in places}
        )
        for at, row in found.items():
            rows[at] = row
        others = [at for at in range(len(texts)) if at not in found]
        rows[others] = cached_vectors(library, [texts[at] for at in others], encoder)
        return rows

    return vectors


def _passage_means(library: Library, places: Mapping[int, ClausePlace]) -> dict[int, Rows]:
    """Return the vectors of the clauses at some places that hold whole passages."""
    by_document: dict[str, dict[int, Span]] = {}
    for at, place in places.items():
        if place.span is not None:
            by_document.setdefault(place.document, {})[at] = place.span
    found: dict[int, Rows] = {}
    for document, spans in by_document.items():
        passages = [each.span for each in library.passages(document)]
        matrix = library.vectors(document=document).matrix
        if len(matrix) == len(passages):
            for at, span in spans.items():
                if (mean := passage_mean(span, passages, matrix)) is not None:
                    found[at] = mean
    return found


def passage_mean(span: Span, passages: Sequence[Span], matrix: Rows) -> Rows | None:
    """Return the mean of the vectors of the passages in a span, by length, as a unit row.

    None where the span shares a passage with other words, or is not covered.
    """
    import numpy as np

    lengths = np.array([len(each) for each in passages])
    overlaps = np.array(
        [max(0, min(span.end, each.end) - max(span.start, each.start)) for each in passages]
    )
    own = int(overlaps.sum())
    if own < COVERED * max(len(span), int(lengths[overlaps > 0].sum())):
        return None
    mean: Rows = overlaps.astype(np.float32) @ matrix
    return mean / max(float(np.linalg.norm(mean)), 1e-9)


def cached_vectors(library: Library, texts: Sequence[str], encoder: Encoder) -> Rows:
    """Return one unit row a text; what the library has not yet is made and kept."""
    import numpy as np

    keys = [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    held: dict[str, Rows] = {}
    for key in set(keys):
        rows = library.execute(
            "SELECT clause, data FROM precedent_vectors WHERE encoder = ? AND clause = ?",
            (encoder.name, key),
        )
        for clause, data in rows:
            held[as_string(clause)] = np.frombuffer(as_bytes(data), dtype="<f4")
    fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
    waiting = iter(fresh.items())
    while part := list(islice(waiting, BATCH)):
        made = encoder.encode([text for _, text in part])
        with library.transaction():
            for (key, _), row in zip(part, made, strict=True):
                held[key] = row
                library.execute(
                    "INSERT OR REPLACE INTO precedent_vectors VALUES (?, ?, ?)",
                    (encoder.name, key, row.astype("<f4").tobytes()),
                )
    if not keys:
        return np.empty((0, encoder.dimension), np.float32)
    return np.stack([held[key] for key in keys])
