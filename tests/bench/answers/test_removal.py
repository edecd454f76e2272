"""The removal test, on contracts of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.text.span import Span
from fourcorners_bench.answers import removal

LAW = "This Agreement is governed by the laws of Norway."
TEXT = f"CARRIAGE AGREEMENT\n\n1. Carriage. Larch carries the grain.\n\n2. Law. {LAW}\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "legalbench-rag"
    (folder / "benchmarks").mkdir(parents=True)
    (folder / "corpus" / "cuad").mkdir(parents=True)
    (folder / "corpus" / "cuad" / "deed.txt").write_text(TEXT, "utf-8")
    start = TEXT.index(LAW)
    answer = {"file_path": "cuad/deed.txt", "span": [start, start + len(LAW)], "answer": LAW}
    query = "Consider the deed; What is the governing law for this contract?"
    tests = [{"query": query, "tags": ["Governing Law"], "snippets": [answer]}]
    (folder / "benchmarks" / "cuad.json").write_text(json.dumps({"tests": tests}), "utf-8")
    return tmp_path


def test_a_case_is_a_question_with_the_words_that_answer(data: Path) -> None:
    (case,) = removal.draw_cases(data, held=True, count=5)
    assert case.question == "What is the governing law for this contract?"
    assert [each.text_in(TEXT) for each in case.spans] == [LAW]
    assert LAW not in removal.remove_spans(TEXT, case.cut)
    assert "Larch carries the grain" in removal.remove_spans(TEXT, case.cut)
    assert removal.draw_cases(data, held=True, count=5, seed=3) == [case]
    assert removal.draw_cases(data, held=False, count=5) == []


def test_both_texts_are_asked(data: Path, tmp_path: Path) -> None:
    drawn = removal.draw_cases(data, held=True, count=1)
    with Library.open(tmp_path / "bench.db") as library:
        (outcome,) = removal.run_removal(
            library, data, drawn, encoder=default_encoder(threads=1), concepts=default_concepts()
        )
    assert outcome.answered
    assert outcome.right
    assert outcome.denied
    assert removal.removal_measures([outcome]) == {
        "cases": 1,
        "answered": 1,
        "right": 1,
        "denied": 1,
    }
    assert json.loads(removal.outcome_line(outcome))["removed"] == "no answer found"


def test_a_copy_that_still_answers_is_no_case(data: Path) -> None:
    file = data / "legalbench-rag" / "corpus" / "cuad" / "deed.txt"
    file.write_text(
        f"{TEXT}\n3. More. The Annex is governed by the laws of Norway, too.\n", "utf-8"
    )
    assert removal.draw_cases(data, held=True, count=5) == []
    (case,) = removal.draw_cases(data, held=True, count=5, every=True)
    assert case.others == 1


def test_spans_that_overlap_are_cut_once() -> None:
    assert removal.remove_spans("abcdef", [Span(1, 3), Span(2, 4)]) == "aef"


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        removal.find_data(tmp_path)
