"""What a cross-encoder is fine-tuned on: each relevance as often as any other."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from fourcorners_bench.precedents.loader import AcordQuery, Format, Split
from training.precedents.pairs import balanced_batches, pairs_by_gain

JUDGED = {**{f"irrelevant-{at}": 0 for at in range(40)}, "helpful": 1, "perfect": 3, "best": 4}


def test_rare_stars_are_drawn_as_often_as_common_ones() -> None:
    query = AcordQuery("cap", "Liability", {Format.SHORT: "cap on liability"}, JUDGED)
    split = Split("train", (query,), {name: f"The clause {name}." for name in JUDGED})
    by_gain = pairs_by_gain(split)
    assert {gain: len(pairs) for gain, pairs in by_gain.items()} == {0: 40, 1: 1, 3: 1, 4: 1}
    batches = list(islice(balanced_batches(by_gain, 64, seed=1), 25))
    targets = Counter(pair.target for batch in batches for pair in batch)
    assert set(targets) == {0.0, 0.25, 0.75, 1.0}
    assert max(targets.values()) < 1.25 * min(targets.values())
    assert batches == list(islice(balanced_batches(by_gain, 64, seed=1), 25))
    assert all(pair.query == "cap on liability" for pair in batches[0])
