"""The words beside a value are those that it rests on, without what leads to them."""

from __future__ import annotations

from fourcorners.reports.key_words import evidence_of, key_quotes, key_words, write_days
from fourcorners.review.finding import CellState, Evidence, Finding, RiskAnswer
from fourcorners.text import evidence
from fourcorners.text.span import Span

TEXT = (
    "ARTICLE 15 GENERAL PROVISIONS Section 15.01 Assignment. Neither Party may assign this "
    "Agreement without consent. Any other assignment is void. It ends on 7 March 2024."
)


def found(words: str, score: float) -> Evidence:
    start = TEXT.index(words)
    span = Span(start, start + len(words))
    return Evidence(evidence.quote_span(TEXT, span), span, ("15",), None, score)


WHOLE, END = found(TEXT[: TEXT.index(" It ends")], 0.9), found("It ends on 7 March 2024.", 0.5)
VOID = found("Any other assignment is void.", 0.1).quote


def test_labels_and_headings_are_left_out_and_long_words_are_cut() -> None:
    assert key_words(WHOLE.quote) == (
        "Neither Party may assign this Agreement without consent. Any other assignment is void."
    )
    assert key_words(WHOLE.quote, 43) == "Neither Party may assign this Agreement…"
    assert key_words(END.quote) == END.quote.words
    day = found("7 March 2024", 0.5).quote
    assert key_words(day) == "7 March 2024", "a number is no label where hardly a word follows"


def test_an_answer_rests_on_the_fewest_words() -> None:
    answers = (
        RiskAnswer("May it?", "consent", quotes=(WHOLE.quote,), statement="consent needed"),
        RiskAnswer("Else?", "void", quotes=(VOID,), statement="void otherwise"),
    )
    finding = Finding("d", "p", CellState.FOUND, (END, WHOLE), answers=answers)
    assert key_quotes(finding) == (VOID,)
    assert evidence_of(finding, VOID) is WHOLE
    assert key_quotes(Finding("d", "p", CellState.FOUND, (END, WHOLE))) == (WHOLE.quote,)
    assert key_quotes(Finding("d", "p", CellState.NOT_FOUND)) == ()


def test_a_flag_for_a_date_shows_the_words_with_the_date() -> None:
    finding = Finding(
        "d", "p", CellState.FOUND, (WHOLE, END), reason="The term ended on 2024-03-07."
    )
    assert key_quotes(finding) == (END.quote,)


def test_days_are_written_as_people_write_them() -> None:
    assert write_days("From 2024-03-07 on; 2024-13-07.") == "From 7 March 2024 on; 2024-13-07."
