"""The audit of references and terms: its verdicts, and the code's score by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.outline.build import build_outline
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.outline.references import (
    ReferenceVerdict,
    TermVerdict,
    is_right,
    read_verdicts,
    score_references,
    score_terms,
    text_document,
)

AUDIT = Path(__file__).parent / "audit"
TEXT = """1. GOODS

1.1 "Goods" means oats. Section 2.1 applies, and Section 9.9 does not.

2. SUPPLY

2.1 Orders. See Section 409A of the Code and the word "oats" in quotation marks.

2.2 Delivery. Miller shall deliver the Goods to the mill gate.

3. TERM

3.1 Term. It runs for three years from its date, unless ended.
"""
NAME = "a.txt"


def reference(words: str, label: str, *targets: int | None) -> ReferenceVerdict:
    start = TEXT.index(words)
    return ReferenceVerdict(NAME, start, start + len(words), label, targets)


RIGHT = [
    reference("Section 2.1", "internal", TEXT.index("2.1 Orders")),
    reference("Section 9.9", "internal", None),
    reference("Section 409A", "external"),
]


def test_right_verdicts() -> None:
    outline = build_outline(text_document(NAME, TEXT))
    assert all(is_right(outline, verdict) for verdict in RIGHT)


def test_wrong_verdicts() -> None:
    outline = build_outline(text_document(NAME, TEXT))
    elsewhere = (TEXT.index("3.1 Term"),)
    assert not is_right(outline, replace(RIGHT[0], targets=elsewhere))
    assert not is_right(outline, replace(RIGHT[0], targets=(None,)))
    assert not is_right(outline, replace(RIGHT[0], label="none", targets=()))
    assert not is_right(outline, replace(RIGHT[1], targets=elsewhere))
    assert not is_right(outline, replace(RIGHT[2], label="internal", targets=(None,)))


def test_scores() -> None:
    wrong = replace(RIGHT[0], targets=(None,))
    figures = score_references([*RIGHT, wrong], {NAME: TEXT})
    assert figures["internal"] == [2, 3]
    assert figures["external"] == [1, 1]
    assert figures["internal_right"] == pytest.approx(2 / 3, abs=1e-4)


def test_scores_of_terms() -> None:
    def term(words: str, label: str) -> TermVerdict:
        start = TEXT.index(words)
        return TermVerdict(NAME, start, start + len(words), label)

    verdicts = [
        term('"Goods"', "definition"),
        term('"oats"', "definition"),
        term("Orders", "none"),
        term("Delivery", "other"),
    ]
    figures = score_terms(verdicts, {NAME: TEXT})
    assert (figures["both"], figures["missed"], figures["invented"]) == (1, 1, 0)
    assert figures["recall"] == 0.5


def test_a_damaged_verdict_is_named(tmp_path: Path) -> None:
    path = tmp_path / "terms.jsonl"
    path.write_text('{"name": "a", "start": 0, "end": 1, "label": "none"}\n{"name": 3}\n')
    with pytest.raises(ConfigError, match="line 2"):
        read_verdicts(path, TermVerdict)


def test_the_audit_is_whole() -> None:
    references = read_verdicts(AUDIT / "references.jsonl", ReferenceVerdict)
    terms = read_verdicts(AUDIT / "terms.jsonl", TermVerdict)
    assert sum(verdict.label == "internal" for verdict in references) >= 300
    assert sum(verdict.label == "definition" for verdict in terms) >= 300
    assert {verdict.label for verdict in references} == {"internal", "external", "none"}
    assert all(bool(v.targets) == (v.label == "internal") for v in references)


@pytest.mark.corpus
@pytest.mark.slow
def test_the_audit_is_passed(corpus: Path) -> None:
    texts = {contract.name: contract.text for contract in cuad.load_cuad(corpus / "cuad")}
    references = read_verdicts(AUDIT / "references.jsonl", ReferenceVerdict)
    terms = read_verdicts(AUDIT / "terms.jsonl", TermVerdict)
    right = score_references(references, texts)["internal_right"]
    assert isinstance(right, float)
    assert right >= 0.95
    figures = score_terms(terms, texts)
    assert figures["recall"] >= 0.95  # type: ignore[operator]
    assert figures["precision"] >= 0.98  # type: ignore[operator]
