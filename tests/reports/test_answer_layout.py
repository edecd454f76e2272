"""A report is laid out so that the same words are told once."""

from __future__ import annotations

from dataclasses import replace

from fourcorners.reports.answer_layout import lay_out_answer
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


def test_running_text_names_words_by_their_numbers_and_shows_none() -> None:
    reason = replace(ENDS, text="Clause 7.2 gives the right.")
    answer = replace(laid(ENDS), summary=(reason,), reasoning=((reason, ENDS),))
    found = lay_out_answer(answer)
    ((first, second),) = found.reasoning
    assert [e.number for e in (*first.evidence, *second.evidence)] == [1, 1]
    assert [each.new for each in (first, second, *found.summary)] == [(), (), ()]
    assert [e.number for group in found.findings for e in group.sentences[0].new] == [1]


def test_the_same_sentence_with_other_words_behind_it_stands() -> None:
    elsewhere = replace(CITED, document="d2", name="annex.txt")
    found = lay_out_answer(
        laid(ENDS, replace(ENDS, quotes=(elsewhere,)), replace(ENDS, problem="unsure"))
    )
    (group,) = found.findings
    assert [each.statement.problem for each in group.sentences] == ["", "", "unsure"]
    assert [[e.number for e in each.evidence] for each in group.sentences] == [[1], [2], [1]]


def test_words_that_other_quotes_have_are_cited_by_their_numbers() -> None:
    def cite(start: int, end: int) -> Citation:
        return replace(CITED, quote=Quote(WORDS[start:end], Span(start, end), Match.EXACT))

    end, middle = len(WORDS), WORDS.index(" on ")
    parts, whole, more = (cite(0, middle), cite(middle + 1, end)), cite(0, end), cite(9, middle + 9)
    first = [replace(ENDS, text=f"{n}", quotes=(each,)) for n, each in enumerate(parts)]
    later = [replace(ENDS, text=name, quotes=(whole,)) for name in ("Both.", "It says:")]
    found = lay_out_answer(laid(*later, replace(ENDS, quotes=(more,)), told=tuple(first)))
    (group,) = found.findings
    assert [each.statement.text for each in group.sentences] == ["Both.", ENDS.text]
    assert [[e.number for e in each.evidence] for each in group.sentences] == [[1, 2], [1, 2]]
