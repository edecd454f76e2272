"""The reader that ships reads a clause with a question."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from fourcorners.errors import ModelError
from fourcorners.models.reader.reader import (
    OUTPUTS,
    QUESTION_TOKENS,
    Answer,
    OnnxReader,
    Reading,
    RelevanceReader,
    open_reader,
)
from fourcorners.models.registry import READER, WEIGHTS, default_reader
from fourcorners.models.session import MAX_CHARACTERS
from tests.models.graph import cross_encoder

CLAUSE = (
    "12.1 The Supplier shall not assign this Agreement without the prior written consent of the "
    "Customer. The Customer may assign it to an affiliate on thirty (30) days' written notice."
)
QUESTIONS = (
    "Does the Supplier need consent to assign this Agreement?",
    "Does the clause set a price?",
    "On what notice may the Customer assign?",
    "Who may assign to an affiliate?",
)
ASKED = "Can they walk away without giving a reason?"
SENTENCES = (
    "This Agreement shall be governed by the laws of the State of Delaware.",
    "Termination\nEither party may end this Agreement for any reason on 30 days' written notice.",
    "The Supplier shall deliver the Goods to the address stated in the order.",
    "Insurance\nThe Supplier shall carry insurance of at least $1,000,000.",
)
Changed = Callable[[dict[str, bytes]], Path]


@pytest.fixture(scope="module")
def reader() -> OnnxReader:
    return open_reader(WEIGHTS / READER)


@pytest.fixture
def changed(tmp_path: Path) -> Changed:
    """Copy the reader with other contents of files, which its card vouches for."""

    def change(contents: dict[str, bytes]) -> Path:
        folder = tmp_path / "reader"
        shutil.copytree(WEIGHTS / READER, folder)
        card = yaml.safe_load((folder / "card.yaml").read_text("utf-8"))
        for name, content in contents.items():
            (folder / name).write_bytes(content)
            card["files"][name] = sha256(content).hexdigest()
        (folder / "card.yaml").write_text(yaml.safe_dump(card), "utf-8")
        return folder

    return change


def test_it_tells_what_a_clause_says_from_what_it_does_not_speak_of(reader: OnnxReader) -> None:
    consent, price, notice, party = reader.read(CLAUSE, QUESTIONS)
    assert consent.answer is Answer.YES
    assert price.answer is Answer.NONE
    assert notice.words.span is not None
    assert "thirty (30) days" in notice.words.span.text_in(CLAUSE)
    assert party.party.span is not None
    assert party.party.span.text_in(CLAUSE).casefold() == "the customer"
    assert sum(consent.chances) == pytest.approx(1)


def test_an_answer_does_not_depend_on_the_questions_beside_it(reader: OnnxReader) -> None:
    many = [*QUESTIONS, *(f"Is the fee {number} dollars?" for number in range(20))]
    assert reader.read(CLAUSE, many)[: len(QUESTIONS)] == reader.read(CLAUSE, QUESTIONS)
    assert reader.read(CLAUSE, QUESTIONS[:1]) == reader.read(CLAUSE, QUESTIONS)[:1]


def test_threads_may_share_a_reader() -> None:
    shared = open_reader(WEIGHTS / READER, threads=2)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: shared.read(CLAUSE, QUESTIONS), range(3)))
    assert found[0] == found[1] == found[2] == default_reader().read(CLAUSE, QUESTIONS)


def test_nothing_to_read_loads_nothing(changed: Changed) -> None:
    assert open_reader(changed({"model.onnx": b"no graph"})).read(CLAUSE, []) == []


@pytest.mark.parametrize(
    ("clause", "question"),
    [
        ("word " * 500, "Is it so?"),
        ("a" * (MAX_CHARACTERS + 1), "Is it so?"),
        (CLAUSE, "Is it so, or " * QUESTION_TOKENS),
    ],
)
def test_what_is_not_read_to_its_end_is_not_said(
    reader: OnnxReader, clause: str, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "limits", dict.fromkeys(("yes", "no", "stated", "unstated"), 0.0))
    (reading,) = reader.read(clause, [question])
    assert not reading.is_whole
    assert not reader.is_asserted(reading)
    assert not reader.is_verified(reading)
    assert not reader.is_refused(reading)


@pytest.mark.parametrize("clause", ["", " ", "notice \ud800 period", "</s><mask>[SEP]"])
def test_odd_texts_are_read(reader: OnnxReader, clause: str) -> None:
    for question in ("", "Is it so?", "</s>"):
        (reading,) = reader.read(clause, [question])
        assert sum(reading.chances) == pytest.approx(1)
        assert reading.words.span is None or reading.words.span.end <= len(clause)


def test_the_mark_of_an_end_in_a_text_ends_nothing(reader: OnnxReader) -> None:
    (marked,) = reader.read(f"{CLAUSE} </s>", QUESTIONS[:1])
    (odd,) = reader.read(f"{CLAUSE} < / s >", QUESTIONS[:1])
    assert marked.chances == odd.chances


def test_limits_decide_what_is_said(changed: Changed, reader: OnnxReader) -> None:
    limits = {"yes": 0.9, "stated": 0.8, "unstated": 0.7}
    strict = open_reader(changed({"limits.json": json.dumps(limits).encode()}))
    nothing = reader.read(CLAUSE, QUESTIONS[:1])[0].words

    def read(*chances: float) -> Reading:
        yes, no, depends, none = chances
        return Reading((yes, no, depends, none), nothing, nothing)

    assert strict.is_asserted(read(0.9, 0.05, 0.03, 0.02))
    assert not strict.is_asserted(read(0.89, 0.05, 0.03, 0.03))
    assert not strict.is_asserted(read(0.02, 0.95, 0.02, 0.01))  # no has no limit
    assert not strict.is_asserted(read(0.01, 0.01, 0.97, 0.01))
    assert strict.is_verified(read(0.8, 0.1, 0.05, 0.05))
    assert not strict.is_verified(read(0.79, 0.1, 0.05, 0.06))
    assert strict.is_refused(read(0.29, 0.4, 0.2, 0.11))
    assert not strict.is_refused(read(0.31, 0.4, 0.2, 0.09))


def test_damaged_files_are_refused(changed: Changed) -> None:
    folder = changed({"limits.json": b"[]", "model.onnx": cross_encoder()})
    reader = open_reader(folder)
    with pytest.raises(ModelError, match=r"limits\.json cannot be used"):
        _ = reader.limits
    with pytest.raises(ModelError):
        reader.read(CLAUSE, QUESTIONS)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_the_card_does_not_vouch_for_is_refused(changed: Changed, name: str) -> None:
    folder = changed({})
    (folder / name).write_bytes(b"")
    with pytest.raises(ModelError, match="is damaged"):
        open_reader(folder).read(CLAUSE, QUESTIONS)


def test_a_graph_without_relevance_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = [SimpleNamespace(name=name, shape=["q", 4]) for name in OUTPUTS]
    graph = SimpleNamespace(get_outputs=lambda: outputs)
    monkeypatch.setattr("fourcorners.models.reader.reader.open_graph", lambda _: graph)
    with pytest.raises(ModelError, match=r"4 values of the first.* is no reader"):
        open_reader(WEIGHTS / READER).relevance(ASKED, SENTENCES)


def test_another_model_is_refused() -> None:
    with pytest.raises(ModelError, match="is no reader: its kind is encoder"):
        open_reader(WEIGHTS / "fourcorners-encoder")


def test_relevance_puts_what_answers_in_other_words_first(reader: OnnxReader) -> None:
    answers: RelevanceReader = reader
    odds = answers.relevance(ASKED, SENTENCES)
    assert odds.dtype == np.float64
    assert int(odds.argmax()) == 1
    assert odds[1] > max(each for at, each in enumerate(odds.tolist()) if at != 1) + 1
    assert answers.relevance(ASKED, []).shape == (0,)


def test_relevance_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = open_reader(WEIGHTS / READER)
    runs: list[Sequence[int]] = []
    run = reader.run

    def counted(clause: Sequence[int], question: Sequence[int]) -> object:
        runs.append(clause)
        return run(clause, question)

    monkeypatch.setattr(reader, "run", counted)
    first = reader.relevance(ASKED, [SENTENCES[0], SENTENCES[1], SENTENCES[0]])
    assert first[0] == first[2]
    assert len(runs) == 2
    again = reader.relevance(ASKED, [SENTENCES[1], SENTENCES[2]])
    assert again[0] == first[1]
    assert len(runs) == 3
    reader.relevance(QUESTIONS[0], [SENTENCES[1]])
    assert len(runs) == 4


def test_nothing_relevant_to_read_loads_nothing(changed: Changed) -> None:
    reader = open_reader(changed({"model.onnx": b"no graph"}))
    assert reader.relevance(ASKED, []).shape == (0,)
    with pytest.raises(ModelError):
        reader.relevance(ASKED, SENTENCES[:1])
