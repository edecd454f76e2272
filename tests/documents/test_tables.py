"""Tables of Word files and Excel workbooks, as people and programs make them."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from fourcorners.documents.tables import MAX_COLUMNS, MAX_ROWS, MAX_WORDS, find_tables, read_tables
from fourcorners.errors import InputError
from fourcorners.playbooks.tables import join_tables

ROWS = [("Clause", "Preferred", "Walk-away"), ("Late delivery", "One percent a week", "Nothing")]


def workbook(
    path: Path, rows: Sequence[tuple[Any, ...]], **sheets: Sequence[tuple[Any, ...]]
) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for name, more in sheets.items():
        other = book.create_sheet(name)
        for row in more:
            other.append(row)
    book.save(path)
    return path


def word_file(path: Path, *tables: Sequence[tuple[str, ...]]) -> Path:
    file = docx.Document()
    for rows in tables:
        file.add_paragraph("Our positions:")
        table = file.add_table(len(rows), len(rows[0]))
        for at, row in enumerate(rows):
            for column, words in enumerate(row):
                table.cell(at, column).text = words
    file.save(str(path))
    return path


def test_a_workbook_and_a_word_file_hold_the_same_table(tmp_path: Path) -> None:
    sheets = find_tables(workbook(tmp_path / "a.xlsx", ROWS))
    tables = find_tables(word_file(tmp_path / "a.docx", ROWS))
    assert [each.rows for each in sheets] == [each.rows for each in tables] == [tuple(ROWS)]
    assert read_tables(tmp_path / "a.xlsx") == sheets


def test_empty_rows_columns_and_sheets_are_not_there(tmp_path: Path) -> None:
    spaced = [(None, "Clause", None, "Preferred"), (), (None, "Delay", None, "  "), (None, "Cap")]
    found = find_tables(workbook(tmp_path / "a.xlsx", spaced, Notes=[], Other=[("x",)]))
    assert [each.name for each in found] == ["Sheet", "Other"]
    assert found[0].rows == (("Clause", "Preferred"), ("Delay", ""), ("Cap", ""))
    assert find_tables(word_file(tmp_path / "a.docx", [("", "")], [("x", "y")]))[-1].rows == (
        ("x", "y"),
    )


def test_a_formula_is_its_result_and_never_calculated(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx", [("Clause",), ('=HYPERLINK("http://x.test","y")',), ("=1+1",)]
    )
    assert [row for each in find_tables(path) for row in each.rows] == [("Clause",)]


def test_a_formula_without_a_result_is_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [("Clause", "Preferred"), ("Cap", "=A1&A2"), ("Law", "b")])
    (table,) = find_tables(path)
    assert table.unread == ("the formula in B2",)
    _, left = join_tables([table])
    assert left == ["Sheet: the formula in B2 could not be read"]


def test_merged_cells_have_their_words_once(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [("Clause", "Preferred"), ("Cap", "a"), (None, "b")])
    book = openpyxl.load_workbook(path)
    book["Sheet"].merge_cells("A2:A3")
    book.save(path)
    assert find_tables(path)[0].rows[1:] == (("Cap", "a"), ("", "b"))


@pytest.mark.parametrize(
    "rows",
    [
        [("Clause",), *[(f"Clause {n}",) for n in range(10_000)]],
        [tuple(f"c{n}" for n in range(MAX_COLUMNS + 1))],
        [("Clause",), ("x" * (MAX_WORDS + 1),)],
    ],
    ids=["rows", "columns", "words"],
)
def test_what_is_larger_than_any_such_table_is_refused(
    tmp_path: Path, rows: list[tuple[str, ...]]
) -> None:
    with pytest.raises(InputError) as refused:
        find_tables(workbook(tmp_path / "a.xlsx", rows))
    assert str(tmp_path) not in str(refused.value)
    assert MAX_ROWS < 10_000


@pytest.mark.parametrize("name", ["a.xlsx", "a.docx", "a.csv", "a"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04torn", b"Clause,Preferred\n"])
def test_a_damaged_file_or_another_format_is_refused(
    tmp_path: Path, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError):
        read_tables(tmp_path / name)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path, bomb = workbook(tmp_path / "a.xlsx", ROWS), tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            blown = b"<worksheet>" + b" " * (200 << 20) if "sheet1" in name else old.read(name)
            new.writestr(name, blown)
    with pytest.raises(InputError) as refused:
        read_tables(bomb)
    assert str(tmp_path) not in str(refused.value)


def test_dates_and_truths_of_a_workbook_are_read_as_they_are_shown(tmp_path: Path) -> None:
    day, moment = date(2026, 1, 2), datetime(2026, 1, 2, 9, 30)
    rows = [("Clause", "From", "At", "Hour", "Ours", "Not", "Count"),
            ("Cap", day, moment, time(9, 30), True, False, 46024)]  # fmt: skip
    (table,) = read_tables(workbook(tmp_path / "a.xlsx", rows))
    expected = ("Cap", "2026-01-02", "2026-01-02 09:30", "09:30", "TRUE", "FALSE", "46024")
    assert table.rows[1] == expected
