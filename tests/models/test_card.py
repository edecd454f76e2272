from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from fourcorners.errors import ModelError
from fourcorners.models.card import ModelInfo, load_card

CARD = """\
name: tiny
version: 2
kind: encoder
description: For a test.
dimension: 8
max_tokens: 16
licence: MIT
source: here
files:
  model.onnx: {hash}
"""


def write(folder: Path, card: str) -> Path:
    folder.joinpath("card.yaml").write_text(card, "utf-8")
    folder.joinpath("model.onnx").write_bytes(b"graph")
    return folder


def test_a_card_is_read_and_its_files_verified(tmp_path: Path) -> None:
    info = load_card(write(tmp_path, CARD.format(hash=sha256(b"graph").hexdigest())))
    assert (info.name, info.version, info.dimension, info.max_tokens) == ("tiny", "2", 8, 16)
    assert info.read("model.onnx") == b"graph"


def test_the_identity_changes_with_the_files(tmp_path: Path) -> None:
    info = load_card(write(tmp_path, CARD.format(hash="0" * 64)))
    assert info.identity.startswith("tiny/2-")
    other: ModelInfo = replace(info, files=(("model.onnx", "1" * 64),))
    assert other.identity != info.identity


def test_a_file_the_card_does_not_name_is_refused(tmp_path: Path) -> None:
    info = load_card(write(tmp_path, CARD.format(hash=sha256(b"graph").hexdigest())))
    tmp_path.joinpath("extra.bin").write_bytes(b"")
    with pytest.raises(ModelError, match="damaged"):
        info.read("extra.bin")


@pytest.mark.parametrize(
    "card",
    ["", "name: [", "name: tiny", "- a\n- b", CARD.replace("8", "eight"), CARD[:-21] + "files: 3"],
)
def test_a_damaged_card_is_a_model_error(tmp_path: Path, card: str) -> None:
    with pytest.raises(ModelError, match=r"card\.yaml is damaged"):
        load_card(write(tmp_path, card))
