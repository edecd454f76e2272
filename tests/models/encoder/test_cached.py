from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.encoder.cached import CachedEncoder
from tests.models.fake import HashEncoder


class Counting(HashEncoder):
    """An encoder that notes what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.given.append(list(texts))
        return super().encode(texts)


def test_a_text_that_is_kept_is_not_made_again() -> None:
    encoder = Counting()
    kept = CachedEncoder(encoder)
    first = kept.encode(["rent", "notice", "rent"])
    again = kept.encode(["notice", "audit", "rent"])
    assert encoder.given == [["rent", "notice"], ["audit"]]
    assert np.array_equal(first, encoder.encode(["rent", "notice", "rent"]))
    assert np.array_equal(again, encoder.encode(["notice", "audit", "rent"]))
    assert (kept.name, kept.dimension) == (encoder.name, encoder.dimension)


def test_what_was_asked_for_longest_ago_goes() -> None:
    encoder = Counting()
    kept = CachedEncoder(encoder, most=2)
    for text in ("rent", "notice", "rent", "audit", "rent", "notice"):
        kept.encode([text])
    assert encoder.given == [["rent"], ["notice"], ["audit"], ["notice"]]


def test_more_texts_than_are_kept_have_their_vectors() -> None:
    encoder = Counting()
    texts = [f"clause {at}" for at in range(9)]
    assert np.array_equal(CachedEncoder(encoder, most=2).encode(texts), encoder.encode(texts))


def test_who_changes_a_vector_changes_no_other() -> None:
    kept = CachedEncoder(Counting())
    first = kept.encode(["rent"])
    expected = first.copy()
    first[:] = 0
    assert np.array_equal(kept.encode(["rent"]), expected)
    assert kept.encode([]).shape == (0, kept.dimension)


def test_a_lone_surrogate_is_a_text_like_others() -> None:
    kept = CachedEncoder(Counting())
    assert kept.encode(["a \ud800", "a ?"]).shape[0] == 2
