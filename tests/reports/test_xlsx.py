"""The workbook, read back."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest
from openpyxl.cell.cell import Cell
from openpyxl.workbook.workbook import Workbook

from fourcorners import reports
from fourcorners.reports.workbook import CELL_LIMIT, cell_text
from fourcorners.review.finding import Review
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span


def opened(review: Review, folder: Path) -> Workbook:
    path = folder / "review.xlsx"
    reports.write(review, path)
    return openpyxl.load_workbook(path)


def every_cell(book: Workbook) -> Iterator[Cell]:
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                assert isinstance(cell, Cell)
                yield cell


@pytest.fixture(scope="module")
def book(review: Review, tmp_path_factory: pytest.TempPathFactory) -> Workbook:
    return opened(review, tmp_path_factory.mktemp("book"))


def test_the_sheets_and_their_panes(book: Workbook) -> None:
    assert book.sheetnames == [
        *("Grid", "Findings", "Documents", "Unread", "About"),
        "Fourcorners",
    ]
    assert book["Fourcorners"].sheet_state == "veryHidden"
    assert [book[name].freeze_panes for name in book.sheetnames[:3]] == ["B2", "D2", "B2"]
    assert all(book[name].auto_filter.ref for name in book.sheetnames[:4])
    assert all(sheet.page_setup.orientation == "landscape" for sheet in book.worksheets)
    assert all(sheet.print_title_rows == "$1:$1" for sheet in book.worksheets)


def test_every_cell_of_the_grid_says_its_state_and_links_to_its_evidence(
    book: Workbook, review: Review
) -> None:
    grid, findings = book["Grid"], book["Findings"]
    heads = [cell.value for cell in grid[1]]
    assert len(set(heads)) == len(heads)
    for i, document in enumerate(review.documents):
        for j, head in enumerate(review.columns):
            finding = review.cell(document.id, head.id)
            cell = grid.cell(i + 2, j + 3)
            said = str(cell.value)
            assert said.startswith(
                {"found": "Found", "not_found": "Not found", "failed": "Failed"}[finding.state]
            )
            if finding.severity != "none":
                assert finding.severity in said.splitlines()[0]
            assert cell.hyperlink is not None
            sheet, place = str(cell.hyperlink.location).split("!")
            assert sheet == "'Findings'"
            target = findings[place]
            assert target.value == document.name
            assert findings.cell(target.row, 3).value == head.name


def test_every_quote_stands_in_findings_with_its_place(book: Workbook, review: Review) -> None:
    rows = list(book["Findings"].iter_rows(min_row=2, values_only=True))
    by_place = {(row[0], row[2], row[8]): row for row in rows}
    quotes = 0
    for document in review.documents:
        for head in review.columns:
            for evidence in review.cell(document.id, head.id).evidence:
                assert evidence.quote.span is not None
                row = by_place[document.name, head.name, evidence.quote.span.start]
                assert row[5] == evidence.quote.words
                assert row[9] == evidence.quote.span.end
                quotes += 1
    assert quotes > 40


def test_the_review_state_is_chosen_from_a_list(book: Workbook) -> None:
    validation = book["Findings"].data_validations.dataValidation[0]
    assert validation.formula1 == '"Proposed,Confirmed,Corrected,Rejected,Second look"'
    assert str(validation.sqref).startswith("N2:N")


def test_what_was_not_read_is_as_visible_as_a_finding(book: Workbook, review: Review) -> None:
    names = [book["Grid"].cell(row, 1).value for row in range(1, book["Grid"].max_row + 1)]
    assert names[-2:] == [file.path for file in review.unread]
    unread = list(book["Unread"].iter_rows(min_row=2, values_only=True))
    assert len(unread) == 3
    assert unread[2][1] == "No text on page 29, 30: only an image."


def test_no_cell_is_a_formula_and_hidden_characters_show(
    hostile_review: Review, tmp_path: Path
) -> None:
    book = opened(hostile_review, tmp_path)
    assert all(cell.data_type in {"s", "n"} for cell in every_cell(book))
    assert not any(
        cell.data_type == "n" and cell.value is not None and cell.column_letter not in "IJK"
        for cell in every_cell(book)
    )
    assert book["Findings"]["F2"].value == show_invisible(hostile_review.documents[0].name)


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "＝1"])
def test_a_formula_stays_text_when_it_is_edited(review: Review, tmp_path: Path, start: str) -> None:
    renamed = replace(review.documents[0], name=start)
    book = opened(replace(review, documents=(renamed, *review.documents[1:])), tmp_path)
    cell = book["Documents"]["A2"]
    assert (cell.data_type, cell.value) == ("s", show_invisible(start))
    assert cell.quotePrefix


def test_a_text_too_long_for_a_cell_says_so_and_where_to_read_it(
    review: Review, tmp_path: Path
) -> None:
    long = "𝔏 word " * 9_000
    document = replace(review.documents[0], text=long)
    quote = Quote(long, Span(0, len(long)), Match.EXACT)
    findings = tuple(
        replace(
            finding,
            searched=None,
            evidence=tuple(
                replace(each, quote=quote, clause=Span(0, 5)) for each in finding.evidence
            ),
        )
        if finding.document == document.id
        else finding
        for finding in review.findings
    )
    book = opened(
        replace(review, documents=(document, *review.documents[1:]), findings=findings), tmp_path
    )
    value = str(book["Findings"]["F2"].value)
    assert len(value.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert value.endswith(
        f"[…cut: 63,000 characters in all; read them at characters 0–63,000 of {document.name}]"
    )


def test_cell_text_cuts_between_characters() -> None:
    assert cell_text("a" * CELL_LIMIT, "x") == "a" * CELL_LIMIT
    cut = cell_text("𝔏" * CELL_LIMIT, "x")
    assert len(cut.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert cut.startswith("𝔏" * 1_000)


def test_the_file_is_well_formed_xml(hostile_review: Review, tmp_path: Path) -> None:
    path = tmp_path / "review.xlsx"
    reports.write(hostile_review, path)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                ElementTree.fromstring(archive.read(name))  # noqa: S314 - our own file
