from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourcorners.errors import ModelError
from fourcorners.models.card import load_card
from fourcorners.models.encoder.onnx import OnnxEncoder
from fourcorners.models.registry import WEIGHTS, load_encoder

NAME = "fourcorners-encoder"
CLAUSES = {
    "What is the governing law for this contract?": "The laws of Ireland apply to this deed.",
    "Is there a cap on liability under this contract?": (
        "In no event shall either party owe the other more than the fees of the last year."
    ),
    "Can this contract be terminated for convenience?": (
        "The Customer may end this Agreement at any time on sixty days' notice without cause."
    ),
    "anti-assignment": "Neither party shall transfer its rights hereunder unless the other agrees.",
    "What are the audit rights under this contract?": (
        "The Licensor's accountant may inspect the books of the Licensee once in a year."
    ),
    "Confidential Information may be shared with employees.": (
        "Staff of the Recipient who need the secrets for their work may be told them."
    ),
}


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(load_card(WEIGHTS / NAME), threads=2)


def test_each_question_is_nearest_to_the_clause_that_answers(encoder: OnnxEncoder) -> None:
    questions, clauses = encoder.encode(list(CLAUSES)), encoder.encode(list(CLAUSES.values()))
    cosines = questions @ clauses.T
    assert cosines.argmax(axis=1).tolist() == list(range(len(CLAUSES)))
    others = cosines[~np.eye(len(CLAUSES), dtype=bool)]
    assert np.diag(cosines).mean() > others.mean() + 0.3


def test_it_gives_unit_vectors_of_the_size_its_card_says(encoder: OnnxEncoder) -> None:
    assert (encoder.dimension, encoder.info.max_tokens) == (384, 256)
    assert load_encoder(NAME).name == encoder.name
    vectors = encoder.encode(["The tide turns at noon.", "", "§ 4"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_damaged_file_is_refused(encoder: OnnxEncoder, tmp_path: Path) -> None:
    shutil.copytree(encoder.info.folder, tmp_path / NAME)
    path = tmp_path / NAME / "model.onnx"
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    damaged = OnnxEncoder(replace(encoder.info, folder=tmp_path / NAME), threads=1)
    with pytest.raises(ModelError, match="damaged"):
        damaged.encode(["notice"])
