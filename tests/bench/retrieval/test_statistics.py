"""What a benchmark's sets hold, beside the paper's counts, and which descriptions are alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.text.span import Span
from fourcorners_bench.retrieval.loader import Question, QuestionSet, Snippet
from fourcorners_bench.retrieval.statistics import count_sets, most_alike
from tests.models.fake import HashEncoder


@pytest.fixture
def part(tmp_path: Path) -> QuestionSet:
    names = ("cuad/a.txt", "cuad/b.txt", "cuad/c.txt")
    for name, length in zip(names, (10, 20, 30), strict=True):
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * length, "utf-8")
    described = ("the Lease of Acme", "the Lease of Acme Ltd", "the Loan to Zenith")
    questions = tuple(
        Question(f"Consider {words}; Who pays?", (Snippet(name, Span(0, 5)),))
        for words, name in zip(described, names, strict=True)
    )
    return QuestionSet("cuad", questions, names)


def test_sets_are_counted_beside_the_papers(part: QuestionSet, tmp_path: Path) -> None:
    ours, theirs = count_sets([part], tmp_path)
    assert (ours.documents, ours.characters, ours.questions) == (3, 60, 3)
    assert (theirs.name, theirs.questions, theirs.published) == ("cuad", 4_042, True)


def test_the_most_alike_descriptions_come_first(part: QuestionSet) -> None:
    first, *rest = most_alike([part], HashEncoder(64), 3)
    assert {first.first, first.second} == {"the Lease of Acme", "the Lease of Acme Ltd"}
    assert all(first.cosine > each.cosine for each in rest)
    assert len(rest) == 2
