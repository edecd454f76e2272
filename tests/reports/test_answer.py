"""The report to a question, in each format."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from fourcorners.errors import ConfigError
from fourcorners.reports.answer import answer_report, answer_summary, status_of, write_answer
from fourcorners.reports.tree import FactList, Run
from fourcorners.reports.writers.markdown import escape_markdown, to_markdown
from fourcorners.research.answer import (
    Answer,
    Citation,
    ContractRow,
    ExternalStatement,
    Gap,
    PreliminaryAnswer,
    Provenance,
    Role,
    RowState,
    Source,
    Statement,
    StatementCounts,
    Step,
    Verdict,
    Verification,
)
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

EVIL = "# <b>Fees</b> *due* [x](javascript:alert(1))\n1. `rm`"


def made(**changed: object) -> Answer:
    cited = Citation(Quote(EVIL, Span(0, len(EVIL)), Match.EXACT), "d1", "lease.txt", "clause 7.2")
    stands = Statement("The fees are due.", Role.EVIDENCE, Verification.VERIFIED, quotes=(cited,))
    falls = Statement("All is free.", Role.EVIDENCE, Verification.UNVERIFIED,
                      claims=("free of all",),
                      problem="it does not stand there")  # fmt: skip
    values: dict[str, object] = {
        "asked": "What is due?",
        "question": "What is due under the lease?",
        "made": Provenance("fake:model", "Fourcorners", "2026-01-02T03:04:05+00:00"),
        "title": "Fees",
        "answer": PreliminaryAnswer(Verdict.DEPENDS, (stands,), 0.5, "half sure"),
        "assumptions": ("Asked for the tenant.",),
        "findings": (stands, falls),
        "gaps": (Gap("The rate is missing.", searched="one contract"),),
        "next_questions": ("Which rate?",),
        "reckonings": ("2024-03-01 + 90 days = 2024-05-30 (Thursday)",),
        "not_found": ("clause: 14: There is no clause “14” in lease.txt.",),
        "sources": (Source("d1", "lease.txt", "room/lease.txt"),),
        "counts": StatementCounts(2, 1, 3),
        "record": (Step("interrogator", 1, "draft", calls=1, tokens_in=10, tokens_out=5),),
    }
    return Answer(**{**values, **changed})  # type: ignore[arg-type]


def test_computed_values_and_what_was_not_found_are_shown_with_what_it_cost() -> None:
    text = to_markdown(answer_report(made()))
    assert "Calculated" in text
    assert "90 days = 2024-05-30" in text.replace("\\", "")
    assert "Searched for, not found" in text
    assert "There is no clause “14” in lease.txt" in text
    total = next(line for line in text.splitlines() if line.startswith("| Total"))
    assert [cell.strip() for cell in total.split("|")][4:7] == ["1", "15", "0.0000"]


def test_markdown_reads_nothing_in_a_contract_as_markup() -> None:
    text = to_markdown(answer_report(made()))
    assert "<b>" not in text
    assert not re.search(r"(?<!\\)\]\(", text)
    assert not re.search(r"^> #", text, re.MULTILINE)
    assert "**not verified**" in text
    assert "3 left out" in text
    assert escape_markdown("1. one") == "1\\. one"


def test_what_was_asked_is_shown_before_what_was_understood() -> None:
    shown = to_markdown(answer_report(made()))
    assert shown.index("What is due?") < shown.index("What is due under the lease?")
    assert "Understood as" in shown
    first = answer_summary(replace(made(), question="What is due?"))[0]
    assert first == FactList((("Question", (Run("What is due?"),)),))


def test_outside_sources_stand_in_a_section_of_their_own() -> None:
    outside = ExternalStatement("An Act says so.", "the words", "An Act", "s 19", "2026-01-01")
    report = answer_report(made(external=(outside,)))
    titles = [section.title for section in report.sections]
    assert "Outside of the contracts" in titles
    assert "Outside of the contracts" not in [s.title for s in answer_report(made()).sections]


def test_why_it_ended_early_is_told() -> None:
    assert "Ended before it was done: no money" in status_of(made(stopped="no money"))


@pytest.mark.parametrize("suffix", [".md", ".html", ".docx", ".pdf", ".json"])
def test_every_format_is_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"answer{suffix}"
    write_answer(made(), path)
    content = path.read_bytes()
    assert len(content) > 500
    if suffix == ".html":
        assert b"<b>Fees" not in content
        assert b"&lt;b&gt;Fees" in content
    if suffix == ".json":
        assert Answer.from_json(content) == made()


def test_the_table_of_contracts_is_text_in_a_workbook(tmp_path: Path) -> None:
    words = '=HYPERLINK("http://evil.example","x")'
    lead = Citation(Quote("The Tenant:", Span(0, 11), Match.EXACT), "d1", "lease.txt", "clause 7")
    cited = replace(lead, quote=Quote(words, Span(20, 20 + len(words)), Match.EXACT))
    rows = (
        ContractRow("d1", "+Lease", RowState.YES, "=1+1", cited, leads=(lead,)),
        ContractRow("d2", "Loan", RowState.SILENT),
        ContractRow("d3", "@Deed", RowState.NO, "", replace(cited, document="d4", where="-1")),
    )
    path = tmp_path / "answer.xlsx"
    with pytest.raises(ConfigError, match="no table"):
        write_answer(made(), path)
    assert not path.exists()
    write_answer(made(rows=rows, question="=cmd"), path)
    book = openpyxl.load_workbook(path)
    sheet = book["Answers"]
    assert [cell.value for cell in sheet[2]] == [
        "+Lease", "yes", "=1+1", f"The Tenant: … {words}", "clause 7", "d1", "20", "57",
    ]  # fmt: skip
    assert [cell.value for cell in sheet[3]][:3] == ["Loan", "not said", ""]
    assert sheet[4][5].value == "d4"  # the document of the words: an amendment
    cells = [cell for each in book.worksheets for row in each.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value is not None} == {"s"}
    risky = [cell for cell in cells if str(cell.value).startswith(("=", "+", "-", "@"))]
    assert len(risky) == 6
    assert all(cell.quotePrefix for cell in risky)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        write_answer(made(), tmp_path / "answer.txt")


def test_an_answer_of_an_earlier_version_opens_without_the_number_of_its_model() -> None:
    kept = json.loads(made(answer=PreliminaryAnswer(Verdict.YES, (), 0.8, "before")).to_json())
    for name in ("reasoning", "directions"):
        del kept[name]
    kept["answer"]["because"] = "by the model's own account"
    opened = Answer.from_json(json.dumps(kept))
    assert (opened.reasoning, opened.answer.confidence) == ((), 0.0)
    assert "%" not in to_markdown(answer_report(opened))


def test_one_statement_is_not_called_statements_and_a_missing_path_leaves_no_brackets() -> None:
    answer = made(counts=StatementCounts(1), sources=(Source("d1", "lease.txt"),))
    assert status_of(answer) == "Statements: 1 with verified quotes, 0 unverified."
    assert "()" not in to_markdown(answer_report(answer))
