"""Questions of yes or no that no head was learned for: the reader of clauses answers them."""

from __future__ import annotations

from collections.abc import Mapping

from fourcorners.models.reader.reader import Answer, Reader, Reading
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.models.verdict_reader.reader import Verdict
from fourcorners.text.span import Span

AROUND = 350  # characters before and after the marked words that are read, as trained


def read_window(clause: MarkedClause) -> Span:
    """Return the part of a clause that is read."""
    start = max(clause.clause.start, clause.marked.start - AROUND)
    return Span(start, min(clause.clause.end, clause.marked.end + AROUND))


def read_asked(
    reader: Reader, questions: Mapping[str, str], clause: MarkedClause
) -> dict[str, Verdict]:
    """Return a verdict on each question (words by id): `yes`, `no`, `depends` or `none`.

    "It depends" says something, so that a yes beside it stays open; it is never asserted.

    Raises:
        ModelError: If a file of the reader is missing or damaged.
    """
    readings = reader.read(read_window(clause).text_in(clause.text), list(questions.values()))
    return {name: _verdict(reader, each) for name, each in zip(questions, readings, strict=True)}


def _verdict(reader: Reader, reading: Reading) -> Verdict:
    return Verdict(
        reading.answer.value,
        reading.probability,
        says=reading.answer is not Answer.NONE,
        is_asserted=reader.asserts(reading),
    )
