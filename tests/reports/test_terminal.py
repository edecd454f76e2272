"""The grid in the terminal, at several widths."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from fourcorners.reports.grid import Grid
from fourcorners.reports.terminal import column_codes, print_review
from fourcorners.review.finding import Annotation, ColumnHeader, Outlier, Review, ReviewState
from fourcorners.text.span import Span


def printed(review: Review, width: int, *, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="\n")
    print_review(review, Console(file=out, width=width, color_system=None))
    out.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160, 200, 260])
def test_every_row_is_there_and_no_line_is_too_long(review: Review, width: int) -> None:
    said = printed(review, width)
    assert all(cell_len(line.rstrip()) <= width for line in said.splitlines())
    for called in Grid(review).titles.values():
        assert called.title[:12] in said or called.detail[:12] in said
    symbols = "".join(re.findall(r"[◆▲▼●·!]", said.split("◆ high  ▲ medium", 1)[0]))
    grid = symbols[: len(review.documents) * len(review.columns) + 2 * len(review.columns)]
    assert len(grid) == 14 * 17
    assert grid.count("!") == 2 + 2 * 17


@pytest.mark.parametrize(("width", "headers"), [(60, 2), (80, 1), (120, 1), (200, 1)])
def test_columns_break_into_blocks_only_where_they_must(
    review: Review, width: int, headers: int
) -> None:
    assert len(re.findall(r"^Contract ", printed(review, width), re.MULTILINE)) == headers


def test_wide_terminals_spell_the_severity(review: Review) -> None:
    assert re.search(r"◆✓ high +▼✓ low", printed(review, 230))


def test_failures_and_unread_files_come_with_their_remedies(review: Review) -> None:
    said = " ".join(printed(review, 100).split())
    for file in review.unread:
        assert f"{file.reason} {file.remedy}" in said
    for finding in review.findings:
        assert finding.error in said
        assert finding.remedy in said
    assert "No text on pages 29, 30" in said


def test_red_flags_are_quoted_with_their_place(review: Review) -> None:
    said = " ".join(printed(review, 200).split())
    assert "Red flags 6 high, 7 medium, 4 low" in said
    assert "“The Manufacturer’s consent is needed before Larch’s shares are sold" in said
    assert "13.1 Ownership, page 14" in said
    assert "5 more are in the report." in said


def test_a_terminal_without_unicode_gets_letters(review: Review) -> None:
    review = replace(review, title="Project Østerby")
    said = printed(review, 100, encoding="latin-1")
    assert "H high  M medium  R to be read  L low  + found  . not found  ! failed" in said
    assert "H Change of control  " in said
    assert "\"The Manufacturer's consent is needed" in said
    assert "Østerby" in said
    assert "Østerby" not in printed(review, 100, encoding="ascii")


def test_a_hostile_review_moves_no_cursor_and_is_no_markup(hostile_review: Review) -> None:
    said = printed(hostile_review, 90)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u200b]", said)
    assert "⟦U+202E⟧" in said
    assert all(cell_len(line.rstrip()) <= 90 for line in said.splitlines())


def test_codes_are_short_and_unlike() -> None:
    names = ["Change of control", "Cap on costs", "Assignment", "Assistance", "", "Cost of credit"]
    made = column_codes([ColumnHeader(name, name, "") for name in names])
    assert made == ["Coc", "Coc2", "Assi", "Ass2", "?", "Coc3"]


@pytest.mark.parametrize(
    ("state", "symbol", "letter", "words"),
    [
        (ReviewState.CONFIRMED, "✓", "c", "confirmed"),
        (ReviewState.CORRECTED, "✎", "e", "corrected"),
        (ReviewState.REJECTED, "✗", "x", "rejected"),
        (ReviewState.SECOND_LOOK, "?", "?", "needs a second look"),
    ],
)
@pytest.mark.parametrize("width", [60, 120, 230])
def test_what_people_said_stands_beside_each_symbol(
    review: Review, state: ReviewState, symbol: str, letter: str, words: str, width: int
) -> None:
    remark = Annotation("Ann", "2025-02-18T09:00:00+00:00", state, comment="ask them")
    told = replace(
        review, findings=tuple(replace(f, review=state, remarks=(remark,)) for f in review.findings)
    )
    said = printed(told, width)
    assert f"{symbol} {words}" in said
    for mark in "●·":
        assert f"{mark}{symbol}" in said
    assert all(cell_len(line.rstrip()) <= width for line in said.splitlines())
    plain = printed(told, width, encoding="latin-1")
    assert f"{letter} {words}" in plain
    assert f"+{letter}" in plain
    looked = state is ReviewState.SECOND_LOOK
    assert ("Needs a second look  204" in said) == looked
    assert ("Ann: ask them" in said) == looked


def test_states_are_explained_only_where_there_are_any(review: Review) -> None:
    plain = replace(
        review, findings=tuple(replace(f, review=ReviewState.PROPOSED) for f in review.findings)
    )
    said = printed(plain, 120)
    assert "confirmed" not in said
    assert "✓" not in said


def test_clauses_unlike_the_others_are_listed(review: Review) -> None:
    finding = replace(review.findings[0], outlier=Outlier(0.7, review.documents[3].id, Span(0, 5)))
    said = printed(replace(review, findings=(finding, *review.findings[1:])), 120)
    assert "Worded unlike the others  1" in said
    nearest = Grid(review).name(review.documents[3])
    assert f"Most like it: {nearest}" in " ".join(said.split())
