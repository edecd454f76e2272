from __future__ import annotations

import math

import numpy as np
import pytest

from fourcorners.precedents.scoring.collection import K1, B, Bm25, query_stems, scale_by_highest

TEXTS = ("Liability is capped.", "The liability of each party, and its liabilities.", "Notices.")


def test_a_score_is_that_of_the_formula() -> None:
    scores = Bm25(TEXTS).scores("liability")
    lengths = [3, 8, 1]
    rarity = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    norms = [K1 * (1 - B + B * length / 4) for length in lengths]
    assert scores.tolist() == pytest.approx(
        [rarity * (K1 + 1) / (1 + norms[0]), rarity * 2 * (K1 + 1) / (2 + norms[1]), 0.0]
    )


def test_words_that_tell_nothing_are_left_out_unless_there_is_no_other() -> None:
    assert list(query_stems("a cap on the liabilities")) == ["cap", "liabil"]
    assert list(query_stems("of the")) == ["of", "the"]


def test_nothing_is_divided_by_nothing() -> None:
    assert scale_by_highest(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    assert scale_by_highest(np.array([1.0, 4.0])).tolist() == [0.25, 1.0]
    assert Bm25(()).scores("liability").shape == (0,)
