"""The clause reader's model file: small, with the words that no weight needs left out."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.clause_reader.features import BASE, PARTS
from training.clause_reader.data import Counted

Array = NDArray[np.float32]
Masks = dict[str, NDArray[np.bool_]]
Limits = tuple[float, float, float]


def quantised(heads: Array, sizes: Sequence[int]) -> tuple[NDArray[np.int8], Array]:
    """Return weights as bytes, with the scale of each part and head."""
    ends = np.cumsum(sizes)
    blocks, scales = [], []
    for low, high in zip(ends - sizes, ends, strict=True):
        scale = np.abs(heads[low:high]).max(0) / 127 + 1e-9
        blocks.append(np.round(heads[low:high] / scale).astype(np.int8))
        scales.append(scale)
    return np.concatenate(blocks), np.array(scales, np.float32)


Arrays = dict[str, NDArray[np.generic]]


def packed_first(counted: Counted, first: tuple[Array, Array, Masks], meaning: Array) -> Arrays:
    """Return the first step as arrays of the model file."""
    heads, rarity, masks = first
    codes = {part: counted.codes[part][masks[part]] for part in PARTS}
    words, codes = renumbered(counted.words, codes)
    stored, scale = quantised(heads[:-1], [len(codes[part]) for part in PARTS])
    return {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "rarity": rarity.astype(np.float16),
        "first": stored,
        "first_scale": scale,
        "first_bias": heads[-1],
        "meaning": meaning.astype(np.float16),
        **{f"codes_{part}": np.diff(codes[part], prepend=0) for part in PARTS},
    }


def pack(first: Arrays, heads: Sequence[Array], limits: Sequence[Limits], match: Array) -> bytes:
    """Return the model file."""
    file = BytesIO()
    np.savez_compressed(
        file,
        second=np.stack(heads, axis=1),
        limits=np.array(limits, np.float32),
        match=match,
        **first,
    )
    return file.getvalue()


def renumbered(
    words: Sequence[str], codes: dict[str, NDArray[np.int64]]
) -> tuple[list[str], dict[str, NDArray[np.int64]]]:
    """Leave out the words that no code needs; the order of codes stays."""
    digits = {"pairs": 2, "triples": 3, "place": 0}
    used = np.zeros(len(words), np.bool_)
    for part, known in codes.items():
        for place in range(digits.get(part, 1)):
            used[(known // BASE**place) % BASE] = True
    new = np.cumsum(used) - 1
    fresh = {}
    for part, known in codes.items():
        many = digits.get(part, 1)
        fresh[part] = (
            sum(new[(known // BASE**place) % BASE] * BASE**place for place in range(many))
            if many
            else known
        )
    return [word for word, use in zip(words, used, strict=True) if use], fresh
