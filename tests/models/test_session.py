"""What the sessions of all transformers have in common: exact products, and shared files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnxruntime
import pytest

from fourcorners.models import session
from fourcorners.models.card import load_card
from fourcorners.models.registry import (
    DEFAULT_ENCODER,
    VERDICT_READER,
    WEIGHTS,
)
from fourcorners.models.session import EMBEDDINGS, GRAPH, TOKENIZER, open_graph, read_tokenizer

TRANSFORMERS = [DEFAULT_ENCODER, VERDICT_READER]
IDS = np.array([[101, 2151, 2283, 2089, 20320, 102]])


def given(name: str) -> dict[str, np.ndarray]:
    inputs = ["input_ids", "attention_mask"]
    kinds = [] if name == DEFAULT_ENCODER else ["token_type_ids"]
    return {each: IDS if each == "input_ids" else np.ones_like(IDS) for each in inputs + kinds}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_the_exact_way_gives_the_same_to_the_last_bit(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = load_card(WEIGHTS / name)
    exact = session.is_exact()
    found = open_graph(info).run(None, given(name))
    monkeypatch.setattr(session, "is_exact", lambda: not exact)
    other = open_graph(info).run(None, given(name))
    if exact:  # else the quick way overflows here
        assert np.array_equal(found[0], other[0])


def test_the_exact_way_is_asked_for_where_products_overflow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def overflowing(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(
            get_inputs=lambda: [SimpleNamespace(shape=[16, 64])],
            run=lambda *_: [np.full((16, 16), 64 // 2 * (2**15 - 1))],
        )

    session.is_exact.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(onnxruntime, "InferenceSession", overflowing)
        assert not session.is_exact()
    session.is_exact.cache_clear()
    options = []
    monkeypatch.setattr(session, "is_exact", lambda: False)
    monkeypatch.setattr(
        onnxruntime, "InferenceSession", lambda _, given, **__: options.append(given)
    )
    open_graph(load_card(WEIGHTS / DEFAULT_ENCODER))
    assert options[0].get_session_config_entry("session.x64quantprecision") == "1"


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_tokenizer_and_embeddings_are_in_the_package_once(name: str) -> None:
    info = load_card(WEIGHTS / name)
    for file in (TOKENIZER, EMBEDDINGS):
        assert info.path(file) == WEIGHTS / file
        assert info.read(file) == (WEIGHTS / file).read_bytes()
    assert info.path(GRAPH) == info.folder / GRAPH
    assert read_tokenizer(info) is read_tokenizer(load_card(WEIGHTS / DEFAULT_ENCODER))
    embeddings = Path(WEIGHTS / EMBEDDINGS).stat().st_size
    assert (info.folder / GRAPH).stat().st_size < embeddings
