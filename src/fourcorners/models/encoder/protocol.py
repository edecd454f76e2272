"""`Encoder`, what the rest of the package asks of a model that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """Texts in, unit vectors out.

    The same text has the same vector whatever else is in `texts`.
    """

    @property
    def name(self) -> str:
        """Name the model, its version and a hash of its files: other vectors, another name."""

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row a text; no texts give the shape (0, dimension)."""
