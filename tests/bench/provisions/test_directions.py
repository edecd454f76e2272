from __future__ import annotations

import numpy as np
import pytest

from fourcorners_bench.provisions.directions import fit_direction


def rows(*angles: float) -> np.ndarray:
    radians = np.radians(angles)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def test_passages_like_those_marked_have_higher_odds() -> None:
    vectors = np.concatenate([rows(*range(20)), rows(*range(70, 110))])
    of_kind = np.arange(60) < 20
    found = fit_direction(vectors, of_kind)
    assert found is not None
    odds = found.log_odds(vectors)
    assert odds[of_kind].min() > odds[~of_kind].max()
    near, far = found.log_odds(rows(5, 95))
    assert near > 0 > far


def test_what_all_passages_share_says_nothing() -> None:
    vectors = np.tile(rows(30), (40, 1))
    found = fit_direction(vectors, np.arange(40) < 10)
    assert found is not None
    assert found.log_odds(vectors[:1])[0] == pytest.approx(np.log(10 / 30), abs=0.01)


def test_odds_count_the_passages_that_were_not_drawn() -> None:
    vectors = np.tile(rows(30), (8_010, 1))
    found = fit_direction(vectors, np.arange(8_010) < 10)
    assert found is not None
    assert found.log_odds(vectors[:1])[0] == pytest.approx(np.log(10 / 8_000), abs=0.05)


def test_one_sort_alone_has_no_direction() -> None:
    assert fit_direction(rows(0, 90), np.zeros(2, np.bool_)) is None
    assert fit_direction(rows(0, 90), np.ones(2, np.bool_)) is None
