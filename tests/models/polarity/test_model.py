"""Which way words lean that answer a question of yes or no."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.errors import ModelError
from fourcorners.models import registry
from fourcorners.models.card import CARD_FILE
from fourcorners.models.polarity import model as polarity
from fourcorners.models.polarity.features import nearest_piece, polarity_features
from fourcorners.models.polarity.model import PolarityModel, default_polarity, hash_feature

PLAIN = (
    (
        "can either side end it early?",
        "Either party may terminate this deed on 30 days' notice.",
        True,
    ),
    (
        "may we keep a copy after the end?",
        "The Recipient may retain one copy of the Information.",
        True,
    ),
    (
        "Are we liable for lost profits?",
        "Neither party shall be liable for any lost profits or indirect damages.",
        False,
    ),
    (
        "Can the landlord refuse consent for no reason?",
        "Consent shall not be unreasonably withheld or delayed.",
        False,
    ),
)


@pytest.mark.parametrize(("question", "words", "yes"), PLAIN)
def test_plain_words_lean_the_way_they_read(question: str, words: str, yes: bool) -> None:
    chance = default_polarity().probability(question, words)
    assert (chance > 0.5) is yes
    assert max(chance, 1 - chance) > 0.7


def test_the_same_words_lean_the_other_way_for_the_opposite_question() -> None:
    words = "The Licensee shall not sublicense the Software to anybody."
    model = default_polarity()
    assert model.probability("may we sublicense it?", words) < 0.5
    assert model.probability("are we barred from sublicensing?", words) > model.probability(
        "may we sublicense it?", words
    )


def test_the_piece_that_is_asked_for_is_nearest() -> None:
    words = "The Buyer shall pay on time; the Seller shall not store any goods for it."
    assert nearest_piece("Will they store our goods?", words) == (
        "the Seller shall not store any goods for it."
    )
    assert nearest_piece("?", "") == ""


def test_signs_say_what_question_and_words_do_together() -> None:
    found = polarity_features("Can they refuse?", "They may not refuse.")
    assert found["all denies, asks may"] == 1.0
    assert found["all denies, opposite"] == 1.0
    assert found["asks may of them"] == 1.0
    assert found["said may not"] == 0.5
    assert "all affirms" not in found


def test_line_breaks_and_columns_say_nothing() -> None:
    words = "Consent may be   refused only with\n      prior\nwritten reasons;\n\n and not later."
    assert polarity_features("may they\nrefuse?", words) == polarity_features(
        "may they refuse?", " ".join(words.split())
    )


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_words_give_a_chance(question: str, words: str) -> None:
    assert 0.0 <= default_polarity().probability(question, words) <= 1.0


def test_weights_add_up() -> None:
    codes = np.array(sorted({hash_feature("asked we"), hash_feature("said may")}), np.uint32)
    weights = np.array([2.0, 2.0, -1.0], np.float32)
    model = PolarityModel(default_polarity().info, codes, weights, 0.8)
    assert model.probability("we", "") == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert model.probability("we", "may") == pytest.approx(1 / (1 + np.exp(-2.0)))


def test_a_damaged_file_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / registry.POLARITY
    folder.mkdir()
    card = (registry.WEIGHTS / registry.POLARITY / CARD_FILE).read_text("utf-8")
    (folder / CARD_FILE).write_text(card, "utf-8")
    (folder / polarity.FILE).write_bytes(b"not what the card describes")
    monkeypatch.setattr(polarity, "WEIGHTS", tmp_path)
    with pytest.raises(ModelError, match="damaged"):
        default_polarity.__wrapped__()
