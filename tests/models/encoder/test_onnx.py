from __future__ import annotations

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from fourcorners.errors import ModelError
from fourcorners.models import default_encoder, session
from fourcorners.models.card import ModelInfo, load_card
from fourcorners.models.encoder import onnx as onnx_encoder
from fourcorners.models.encoder.onnx import OnnxEncoder
from fourcorners.models.registry import WEIGHTS
from fourcorners.models.session import EMBEDDINGS, GRAPH, MAX_CHARACTERS, TOKENIZER, open_graph

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

SENTENCES = [
    "This Agreement is governed by the laws of Ireland.",
    "Irish law applies to the contract.",
    "Either party may terminate on thirty days' notice.",
    "The Licensee shall not assign this licence.",
    "governing law",
]
# Cosines of the sentences on the machine that wrote the weights.
COSINES = np.array(
    [
        [1.000, 0.755, 0.096, 0.092, 0.576],
        [0.755, 1.000, 0.153, 0.125, 0.380],
        [0.096, 0.153, 1.000, 0.274, 0.036],
        [0.092, 0.125, 0.274, 1.000, 0.022],
        [0.576, 0.380, 0.036, 0.022, 1.000],
    ]
)


@pytest.fixture(scope="module")
def info() -> ModelInfo:
    return load_card(WEIGHTS / "fourcorners-encoder")


@pytest.fixture(scope="module")
def encoder(info: ModelInfo) -> OnnxEncoder:
    return OnnxEncoder(info, threads=2)


@pytest.fixture
def copied(info: ModelInfo, tmp_path: Path) -> ModelInfo:
    folder = tmp_path / "model"
    shutil.copytree(info.folder, folder)
    for name in (TOKENIZER, EMBEDDINGS):
        shutil.copyfile(WEIGHTS / name, tmp_path / name)
    return replace(info, folder=folder)


def test_vectors_are_the_same_on_every_machine_but_for_rounding(encoder: OnnxEncoder) -> None:
    vectors = encoder.encode(SENTENCES)
    assert np.abs(vectors @ vectors.T - COSINES).max() < 0.005


def test_rows_are_unit_vectors_of_the_dimension_it_says(encoder: OnnxEncoder) -> None:
    vectors = encoder.encode(["", " \n", "x", *SENTENCES, "§ 4.1(b) – “Übertragung” 契約"])
    assert vectors.shape == (9, encoder.dimension) == (9, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows_and_load_nothing(info: ModelInfo) -> None:
    encoder = OnnxEncoder(replace(info, folder=Path("nowhere")))
    assert encoder.encode([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_company(encoder: OnnxEncoder, info: ModelInfo) -> None:
    long = " ".join(SENTENCES) * 6
    together = encoder.encode([long, *SENTENCES, SENTENCES[0], ""])
    alone = OnnxEncoder(info, threads=1)
    for row, text in enumerate([long, *SENTENCES, SENTENCES[0], ""]):
        assert np.array_equal(together[row], alone.encode([text])[0]), text


def test_rows_keep_the_order_of_the_texts(encoder: OnnxEncoder) -> None:
    forwards = encoder.encode(SENTENCES)
    assert np.array_equal(encoder.encode(SENTENCES[::-1])[::-1], forwards)
    assert not np.allclose(forwards[0], forwards[1])


def test_a_text_is_cut_at_256_tokens(encoder: OnnxEncoder) -> None:
    words = ["notice"] * 254  # and the two tokens that frame every text
    whole, longer, shorter = encoder.encode(
        [" ".join(words), " ".join([*words, "assignment"]), " ".join(words[:-1])]
    )
    assert np.array_equal(whole, longer)
    assert not np.array_equal(whole, shorter)


def test_a_whole_file_costs_no_more_than_its_beginning(encoder: OnnxEncoder) -> None:
    text = "The Supplier shall deliver the Products. " * 25_000
    cut, whole = encoder.encode([text[:MAX_CHARACTERS], text])
    assert np.array_equal(cut, whole)


def test_an_interrupt_does_not_wait_for_the_texts_that_are_left(
    info: ModelInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = OnnxEncoder(info, threads=2)
    begun = []

    def interrupted(_: OnnxEncoder, text: str) -> None:
        begun.append(text)
        time.sleep(0.02)
        raise KeyboardInterrupt

    monkeypatch.setattr(OnnxEncoder, "_vector", interrupted)
    with pytest.raises(KeyboardInterrupt):
        encoder.encode([f"clause {n}" for n in range(2_000)])
    assert len(begun) < 1_000


def test_threads_may_share_an_encoder(info: ModelInfo) -> None:
    shared, alone = OnnxEncoder(info, threads=2), OnnxEncoder(info, threads=1)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(shared.encode, [SENTENCES] * 3))
    for vectors in found:
        assert np.array_equal(vectors, alone.encode(SENTENCES))


def test_encoders_of_one_model_share_a_session(
    copied: ModelInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def counted(info: ModelInfo) -> InferenceSession:
        opened.append(info.name)
        return open_graph(info)

    monkeypatch.setattr(onnx_encoder, "open_graph", counted)
    one, other = OnnxEncoder(copied, threads=1), OnnxEncoder(replace(copied), threads=2)
    assert np.array_equal(one.encode(SENTENCES), other.encode(SENTENCES))
    assert len(opened) == 1


def test_a_lone_surrogate_is_no_error(encoder: OnnxEncoder) -> None:
    damaged, repaired = encoder.encode(["notice \ud800 period", "notice ? period"])
    assert np.array_equal(damaged, repaired)


def test_a_damaged_file_is_refused_with_the_remedy(copied: ModelInfo) -> None:
    path = copied.folder / "model.onnx"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.onnx is damaged.*pip install") as caught:
        OnnxEncoder(copied).encode(["notice"])
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", [GRAPH, TOKENIZER, EMBEDDINGS])
def test_a_missing_file_is_named_with_the_remedy(
    copied: ModelInfo, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_opened", {})
    copied.path(name).unlink()
    with pytest.raises(ModelError, match="pip install") as caught:
        OnnxEncoder(copied).encode(["notice"])
    assert str(copied.path(name)) in str(caught.value)


def test_threads_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="threads"):
        default_encoder(threads=0)


def test_encoding_needs_no_torch() -> None:
    script = (
        "import sys; from fourcorners.models import default_encoder as d;"
        "assert 'onnxruntime' not in sys.modules and 'tokenizers' not in sys.modules;"
        "assert d().encode(['notice']).shape == (1, 384);"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)
