"""The dense side: cosines of passages with one vector, by an exact scan."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, cast

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.entries import Vectors
from fourcorners.models.encoder import Encoder
from fourcorners.search.filters import Filters
from fourcorners.search.query.fts import filtering

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def require_same_encoder(library: Catalogue, encoder: Encoder) -> None:
    """Refuse to compare vectors of two encoders.

    Raises:
        ConfigError: If the library's vectors are another encoder's.
    """
    known = library.encoder
    if known and (known.name, known.dimension) != (encoder.name, encoder.dimension):
        raise ConfigError(
            f"the vectors of {library.path} were made by {known.name}, not by {encoder.name}.",
            remedy=f"Search with {known.name}, or add the contracts to a new library.",
        )


def cosines_of(
    library: Catalogue, filters: Filters, vector: NDArray[np.float32], rows: Iterable[int]
) -> dict[int, float]:
    """Return the cosine of each of `rows` that has a vector."""
    import numpy as np

    held = _held(library, filters)
    wanted = np.fromiter(rows, dtype=np.int64)
    if not len(held) or not len(wanted):
        return {}
    at = np.minimum(np.searchsorted(held.rowids, wanted), len(held) - 1)
    known = held.rowids[at] == wanted
    cosines = held.matrix[at[known]] @ vector
    return dict(zip(wanted[known].tolist(), cosines.tolist(), strict=True))


def nearest(
    library: Catalogue,
    filters: Filters,
    tokens: Collection[Collection[str]],
    vector: NDArray[np.float32],
    limit: int,
    rows: Collection[int] | None = None,
) -> dict[int, float]:
    """Return the `limit` passages within the filters (and among `rows`) nearest to the vector."""
    import numpy as np

    held = _held(library, filters)
    if not len(held):
        return {}
    cosines = held.matrix @ vector
    if Filters(collection=filters.collection) != filters:
        cosines = np.where(np.isin(held.rowids, _within(library, tokens)), cosines, -np.inf)
    if rows is not None:
        kept = np.fromiter(rows, dtype=np.int64)
        cosines = np.where(np.isin(held.rowids, kept), cosines, -np.inf)
    if limit < len(cosines):
        top = np.argpartition(-cosines, limit - 1)[:limit]
    else:
        top = np.arange(len(cosines))
    top = top[np.isfinite(cosines[top])]
    return dict(zip(held.rowids[top].tolist(), cosines[top].tolist(), strict=True))


def _held(library: Catalogue, filters: Filters) -> Vectors:
    if len(filters.documents) == 1 and filters.collection is None:
        return library.vectors(document=filters.documents[0])
    return library.vectors(filters.collection)


def _within(library: Catalogue, tokens: Collection[Collection[str]]) -> NDArray[np.int64]:
    import numpy as np

    rows = library.execute("SELECT rowid FROM words WHERE words MATCH ?", (filtering(tokens),))
    return np.fromiter((cast("int", row) for (row,) in rows), dtype=np.int64)
