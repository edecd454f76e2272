"""The tests of statistics, against values that tables and other programs give."""

from __future__ import annotations

import math

import pytest

from fourcorners_bench.measures import statistics


def test_the_f_distribution_has_its_known_quantiles() -> None:
    for value, above, below, p in (
        (4.9646, 1, 10, 0.05),
        (3.4780, 4, 10, 0.05),
        (5.9943, 4, 10, 0.01),
        (161.4476, 1, 1, 0.05),
        (1.0, 7, 7, 0.5),
    ):
        assert statistics.f_tail(value, above, below) == pytest.approx(p, abs=2e-6)
    assert statistics.f_tail(0, 1, 1) == 1.0
    assert statistics.incomplete_beta(2, 3, 0.5) == pytest.approx(0.6875)
    assert statistics.incomplete_beta(2, 3, 1.5) == 1.0


def test_an_analysis_of_variance_finds_groups_apart() -> None:
    f, p = statistics.anova([[6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12]])
    assert f == pytest.approx(9.2647, abs=1e-3)
    assert p == pytest.approx(0.0024, abs=1e-4)
    assert all(math.isnan(each) for each in statistics.anova([[1.0], [2.0]]))
    assert all(math.isnan(each) for each in statistics.anova([[1.0, 2.0], []]))


def test_values_that_do_not_vary_have_no_slope() -> None:
    assert statistics.coefficient_of_variation([4.0, 6.0]) == 20.0
    assert math.isnan(statistics.regression_slope([1.0, 1.0], [1.0, 2.0]))


def test_the_tests_give_what_scipy_gives() -> None:
    a, b = [0.61, 0.55, 0.72, 0.48, 0.66, 0.59], [0.52, 0.41, 0.57, 0.5, 0.46]
    assert statistics.anova([a, b]) == pytest.approx((5.932133309787542, 0.03763545750710166))
    assert statistics.regression_slope(a[:5], b) == pytest.approx(0.3109965635738829)
    assert statistics.coefficient_of_variation(a) == pytest.approx(12.709218556182227)
    wilson = (0.1811918241010821, 0.5671457233147637)
    assert statistics.wilson_interval(7, 20) == pytest.approx(wilson, abs=1e-8)
