from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ModelError
from fourcorners.models.card_text import card_figures, card_scores, describe_model, learned_from
from fourcorners.models.registry import model_folders


def test_every_shipped_card_tells_what_all_have_in_common() -> None:
    told = {folder.name: describe_model(folder) for folder in model_folders()}
    assert {
        "clause-reader",
        "entailment",
        "fourcorners-encoder",
        "precedents",
        "reader",
    } <= told.keys()
    for name, each in told.items():
        assert each.name == name
        assert each.size > 10_000
        assert each.source
        assert each.licence
    for name in ("clause-reader", "entailment", "precedents"):
        assert len(told[name].learned_from) > 40
        assert len(list(card_figures(told[name].scores))) > 3


@pytest.mark.parametrize(
    "listed",
    ["aa bb", ["aa", "bb"], {"aa": "one.txt", "bb": "two.txt"}],
    ids=["text", "list", "map"],
)
def test_hashes_are_read_however_a_card_lists_them(listed: object) -> None:
    assert learned_from({"learned_from": listed}) == ("aa", "bb")
    assert learned_from({"documents_learned_from": listed}) == ("aa", "bb")
    assert learned_from({"name": "x"}) == ()


def test_figures_have_their_names_and_intervals() -> None:
    card = {"scores": {"note": "words", "f1": 0.5, "deep": {"map": [0.5, 0.4, 0.6], "two": [1, 2]}}}
    assert list(card_figures(card_scores(card))) == [
        ("f1", "0.5"),
        ("deep, map", "0.5 (0.4-0.6)"),
        ("deep, two", "1 / 2"),
    ]
    assert card_scores({}) == {}


def test_a_folder_without_a_card_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"card\.yaml"):
        describe_model(tmp_path)
