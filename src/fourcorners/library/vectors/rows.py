"""Vectors as they lie in the file: a row a passage, in little-endian float16.

Half precision takes half the room of float32. On 42,585 passages of contracts and 132 questions it
moved no passage into the nearest 64 or out of them. A byte a component, scaled by row, did for 29%
of the questions. A row a passage lets a search read those that it compares, and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.errors import DamagedValue
from fourcorners.library.database import RESTORE_REMEDY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BYTES = 2  # of one component
_UNEVEN = 0.05  # by which the square of a length may differ from 1: encoders' own is within 0.02


def pack_vectors(matrix: NDArray[np.float32]) -> bytes:
    """Return the blob of a matrix with unit rows (rows of zeros are allowed).

    Raises:
        ValueError: If a row is neither of length one nor zero.
    """
    import numpy as np

    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    wrong = ~(np.isclose(norms, 1.0, atol=0.01) | (norms == 0.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"the length of vector {row} is {norms[row]:.4f}, not 1")
    return matrix.astype("<f2").tobytes()


def split_vectors(data: bytes, count: int) -> list[bytes]:
    """Return the row of each of `count` passages, of what `pack_vectors` gave."""
    size = len(data) // count if count else 0
    return [data[at : at + size] for at in range(0, size * count, size)] if size else []


def unpack_vectors(rows: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Return the matrix of some rows; read-only.

    Raises:
        DamagedValue: If they are not of the dimension, or not normalised.
    """
    import numpy as np

    data = b"".join(rows)
    if len(data) != len(rows) * dimension * BYTES:
        raise DamagedValue(
            f"vectors are damaged ({len(data)} bytes for {len(rows)} of {dimension} dimensions).",
            remedy=RESTORE_REMEDY,
        )
    matrix = np.frombuffer(data, dtype="<f2").reshape(len(rows), dimension).astype(np.float32)
    lengths = np.einsum("ij,ij->i", matrix, matrix)
    if not np.all((np.abs(lengths - 1.0) < _UNEVEN) | (lengths == 0.0)):
        raise DamagedValue("vectors are damaged: their length is not 1.", remedy=RESTORE_REMEDY)
    matrix.flags.writeable = False
    return matrix
