from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fourcorners.errors import ModelError
from fourcorners.models.encoder.adapter import (
    SHARPNESS,
    Adam,
    Adapter,
    TrainingQuery,
    fit_head,
    learn_adapter,
    matrix_gradients,
    move_vectors,
    pack_adapter,
    softmax,
    target_shares,
    unpack_adapter,
)

SIZE = 12


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    lengths = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    unit_rows: NDArray[np.float32] = (rows / lengths).astype(np.float32)
    return unit_rows


def lesson(seed: int, name: str = "cap", clauses: int = 30) -> TrainingQuery:
    """A list whose stars depend on one dimension alone, and whose query lies along another."""
    random = np.random.default_rng(seed)
    rows = unit(random.normal(size=(clauses, SIZE)))
    query = unit(np.eye(SIZE)[5] + 0.2 * random.normal(size=SIZE))
    gains = np.where(rows[:, 2] > 0.2, 4, 0)
    return TrainingQuery(name, query, rows, np.zeros(clauses), gains)


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    random = np.random.default_rng(1)
    one = lesson(0)
    matrices = [np.eye(SIZE) + 0.1 * random.normal(size=(SIZE, SIZE)) for _ in range(2)]
    base = random.normal(size=len(one.gains))

    def loss(query: NDArray[np.float64], clause: NDArray[np.float64]) -> float:
        shares = softmax(base + move_vectors(one, query, clause)[0])
        return -float((target_shares(one.gains) * np.log(shares)).sum())

    _, *slopes = matrix_gradients(one, matrices[0], matrices[1], base)
    for which, slope in enumerate(slopes):
        for row, column in ((0, 1), (3, 3), (11, 2)):
            step = np.zeros((SIZE, SIZE))
            step[row, column] = 1e-5
            up = [each + step if at == which else each for at, each in enumerate(matrices)]
            down = [each - step if at == which else each for at, each in enumerate(matrices)]
            told = (loss(up[0], up[1]) - loss(down[0], down[1])) / 2e-5
            assert told == pytest.approx(slope[row, column], rel=1e-3, abs=1e-7)


def test_nothing_learned_moves_nothing() -> None:
    one = lesson(0)
    still = learn_adapter([one], matrices=False, heads=False)
    assert np.abs(still.score_gain("cap", one.vector, one.clauses)).max() < 1e-6
    assert still.heads == {}


def test_matrices_find_for_another_query_what_all_lists_share() -> None:
    adapter = learn_adapter(
        [lesson(seed, f"query {seed}") for seed in range(20)], heads=False, seeds=(0,)
    )
    other = lesson(99)
    lift = adapter.score_gain("another", other.vector, other.clauses)
    assert lift[other.gains == 4].mean() > lift[other.gains == 0].mean() + 0.05


def test_a_head_finds_its_own_clauses_and_serves_queries_with_its_words() -> None:
    one = lesson(0, "liability cap", clauses=60)
    adapter = learn_adapter([one], matrices=False)
    lift = adapter.score_gain("Mutual liability CAP", one.vector, one.clauses)
    best = np.argsort(-lift)[:5]
    assert (one.gains[best] == 4).all()
    assert np.abs(adapter.score_gain("liability", one.vector, one.clauses)).max() < 1e-6
    assert adapter.head_of("insurance") is None


def test_of_two_heads_the_longer_name_is_taken() -> None:
    unmoved = np.eye(2, dtype=np.float32)
    heads = {"cap": np.ones(2, np.float32), "liability cap": np.zeros(2, np.float32)}
    assert Adapter(unmoved, unmoved, heads).head_of("mutual cap on liability") == "liability cap"


def test_a_head_lowers_the_loss() -> None:
    one = lesson(3)
    head = fit_head(one, one.base)

    def loss(scores: NDArray[np.floating]) -> float:
        return -float((target_shares(one.gains) * np.log(softmax(scores))).sum())

    assert loss(one.clauses @ head) < loss(one.base) - 0.1


def test_steps_go_down_to_the_least_value() -> None:
    value = np.array([3.0, -2.0])
    adam = Adam([value], [0.1])
    for _ in range(300):
        adam.update([2 * value])
    assert np.abs(value).max() < 0.05


@settings(max_examples=20)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_the_target_is_shares_that_more_stars_have_more_of(stars: list[int]) -> None:
    shares = target_shares(np.array(stars))
    assert shares.sum() == pytest.approx(1)
    for one, share in zip(stars, shares, strict=True):
        assert all(share > other for star, other in zip(stars, shares, strict=True) if star < one)


def test_a_file_holds_the_adapter_and_its_hash_guards_it() -> None:
    one = lesson(0, "liability cap")
    adapter = learn_adapter([one, lesson(1, "Haftung der Käufer")], seeds=(0,))
    content = pack_adapter(adapter)
    again = unpack_adapter(content, sha256(content).hexdigest(), "house")
    assert list(again.heads) == ["liability cap", "Haftung der Käufer"]
    before = adapter.score_gain("liability cap", one.vector, one.clauses)
    after = again.score_gain("liability cap", one.vector, one.clauses)
    assert np.abs(before - after).max() < 0.02 * SHARPNESS
    with pytest.raises(ModelError, match="'house' is damaged") as caught:
        unpack_adapter(content[:-1] + b"x", sha256(content).hexdigest(), "house")
    assert "models remove house" in caught.value.remedy
    bare = pack_adapter(learn_adapter([one], matrices=False, heads=False))
    assert unpack_adapter(bare, sha256(bare).hexdigest(), "bare").heads == {}
