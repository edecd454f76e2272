"""What the benchmark of tracked changes makes and finds."""

from __future__ import annotations

import pytest

from fourcorners_bench.comparison import word_run
from fourcorners_bench.comparison.word_edits import make_word_pair
from fourcorners_bench.comparison.word_views import Resolution, view, wrong_sides
from tests.comparison.contracts import CLAUSES


def test_a_pair_is_the_same_each_time_and_its_versions_differ() -> None:
    one, other = (make_word_pair(5, CLAUSES) for _ in range(2))
    assert view(one.before, Resolution()) == view(other.before, Resolution())
    assert view(one.before, Resolution()) != view(one.after, Resolution())
    assert wrong_sides(one.before, (one.before, one.after), "nobody") == ["accepted"]


def test_scores_are_by_the_number_of_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [make_word_pair(seed, CLAUSES) for seed in range(4)]
    scores = word_run.run_word_pairs(pairs)
    assert {edits: each.pairs for edits, each in scores.items()} == {1: 2, 2: 1, 3: 1}
    assert all(each.accepted == each.rejected == each.pairs for each in scores.values())
    monkeypatch.setattr(word_run, "wrong_sides", lambda *_: ["accepted"])
    (wrong,) = word_run.run_word_pairs(pairs[:1]).values()
    assert (wrong.accepted, wrong.rejected, wrong.unseen) == (0, 1, 1)
