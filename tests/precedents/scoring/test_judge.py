from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.errors import ModelError
from fourcorners.models import default_encoder
from fourcorners.models.card import CARD_FILE
from fourcorners.models.card_text import describe_model
from fourcorners.models.registry import PRECEDENTS, WEIGHTS
from fourcorners.precedents.scoring.score import FILE, LEARNED_FEATURES, default_model

FOLDER = WEIGHTS / PRECEDENTS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (CARD_FILE, FILE):
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


def test_the_model_is_for_the_encoder_that_is_shipped_and_fits_the_features() -> None:
    judge = default_model()
    assert judge.encoder == default_encoder().name
    assert judge.weights.shape == judge.mean.shape == judge.spread.shape == (len(LEARNED_FEATURES),)
    assert judge.query_matrix.shape == judge.clause_matrix.shape == (384, 384)
    assert (FOLDER / FILE).stat().st_size <= 1_000_000
    assert len(judge.learned_from) == 51


def test_a_damaged_model_is_refused(folder: Path) -> None:
    content = bytearray((folder / FILE).read_bytes())
    content[-9] ^= 1
    (folder / FILE).write_bytes(content)
    with pytest.raises(ModelError, match="damaged") as caught:
        default_model(folder)
    assert "Reinstall" in caught.value.remedy


@pytest.mark.parametrize("missing", [CARD_FILE, FILE])
def test_a_missing_file_is_told(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(ModelError, match="cannot read"):
        default_model(folder)


@pytest.mark.parametrize("card", ["", "[]", "{}"])
def test_a_damaged_card_is_told(folder: Path, card: str) -> None:
    (folder / CARD_FILE).write_text(card)
    with pytest.raises(ModelError, match="damaged"):
        default_model(folder)


def test_the_card_says_what_was_learned_from_and_how_good_it_is() -> None:
    told = describe_model(FOLDER)
    assert len(told.learned_from) == 51
    assert told.card["limits"]
    assert told.licence
    grouped = told.scores["grouped, whole"]
    assert isinstance(grouped, dict)
    figure, low, high = grouped["short"]["ndcg@5"]
    assert 68 <= figure <= 100
    assert low < figure < high


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_more_stars_are_never_likelier_and_a_higher_score_has_more(scores: list[float]) -> None:
    judge = default_model()
    ordered = np.sort(np.array(scores))
    chances = judge.rating_probabilities(ordered)
    assert (np.diff(chances, axis=1) <= 0).all()
    stars = 1 + chances.sum(axis=1)
    assert (stars >= 1).all()
    assert (stars <= 5).all()
    assert (np.diff(stars) >= -1e-9).all()
