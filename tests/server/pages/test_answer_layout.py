"""A report is laid out so that the same words are told once."""

from __future__ import annotations

from dataclasses import replace

from fourcorners.research.answer import (
    Answer,
    Citation,
    PreliminaryAnswer,
    Provenance,
    Role,
    Statement,
    Verdict,
    Verification,
)
from fourcorners.server.pages.ask import lay_out_answer
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

WORDS = "Either party may end this lease on six months' notice."
CITED = Citation(Quote(WORDS, Span(0, len(WORDS)), Match.EXACT), "d1", "lease.txt", "clause 7.2")
ENDS = Statement("The lease may be ended.", Role.EVIDENCE, Verification.VERIFIED, quotes=(CITED,))


def laid(*findings: Statement, told: tuple[Statement, ...] = ()) -> Answer:
    return Answer(
        asked="?",
        question="May it be ended, and on what notice?",
        made=Provenance("no language model", "Fourcorners", "2026-01-02T03:04:05+00:00"),
        title="Lease",
        answer=PreliminaryAnswer(Verdict.SAYS, told),
        findings=findings,
    )


def test_what_answers_two_parts_of_a_question_is_told_once() -> None:
    notice = replace(ENDS, part="on what notice")
    found = lay_out_answer(laid(notice, told=(replace(ENDS, part="may it be ended"), notice)))
    assert [each.statement.part for each in found.answer] == ["may it be ended"]
    assert found.findings == ()
    assert len(found.evidence) == 1


def test_the_same_sentence_with_other_words_behind_it_stands() -> None:
    elsewhere = replace(CITED, document="d2", name="annex.txt")
    found = lay_out_answer(
        laid(ENDS, replace(ENDS, quotes=(elsewhere,)), replace(ENDS, problem="unsure"))
    )
    (group,) = found.findings
    assert [each.statement.problem for each in group.sentences] == ["", "", "unsure"]
    assert [[e.number for e in each.evidence] for each in group.sentences] == [[1], [2], [1]]
