from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import yaml

from fourcorners.errors import ModelError
from fourcorners.models.answer_reader.reader import (
    AnswerReader,
    OnnxAnswerReader,
    open_answer_reader,
)
from fourcorners.models.registry import default_answer_reader
from tests.models.graph import cross_encoder, write_tokenizer

SEP = 3  # ends the sentence, and belongs to it
QUESTION = "Can they walk away without giving a reason?"
SENTENCES = (
    "This Agreement shall be governed by the laws of the State of Delaware.",
    "Termination\nEither party may end this Agreement for any reason on 30 days' written notice.",
    "The Supplier shall deliver the Goods to the address stated in the order.",
    "Insurance\nThe Supplier shall carry insurance of at least $1,000,000.",
)


def write(folder: Path, graph: bytes, kind: str = "answer-reader") -> Path:
    folder.joinpath("model.onnx").write_bytes(graph)
    write_tokenizer(folder)
    files = ("model.onnx", "tokenizer.json")
    card = {
        "name": "summing", "version": "1", "kind": kind, "description": "d", "dimension": 1,
        "max_tokens": 64, "licence": "MIT", "source": "s",
        "files": {name: sha256((folder / name).read_bytes()).hexdigest() for name in files},
    }  # fmt: skip
    folder.joinpath("card.yaml").write_text(yaml.safe_dump(card))
    return folder


@pytest.fixture
def reader(tmp_path: Path) -> OnnxAnswerReader:
    """Its logit is the sum of the ids of the sentence's words."""
    return open_answer_reader(write(tmp_path, cross_encoder(name="answer")))


def test_each_sentence_gets_a_logit(reader: OnnxAnswerReader) -> None:
    read = reader.read("notice", ["term", "", "term"])
    assert read.tolist() == [5 + SEP, SEP, 5 + SEP]
    assert read.dtype == np.float64


def test_what_was_read_is_not_read_again(
    reader: OnnxAnswerReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = reader.read("notice", ["term", "law"])
    told: list[str] = []

    def noted(_: str, sentences: Sequence[str]) -> list[float]:
        told.extend(sentences)
        return [0.0] * len(sentences)

    monkeypatch.setattr(reader, "_read", noted)
    again = reader.read("notice", ["law", "assign", "term"])
    assert told == ["assign"]
    assert again.tolist() == [first[1], 0.0, first[0]]
    reader.read("term", ["law"])
    assert told == ["assign", "law"]


def test_nothing_to_read_loads_nothing(tmp_path: Path) -> None:
    reader = open_answer_reader(write(tmp_path, b"no graph"))
    read = reader.read("notice", [])
    assert read.shape == (0,)


def test_another_model_is_refused(tmp_path: Path) -> None:
    write(tmp_path, cross_encoder(name="answer"), kind="reranker")
    with pytest.raises(ModelError, match="no reader of answers: it is a reranker"):
        open_answer_reader(tmp_path)
    write(tmp_path, cross_encoder())
    with pytest.raises(ModelError, match=r"its graph gives .*logits.* is no reader of answers"):
        open_answer_reader(tmp_path).read("notice", ["term"])


def test_the_shipped_reader_finds_what_answers_in_other_words() -> None:
    reader: AnswerReader = default_answer_reader()
    read = reader.read(QUESTION, SENTENCES)
    assert int(read.argmax()) == 1
    assert read[1] > max(each for at, each in enumerate(read.tolist()) if at != 1) + 1
    assert reader.name.startswith("answer-reader/1-")
