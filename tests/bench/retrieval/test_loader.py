"""LegalBench-RAG's layout, its run files and its mini sampling."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.text.span import Span
from fourcorners_bench.retrieval.loader import (
    Answer,
    Question,
    QuestionSet,
    Snippet,
    corpus_text,
    load_set,
    match_run,
    mini_set,
    read_run,
    sample_set,
    set_names,
)
from fourcorners_bench.run_files import run_benchmark, write_lines


def question(query: str, path: str = "s/a.txt", start: int = 0, end: int = 4) -> Question:
    return Question(query, (Snippet(path, Span(start, end)),))


def folder(at: Path) -> Path:
    (at / "benchmarks").mkdir(parents=True)
    (at / "corpus" / "s").mkdir(parents=True)
    (at / "corpus" / "s" / "a.txt").write_bytes(b"LEASE\r\nRent is due.")
    (at / "corpus" / "s" / "unasked.txt").write_text("A plan.", "utf-8")
    snippet = {"file_path": "s/a.txt", "span": [7, 19], "answer": "Rent is due."}
    test = {"query": "Consider the Lease; what is due?", "tags": ["Rent"], "snippets": [snippet]}
    (at / "benchmarks" / "s.json").write_text(json.dumps({"tests": [test]}), "utf-8")
    return at


def test_a_set_is_read_with_the_files_nobody_asks_about(tmp_path: Path) -> None:
    data = folder(tmp_path)
    assert set_names(data) == ["s"]
    whole = load_set(data, "s")
    (only,) = whole.questions
    assert (only.question, only.file_path, only.tags) == ("what is due?", "s/a.txt", ("Rent",))
    assert whole.corpus == ("s/a.txt", "s/unasked.txt")
    assert only.answers[0].span.text_in(corpus_text(data, "s/a.txt")) == "Rent is due."


@pytest.mark.parametrize(
    "content", ["[]", '{"tests": [{"query": "x", "snippets": []}]}', '{"tests": [{}]}', "{"]
)
def test_what_is_no_benchmark_is_told(tmp_path: Path, content: str) -> None:
    data = folder(tmp_path)
    (data / "benchmarks" / "s.json").write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=r"s\.json"):
        load_set(data, "s")


def test_a_set_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="maud") as raised:
        load_set(folder(tmp_path), "maud")
    assert "s" in raised.value.remedy
    with pytest.raises(ConfigError, match="no benchmarks"):
        set_names(tmp_path / "elsewhere")


def test_the_mini_takes_whole_documents_in_the_order_of_their_own_seeds() -> None:
    paths = [f"s/{number}.txt" for number in range(30)]
    questions = tuple(question(f"{path} {at}", path) for path in paths for at in range(3))
    small = mini_set(QuestionSet("s", questions, tuple(paths)), size=7)
    first = sorted(paths, key=lambda path: random.Random(path).random())[:3]
    assert [each.file_path for each in small.questions] == [
        *[first[0]] * 3,
        *[first[1]] * 3,
        first[2],
    ]
    assert (small.name, small.corpus) == ("s-mini", tuple(sorted(first)))


def test_a_sample_is_drawn_by_its_seed_and_stays_in_order() -> None:
    whole = QuestionSet("s", tuple(question(str(at)) for at in range(100)), ("s/a.txt",))
    drawn = sample_set(whole, 10, 1)
    assert drawn == sample_set(whole, 10, 1) != sample_set(whole, 10, 2)
    order = [int(each.query) for each in drawn.questions]
    assert order == sorted(order)
    assert drawn.corpus == whole.corpus
    assert sample_set(whole, None, 0) is whole


def test_a_run_file_holds_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    many = tuple(Snippet("s/é.txt", Span(at, at + 1), 0.5) for at in range(70))
    write_lines(path, [Answer("wer?", many), Answer("none?", ())])
    assert run_benchmark(path) == "retrieval"
    first, second = read_run(path)
    assert first == Answer("wer?", many[:64])
    assert second.snippets == ()
    record = json.loads(path.read_text("utf-8").splitlines()[0])
    assert record["snippets"][0] == {"file_path": "s/é.txt", "span": [0, 1], "score": 0.5}


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"query": "a", "snippets": []}\n{"query": "b", "snippets": [{}]}\n', "utf-8")
    with pytest.raises(ConfigError, match="line 2"):
        read_run(path)


def test_a_missing_line_is_an_error_unless_a_part_is_wanted() -> None:
    one = QuestionSet("one", (question("a"), question("b"), question("a")), ())
    other = QuestionSet("other", (question("c"),), ())
    found = match_run([one, other], [Answer("c", ())])
    assert [(part.name, len(answers)) for part, answers in found] == [("other", 1)]
    first, again = Answer("a", ()), Answer("a", (Snippet("s/a.txt", Span(0, 1)),))
    with pytest.raises(ConfigError, match="1 of the 3"):
        match_run([one], [first, again])
    ((part, answers),) = match_run([one], [first, again], partial=True)
    assert [each.query for each in part.questions] == ["a", "a"]
    assert answers == [first, again]
    with pytest.raises(ConfigError, match="no benchmark asks"):
        match_run([one, other], [Answer("c", ()), Answer("nobody's", ())])
