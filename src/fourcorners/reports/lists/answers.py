"""The table that answers a question to many contracts, as an Excel workbook: a row for each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fourcorners.errors import ConfigError
from fourcorners.reports.workbook import write_rows
from fourcorners.research.answer import Answer, ContractRow

_HEADS: Final = (
    ("Contract", 40), ("Answer", 13), ("Value", 26), ("Words", 80), ("Clause", 34),
    ("Document", 18), ("Start", 9), ("End", 9),
)  # fmt: skip


def write_answer_table(answer: Answer, path: Path) -> None:
    """Write the rows of an answer; every word of a contract is a string cell.

    Raises:
        ConfigError: If the question was not put to each contract, or the file cannot be written.
    """
    if not answer.rows:
        raise ConfigError(
            "this answer has no table of contracts.",
            remedy="Ask what each contract of a collection says, or choose another format.",
        )
    facts = (
        ("Question", answer.question),
        ("Answer", answer.answer.line),
        ("Contracts", f"{len(answer.rows):,}"),
        ("Prepared by", answer.made.by),
        ("Made", answer.made.created),
        ("Start, End", "Where the words are in the text of the document, in characters."),
    )
    write_rows(path, "Answers", _HEADS, map(_row, answer.rows), facts)


def _row(each: ContractRow) -> tuple[str, ...]:
    answered = (each.title, each.state.value, each.value)
    if each.quote is None:
        return (*answered, "", "", each.document, "", "")
    words = " … ".join(cited.quote.words for cited in (*each.leads, each.quote))
    span = each.quote.quote.span
    place = (str(span.start), str(span.end)) if span else ("", "")
    return (*answered, words, each.quote.where, each.quote.document, *place)
