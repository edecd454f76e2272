"""Intervals against values that others have published."""

from __future__ import annotations

import pytest

from fourcorners_bench.measures.statistics import wilson_interval


def test_wilson_s_interval_of_a_share() -> None:
    assert wilson_interval(0, 0) == (0.0, 0.0)
    # Newcombe (1998), table I: 81 of 263, and 0 of 20
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(20, 20)[1] == pytest.approx(1.0)
