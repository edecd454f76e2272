from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.models.encoder.protocol import Encoder
from tests.models.fake import HashEncoder


@given(st.lists(st.text(max_size=40), max_size=6), st.integers(1, 70))
def test_rows_are_unit_vectors(texts: list[str], dimension: int) -> None:
    encoder: Encoder = HashEncoder(dimension)
    vectors = encoder.encode(texts)
    assert vectors.shape == (len(texts), dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    for row, text in enumerate(texts):
        assert np.array_equal(encoder.encode([text])[0], vectors[row])


def test_shared_words_make_texts_close() -> None:
    a, b, c = HashEncoder(512).encode(
        ["change of control", "Control of change!", "thirty days notice"]
    )
    assert a @ b == pytest.approx(1.0)
    assert abs(a @ c) < 0.2


def test_vectors_are_the_same_on_every_machine() -> None:
    assert HashEncoder(8).encode(["notice period"])[0].nonzero()[0].tolist() == [2, 4]
    assert HashEncoder(8).name == "hash-8/1"
