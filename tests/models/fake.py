"""`HashEncoder` and `OverlapReranker`: what needs no model, for tests and examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

WORD = re.compile(r"\w+")


class HashEncoder:
    """A bag of words, each word hashed to one signed dimension.

    Texts that share words are close, texts that share none are at right angles but for collisions;
    the order of words, their case and the platform do not matter.
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 1:
            raise ValueError(f"dimension must be 1 or more, not {dimension}")
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Name the method, its version and its dimension."""
        return f"hash-{self._dimension}/1"

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row a text; a text without words gets the first axis."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float64)
        for row, text in enumerate(texts):
            for word in WORD.findall(text.lower()):
                digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
                number = int.from_bytes(digest, "big")
                vectors[row, (number >> 1) % self._dimension] += 1.0 if number & 1 else -1.0
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors.astype(np.float32)


class OverlapReranker:
    """A reranker that counts: the share of the question's words that a passage has.

    None of them gives the logit -4, all of them 4.
    """

    @property
    def name(self) -> str:
        """Name the method and its version."""
        return "overlap/1"

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage; a question without words gets 0 everywhere."""
        asked = set(WORD.findall(question.lower()))
        if not asked:
            return np.zeros(len(passages), dtype=np.float32)
        shares = [len(asked & set(WORD.findall(each.lower()))) / len(asked) for each in passages]
        return np.array([8.0 * share - 4.0 for share in shares], dtype=np.float32)
