"""`VerdictReader` over hand-made regressions, and what is damaged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from fourcorners.errors import ModelError
from fourcorners.models.registry import default_verdict_reader
from fourcorners.models.verdict_reader.clause import MarkedClause, Mention, MentionKind
from fourcorners.models.verdict_reader.features import NO_MENTION, copy_features, hash_names
from fourcorners.models.verdict_reader.reader import (
    QUESTIONS,
    WEIGHTS,
    VerdictReader,
    open_verdict_reader,
    read_models,
)
from fourcorners.text.span import Span

HEADS: list[dict[str, Any]] = [
    {
        "provision": "assignment",
        "question": "void",
        "kind": None,
        "group": "",
        "options": ["yes", "silent"],
        "silent": ["silent"],
        "limit": 0.9,
    },
    {
        "provision": "assignment",
        "question": "effect",
        "kind": None,
        "group": "",
        "options": ["free", "consent", "forbidden"],
        "silent": [],
        "limit": None,
    },
    {
        "provision": "assignment",
        "question": "who",
        "kind": "party",
        "group": "who may",
        "options": [],
        "silent": [""],
        "limit": 0.8,
    },
    {
        "provision": "assignment",
        "question": "unlearned",
        "kind": None,
        "group": "",
        "options": ["yes", "no"],
        "silent": [],
        "limit": None,
    },
]


def linear(weights: Mapping[int, list[float]], bias: list[float]) -> dict[str, NDArray[Any]]:
    columns = sorted(weights)
    plain = np.array([weights[at] for at in columns], np.float32).reshape(-1, len(bias))
    return {
        "columns": np.array(columns, np.uint32),
        "plain": plain.astype(np.int8),
        "plain_scale": np.ones(len(bias), np.float32),
        "scaled": np.zeros_like(plain, np.int8),
        "scaled_scale": np.ones(len(bias), np.float32),
        "bias": np.array(bias, np.float32),
    }


def weights() -> dict[str, dict[str, NDArray[Any]]]:
    (void,), (free,) = hash_names(["m:void"]), hash_names(["m:freely"])
    acts = copy_features(hash_names(["a0=may"]), "assignment.who", "who may")
    return {
        "assignment.void": linear({int(void): [9.0, -9.0]}, [-4.0, 4.0]),
        "assignment.effect": linear({int(free): [9.0, -9.0, -9.0]}, [0.0, 0.0, 0.0]),
        "party": linear({int(each): [3.0] for each in acts}, [0.0]),
    }


def write(folder: Path, questions: bytes | None = None, models: bytes | None = None) -> Path:
    arrays = {
        f"{name}/{part}": array
        for name, parts in weights().items()
        for part, array in parts.items()
    }
    packed = BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]
    files = {
        QUESTIONS: json.dumps(HEADS).encode() if questions is None else questions,
        WEIGHTS: packed.getvalue() if models is None else models,
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    card = {
        **dict.fromkeys(("name", "version", "kind", "description", "licence", "source"), "by-hand"),
        "dimension": 1,
        "max_tokens": 0,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    (folder / "card.yaml").write_text(yaml.safe_dump(card), "utf-8")
    return folder


def marked(text: str, *parties: str) -> MarkedClause:
    whole = Span(0, len(text))
    mentions = tuple(
        Mention(MentionKind.PARTY, each.casefold(), Span(at, at + len(each)))
        for each in parties
        if (at := text.find(each)) >= 0
    )
    return MarkedClause(text, whole, whole, mentions)


@pytest.fixture
def reader(tmp_path: Path) -> VerdictReader:
    return open_verdict_reader(write(tmp_path))


def test_an_option_is_asserted_from_its_limit(reader: VerdictReader) -> None:
    void = reader.read("assignment", marked("Any assignment is void."))["void"]
    assert (void.value, void.is_asserted) == ("yes", True)
    assert void.probability > 0.98
    other = reader.read("assignment", marked("It may be assigned."))["void"]
    assert (other.value, other.is_asserted) == ("silent", False)  # sure, and says nothing
    assert other.probability > 0.98


def test_a_mention_is_chosen_with_its_places(reader: VerdictReader) -> None:
    text = "Alder may assign, and Birch waits."
    who = reader.read("assignment", marked(text, "Alder", "Birch"))["who"]
    assert (who.value, who.is_asserted, who.words_in(text)) == ("alder", True, "Alder")
    assert who.spans == (Span(0, 5),)
    nobody = reader.read("assignment", marked("Nothing is assigned."))["who"]
    assert nobody.value in (NO_MENTION, "each party")
    assert not nobody.is_asserted


def test_a_question_without_a_limit_has_no_verdict(reader: VerdictReader) -> None:
    assert set(reader.read("assignment", marked("It may freely assign."))) == {"void", "who"}
    assert reader.is_known("assignment")
    assert not reader.is_known("insurance")


@pytest.mark.parametrize(
    ("questions", "models", "file"),
    [
        (b"[{}]", None, QUESTIONS),
        (b"not json", None, QUESTIONS),
        (json.dumps([{**HEADS[0], "kind": "colour"}]).encode(), None, QUESTIONS),
        (b"7", None, QUESTIONS),
        (None, b"not arrays", WEIGHTS),
        (None, b"", WEIGHTS),
        (None, b"PK\x03\x04 cut off", WEIGHTS),
    ],
)
def test_a_damaged_file_is_named(
    tmp_path: Path, questions: bytes | None, models: bytes | None, file: str
) -> None:
    reader = open_verdict_reader(write(tmp_path, questions, models))
    with pytest.raises(ModelError, match=f"{file} is damaged") as damaged:
        reader.read("assignment", marked("It is."))
    assert damaged.value.remedy


def test_files_that_are_not_the_cards_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"other")
    with pytest.raises(ModelError, match=rf"{WEIGHTS} is damaged: its SHA-256"):
        open_verdict_reader(tmp_path).read("assignment", marked("It is."))
    (tmp_path / QUESTIONS).unlink()
    with pytest.raises(ModelError, match=f"cannot read .*{QUESTIONS}"):
        open_verdict_reader(tmp_path).is_known("assignment")


def test_weights_are_scaled_back() -> None:
    parts = linear({7: [100.0, -50.0]}, [1.0, 2.0])
    parts["plain_scale"] = np.array([0.5, 0.1], np.float32)
    packed = BytesIO()
    np.savez(packed, **{f"a.b/{name}": part for name, part in parts.items()})  # type: ignore[arg-type]
    (model,) = read_models(packed.getvalue()).values()
    assert model.log_odds(np.array([3, 7])).tolist() == pytest.approx([51.0, -3.0])
    assert model.log_odds(np.array([3, 9])).tolist() == pytest.approx([1.0, 2.0])
    scaled = linear({7: [0.0], 9: [0.0]}, [0.0])
    scaled["scaled"] = np.array([[2], [4]], np.int8)
    packed = BytesIO()
    np.savez(packed, **{f"x/{name}": part for name, part in scaled.items()})  # type: ignore[arg-type]
    (model,) = read_models(packed.getvalue()).values()
    assert model.log_odds(np.array([7, 9]))[0] == pytest.approx(6 / 2**0.5)


def test_the_shipped_reader_has_limits_that_were_measured() -> None:
    heads = [each for own in default_verdict_reader().heads.values() for each in own]
    limits = [each.limit for each in heads if each.limit is not None]
    assert limits
    assert all(0.3 <= limit < 1 for limit in limits)
    assert all(len(each.options) > 1 for each in heads if each.kind is None)
    assert len({each.name for each in heads}) == len(heads)
