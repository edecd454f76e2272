from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from training.common.leakage import MOST, RUN, Judged, runs

LONG = "The Supplier shall keep the Goods insured against fire and theft at its own cost."


def test_runs_ignore_case_and_signs() -> None:
    assert list(runs(LONG)) == list(runs(LONG.upper().replace(".", " ;")))
    assert len(list(runs(LONG))) == len(LONG.split()) - RUN + 1
    assert list(runs("too short to be a run")) == []


def test_what_is_judged_on_is_not_learned_from() -> None:
    judged = Judged()
    judged.add([f"2.1 {LONG} The Buyer pays the premium on demand."])
    assert judged.share(LONG) == 1.0
    assert not judged.lets(LONG, "contracts")
    other = "Neither party is bound by an order that was not signed by both of them in ink."
    assert judged.lets(other, "contracts")
    assert judged.lets("Governing law", "names")
    assert judged.seen == {"contracts": 2, "names": 1}
    assert judged.dropped == {"contracts": 1}


@given(st.integers(0, 30))
def test_a_fifth_is_the_most_that_may_be_shared(copied: int) -> None:
    judged, common = Judged(), [f"word{at}" for at in range(40)]
    judged.add([" ".join(common)])
    own = [f"other{at}" for at in range(40)]
    text = " ".join([*common[:copied], *own])
    shared = max(0, copied - RUN + 1) / (copied + 40 - RUN + 1)
    assert judged.share(text) == shared
    assert judged.lets(text, "x") == (shared <= MOST)
