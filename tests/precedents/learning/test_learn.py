from __future__ import annotations

import random

import numpy as np

from fourcorners.precedents.learning.learn import (
    RatedClause,
    assign_folds,
    group_queries,
    learn_from_ratings,
    measure_gain,
    merge_ratings,
)
from tests.models.fake import HashEncoder

KINDS = {
    "Alpha": "liability cap exceed fees aggregate",
    "Beta": "governed laws courts jurisdiction venue",
    "Gamma": "insurance policy premium coverage insurer",
    "Delta": "confidential disclose secret recipient information",
    "Epsilon": "assign transfer consent successor delegate",
    "Zeta": "terminate notice convenience expiry days",
}
FILLER = ["party", "shall", "under", "this", "that", "with", "from", "such", "upon", "each"]


def bank(*, telling: bool) -> list[RatedClause]:
    """Clauses whose words tell their kind (the names of kinds say nothing), or do not."""
    dice = random.Random(0)
    rated = []
    for kind, words in KINDS.items():
        for at in range(12):
            own = words if telling else " ".join(KINDS[dice.choice(sorted(KINDS))].split())
            said = dice.sample(own.split(), 4) + dice.sample(FILLER, 6)
            dice.shuffle(said)
            rated.append(
                RatedClause(kind, f"{' '.join(said)} {kind[0]}{at}", 4, f"source {at % 6}")
            )
    return rated


def test_heads_are_kept_where_sources_held_back_show_that_they_help() -> None:
    taught = learn_from_ratings(merge_ratings(bank(telling=True)), HashEncoder(96))
    assert taught.heads.is_significant
    assert taught.heads.gain[0] > 0.3
    assert taught.adapter is not None
    assert set(taught.adapter.heads) == set(KINDS)
    assert set(taught.by_query) == set(KINDS)
    assert all(after >= before for before, after in taught.by_query.values())


def test_nothing_is_kept_where_nothing_can_be_learned() -> None:
    taught = learn_from_ratings(merge_ratings(bank(telling=False)), HashEncoder(96))
    assert not taught.heads.is_significant
    assert not taught.matrices.is_significant
    assert taught.adapter is None


def test_progress_reaches_its_end() -> None:
    steps: list[tuple[str, int, int]] = []
    learn_from_ratings(
        merge_ratings(bank(telling=True)),
        HashEncoder(96),
        on_progress=lambda what, done, total: steps.append((what, done, total)),
    )
    last = {what: (done, total) for what, done, total in steps}
    assert last["Reading"] == (6, 6)
    assert last["Trying"][0] == last["Trying"][1]


def test_names_of_one_kind_share_a_fold_and_folds_are_of_one_size() -> None:
    folds = assign_folds([f"source {at % 7}" for at in range(70)], 3)
    assert len({(at % 7, int(fold)) for at, fold in enumerate(folds)}) == 7
    assert np.bincount(folds).min() >= 20


def test_near_queries_share_a_group_over_a_third() -> None:
    rows = np.array([[1, 0], [0.8, 0.6], [0.28, 0.96], [-1, 0]], np.float32)
    group = group_queries(rows)
    assert group[0] == group[1] == group[2] != group[3]


def test_a_gain_is_paired_and_helps_only_above_zero() -> None:
    sure = measure_gain([0.1, 0.9, 0.5, 0.3], [0.2, 1.0, 0.6, 0.4])
    assert sure.gain[0] == sure.gain[1] or abs(sure.gain[0] - sure.gain[1]) < 1e-9
    assert sure.is_significant
    assert not measure_gain([0.5, 0.5, 0.5], [0.9, 0.1, 0.5]).is_significant
    assert not measure_gain([0.5, 0.5], [0.5, 0.5]).is_significant
