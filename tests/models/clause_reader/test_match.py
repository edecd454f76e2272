from __future__ import annotations

import numpy as np
import pytest

from fourcorners.models.clause_reader.match import (
    MATCH_FEATURES,
    OWN_FEATURE,
    PROBABILITY_FLOOR,
    log_odds,
    match_features,
    match_probability,
)
from fourcorners.models.clause_reader.reader import Layout

WHERE = Layout(
    passages=np.array([0, 0, 1]),
    starts=np.array([0.0, 50.0, 120.0], np.float32),
    lengths=np.array([49.0, 69.0, 30.0], np.float32),
    lower=np.array([0.0, 1.0, 0.0], np.float32),
)
SURE = np.array([0.2, 0.9, 0.6], np.float32)
QUERY = np.array([0.5, 0.25, 0.75], np.float32)


def test_log_odds_are_bounded_and_of_both_signs() -> None:
    odds = log_odds(np.array([0.0, 0.5, 1.0], np.float32))
    assert odds[1] == 0.0
    assert [-odds[0], odds[2]] == pytest.approx(
        [np.log((1 - PROBABILITY_FLOOR) / PROBABILITY_FLOOR)] * 2
    )


def test_a_sentence_is_seen_with_its_neighbours_of_the_same_passage() -> None:
    signs = match_features(SURE, WHERE, QUERY, [1, 0], [False, True])
    assert signs.shape == (2, MATCH_FEATURES)
    odds = log_odds(SURE)
    assert signs[0, :3] == pytest.approx(odds)
    assert signs[0, 4:6] == pytest.approx([odds[0], 0.0])  # the next one stands in another passage
    assert signs[1, OWN_FEATURE] == odds[0]
    assert signs[1, 0] == pytest.approx(
        np.log(PROBABILITY_FLOOR / (1 - PROBABILITY_FLOOR))
    )  # nothing stands before
    assert signs[:, 15].tolist() == [0.0, 1.0]
    assert signs[:, 17].tolist() == [0.25, 0.5]
    assert signs[:, 13].tolist() == [1.0, 0.0]
    assert signs[:, 14].tolist() == [0.0, 1.0]


def test_a_document_of_one_sentence_has_no_neighbours() -> None:
    one = Layout(np.array([0]), *(np.array([each], np.float32) for each in (0.0, 20.0, 0.0)))
    signs = match_features(np.array([0.5], np.float32), one, QUERY[:1], [0], [False])
    assert signs[0, 10:13].tolist() == [0.0, 0.0, 0.0]


def test_weights_turn_signs_into_probabilities() -> None:
    weights = np.zeros(MATCH_FEATURES + 1, np.float32)
    weights[OWN_FEATURE], weights[-1] = 1.0, -1.0
    found = match_probability(match_features(SURE, WHERE, QUERY, [2, 1], [False] * 2), weights)
    expected = 1 / (1 + np.exp(1 - log_odds(SURE)[[2, 1]]))
    assert found == pytest.approx(expected, abs=1e-6)


def test_an_unlikely_sentence_is_no_likelier_by_itself() -> None:
    weights = np.zeros(MATCH_FEATURES + 1, np.float32)
    weights[-1] = 2.0
    sure = np.array([0.01, 0.9, 0.2], np.float32)
    found = match_probability(match_features(sure, WHERE, QUERY, [0, 1], [False] * 2), weights)
    assert found == pytest.approx([0.01, 1 / (1 + np.exp(-2.0))], abs=1e-6)
