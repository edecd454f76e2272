"""The dense side: cosines of passages with one vector."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import Catalogue
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.search.filters import Filters
from fourcorners.search.index import index_of

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
    return index_of(library).cosines(filters, vector, list(rows))


def nearest_passages(
    library: Catalogue,
    filters: Filters,
    tokens: Collection[Collection[str]],
    vector: NDArray[np.float32],
    limit: int,
    rows: Collection[int] | None = None,
) -> dict[int, float]:
    """Return the `limit` passages within the filters (and among `rows`) nearest to the vector."""
    return index_of(library).nearest(filters, tokens, vector, limit, rows)
