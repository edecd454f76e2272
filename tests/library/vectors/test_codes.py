"""The codes of vectors: they find what an exact scan finds, and follow what comes and goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.library.vectors import codes as coding
from fourcorners.library.vectors.codes import CodeBlock, VectorCodes, pack_codes

Make = Callable[..., Any]
WIDTH = 96


def vectors(count: int, seed: int = 0, width: int = WIDTH) -> NDArray[np.float32]:
    """Return unit vectors about the same centres, as those of passages lie."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(9).standard_normal((40, width))
    rows = centres[chance.integers(40, size=count)] + chance.standard_normal((count, width))
    matrix: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("f4")
    return matrix


def block(matrix: NDArray[np.float32], first: int = 1, row: int = 1) -> CodeBlock:
    coded = (row, 0, first, len(matrix), pack_codes(matrix))
    return CodeBlock.load([coded], matrix.shape[1])


@pytest.mark.parametrize("width", [96, 130, 384])
def test_candidates_hold_the_nearest(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "LEAST", 1_000)
    matrix = vectors(8_000, width=width)
    codes = VectorCodes((block(matrix[:5_000]), block(matrix[5_000:], 5_001, 2)))
    kept = 0
    for question in vectors(50, seed=1, width=width):
        nearest = np.argsort(-(matrix @ question))[:20] + 1
        kept += len(np.intersect1d(codes.candidates(question, 400), nearest))
    assert kept >= 0.99 * 50 * 20


def test_a_product_of_codes_is_about_that_of_the_vectors() -> None:
    matrix = vectors(2_000, width=384)
    question = vectors(1, seed=2, width=384)[0]
    about = VectorCodes((block(matrix),)).scores(question)
    assert np.corrcoef(about, matrix @ question)[0, 1] > 0.95


def test_candidates_are_among_those_allowed() -> None:
    matrix = vectors(3_000)
    codes = VectorCodes((block(matrix, first=11),))
    allowed = np.arange(11, 3_011, 7)
    found = codes.candidates(matrix[3], 100, allowed)
    assert len(found) == 100
    assert np.isin(found, allowed).all()
    assert len(codes.candidates(matrix[3], 100, np.empty(0, np.int64))) == 0
    assert len(VectorCodes().candidates(matrix[3], 100)) == 0


def test_a_vector_of_zeros_is_near_to_nothing() -> None:
    matrix = np.vstack((np.zeros((1, WIDTH), np.float32), vectors(10)))
    products = VectorCodes((block(matrix),)).scores(matrix[4])
    assert products[0] == 0.0
    assert products.argmax() == 4


def test_codes_of_another_length_are_refused() -> None:
    with pytest.raises(LibraryError, match="document 1 are damaged"):
        CodeBlock.load([(1, 0, 1, 5, pack_codes(vectors(4)))], WIDTH)


def test_codes_follow_the_library(
    library: Library, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coding, "BLOCK", 4)
    assert len(library.vector_codes()) == 0
    first = make()
    first.add(library)
    known = library.vector_codes()
    assert [len(each) for each in known.blocks] == [4]
    second = make("other.txt", ["Lease", "1. A", "1.1 B", "2. C"])
    with Library.open(library.path) as other:
        second.add(other)
    now = library.vector_codes()
    assert now.blocks[0] is known.blocks[0]
    assert [each.rowids().tolist() for each in now.blocks] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    library.set_vectors(second.document.id, -second.vectors)
    again = library.vector_codes()
    assert again.blocks[0] is known.blocks[0]
    assert not np.array_equal(again.blocks[1].signs, now.blocks[1].signs)
    library.change_encoder("other", 24)
    assert len(library.vector_codes()) == 0
    library.set_vectors(second.document.id, vectors(4, width=24))
    assert len(library.vector_codes().candidates(vectors(1, width=24)[0], 9)) == 4
    library.set_vectors(first.document.id, vectors(4, width=24))
    library.remove(first.document.id)
    (left,) = library.vector_codes().blocks
    assert left.rowids().tolist() == [5, 6, 7, 8]
