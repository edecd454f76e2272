"""A reader made by hand: of two kinds of clause it knows two words, and nothing else."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import yaml

from fourcorners.errors import ModelError
from fourcorners.models.clause_reader import reader as clause_reader
from fourcorners.models.clause_reader.features import PARTS, Sentences
from fourcorners.models.clause_reader.match import MATCH_FEATURES, OWN_FEATURE
from fourcorners.models.clause_reader.reader import (
    FILE,
    QUERY_FEATURES,
    ClauseReader,
    SecondStepFeatures,
    SentenceScores,
    build_layout,
    load_weights,
    open_reader,
    second_step_features,
)
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

TEXT = "Books may be audited. Rent is due. Audit ends here."
SPANS = (Span(0, 21), Span(22, 34), Span(35, len(TEXT)))
QUERY = np.zeros((3, 12), np.float32)
SIGNS = 15 + 12 + 2
DIMENSION = 4


def arrays() -> dict[str, np.ndarray]:
    """Return a reader's arrays: `audited` and `audit` speak for audits, `rent` for rent."""
    words = ["audit", "audited", "rent"]
    codes = {part: np.zeros(0, np.int64) for part in PARTS} | {"own": np.array([0, 1, 1])}
    first = np.array([[100, 0], [127, 0], [0, 127]], np.int8)
    scale = np.zeros((len(PARTS), 2), np.float32)
    scale[PARTS.index("own")] = 0.1
    second = np.zeros((2, 2, SIGNS + 1), np.float32)
    second[:, :, 0] = 1.0  # the first step's own odds
    second[0, :, 10] = 1.0  # what the vector says, where there is one
    return {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "rarity": np.ones(3, np.float16),
        "first": first,
        "first_scale": scale,
        "first_bias": np.array([-4.0, -4.0], np.float32),
        "meaning": np.zeros((DIMENSION + 1, 2), np.float16),
        "second": second,
        "limits": np.array([[0.5, 0.25, 0.0], [0.75, 0.5, 1.0]], np.float32),
        "match": np.eye(2, MATCH_FEATURES + 1, OWN_FEATURE, dtype=np.float32),
        **{f"codes_{part}": np.diff(known, prepend=0) for part, known in codes.items()},
    } | {"codes_own": np.array([0, 1, 1])}


def write(folder: Path, content: dict[str, np.ndarray]) -> ClauseReader:
    file = BytesIO()
    np.savez_compressed(file, **content)  # type: ignore[arg-type]
    folder.mkdir(exist_ok=True)
    folder.joinpath(FILE).write_bytes(file.getvalue())
    card = {
        "name": "hand",
        "version": "1",
        "kind": "clause-reader",
        "description": "by hand",
        "dimension": 2,
        "max_tokens": 0,
        "licence": "MIT",
        "source": "here",
        "kinds": ["audit-rights", "rent"],
        "queries": ["aa", "bb"],
        "encoder": "none",
        "learned_from": "0a 0b",
        "files": {FILE: hashlib.sha256(file.getvalue()).hexdigest()},
    }
    folder.joinpath("card.yaml").write_text(yaml.safe_dump(card))
    return open_reader(folder)


@pytest.fixture
def reader(tmp_path: Path) -> ClauseReader:
    return write(tmp_path / "hand", arrays())


def sentences() -> Sentences:
    return Sentences(TEXT, WordIndex(TEXT), SPANS, [(), (), ()])


PASSAGES = np.zeros(3, np.int64)


def test_it_reads_words_it_was_taught(reader: ClauseReader) -> None:
    heard = reader.read(sentences(), PASSAGES, None)
    audits = reader.probability(heard, QUERY, "audit-rights")
    rent = reader.probability(heard, QUERY, "rent")
    odds = [0.7 * 12.7 - 4, -4.0, 0.7 * 10.0 - 4]
    assert audits == pytest.approx(1 / (1 + np.exp(-np.array(odds))), abs=1e-3)
    assert [bool(each > 0.5) for each in rent] == [False, True, False]


def test_vectors_count_where_there_are_any(tmp_path: Path) -> None:
    content = arrays()
    content["meaning"] = np.zeros((DIMENSION + 1, 2), np.float16)
    content["meaning"][0, 1] = 2.0
    reader = write(tmp_path / "hand", content)
    vectors = np.array([[1.0, 0.0, 0.0, 0.0]], np.float32)
    with_them = reader.probability(reader.read(sentences(), PASSAGES, vectors), QUERY, "rent")
    without = reader.probability(reader.read(sentences(), PASSAGES, None), QUERY, "rent")
    odds = np.log(with_them / (1 - with_them)) - np.log(without / (1 - without))
    assert odds == pytest.approx([8.0, 8.0, 8.0], abs=0.05)


def test_a_document_without_sentences_is_no_error(reader: ClauseReader) -> None:
    empty = Sentences("", WordIndex(""), [], [])
    heard = reader.read(empty, np.zeros(0, np.int64), None)
    assert len(reader.probability(heard, QUERY[:0], "rent")) == 0


def many(count: int) -> SentenceScores:
    """Return what a reader might have heard in so many sentences."""
    drawn = np.random.default_rng(5)
    text = "a b c " * count
    spans = [Span(6 * at, 6 * at + 5) for at in range(count)]
    where = build_layout(
        Sentences(text, WordIndex(text), spans, [()] * count), np.arange(count) // 3
    )
    words, meaning = drawn.normal(-4, 3, (2, count, 2)).astype(np.float32)
    return SentenceScores(words, meaning, where)


def test_the_signs_of_a_part_are_those_of_the_whole() -> None:
    heard, query = many(25), np.random.default_rng(6).random((25, 12)).astype(np.float32)
    told = second_step_features(heard.words, heard.meaning, query, heard.layout, 1)
    whole = told.rows()
    assert whole.shape == (len(told), SIGNS) == (25, SIGNS)
    assert np.array_equal(whole[:, 0], heard.words[:, 1])
    assert np.array_equal(whole[:, QUERY_FEATURES:-2], query)
    parts = np.concatenate([told.rows(low, low + 10) for low in (0, 10, 20)])
    assert np.array_equal(parts, whole)


def test_a_long_text_is_weighed_a_part_at_a_time(
    reader: ClauseReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, query = many(250), np.zeros((250, 12), np.float32)
    at_once = reader.probability(heard, query, "rent")
    held = []
    rows = SecondStepFeatures.rows

    def counted(told: SecondStepFeatures, start: int = 0, end: int | None = None) -> np.ndarray:
        made = rows(told, start, end)
        held.append(len(made))
        return made

    monkeypatch.setattr(SecondStepFeatures, "rows", counted)
    monkeypatch.setattr(clause_reader, "BATCH", 100)
    assert reader.probability(heard, query, "rent") == pytest.approx(at_once, abs=1e-6)
    assert held == [100, 100, 50]


def test_its_card_says_what_it_knows(reader: ClauseReader) -> None:
    assert reader.is_known("rent", "bb")
    assert not reader.is_known("rent", "aa")
    assert not reader.is_known("insurance", "aa")
    assert reader.limits("rent") == (0.75, 0.5)
    assert reader.learned_from == {"0a", "0b"}
    assert reader.name.startswith("hand/1-")


def test_a_damaged_file_is_a_model_error(reader: ClauseReader) -> None:
    path = reader.info.folder / FILE
    path.write_bytes(path.read_bytes() + b"!")
    with pytest.raises(ModelError, match="damaged"):
        reader.read(sentences(), PASSAGES, None)


def test_a_file_of_another_version_is_a_model_error() -> None:
    file = BytesIO()
    np.savez_compressed(file, words=np.zeros(0, np.uint8))
    with pytest.raises(ModelError, match="not of this version"):
        load_weights(file.getvalue())
    with pytest.raises(ModelError, match="not of this version"):
        load_weights(b"no archive at all")


def test_a_card_of_no_reader_is_a_model_error(tmp_path: Path) -> None:
    reader = write(tmp_path / "hand", arrays())
    path = reader.info.folder / "card.yaml"
    card = yaml.safe_load(path.read_text())
    del card["kinds"]
    path.write_text(yaml.safe_dump(card))
    with pytest.raises(ModelError, match="of no reader"):
        open_reader(reader.info.folder)
