"""The Excel report read back, as people and programs leave it."""

from __future__ import annotations

import io
import random
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils import get_column_letter

from fourcorners import reports
from fourcorners.errors import ConfigError, InputError
from fourcorners.reports.workbook_findings import Column
from fourcorners.reports.workbook_reading import parse, read
from fourcorners.review.annotations import finding_fingerprint
from fourcorners.review.finding import Review, ReviewState

Edit = Callable[[Any, dict[str, int]], None]


@pytest.fixture(scope="module")
def written(review: Review, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("written") / "review.xlsx"
    reports.write(review, path)
    return path


def edited(written: Path, folder: Path, edit: Edit) -> Path:
    """Change the sheet Findings as openpyxl does, and save it."""
    book = openpyxl.load_workbook(written)
    sheet = book["Findings"]
    edit(sheet, {str(cell.value): cell.column or 0 for cell in sheet[1]})
    book.save(folder / "edited.xlsx")
    return folder / "edited.xlsx"


def rezipped(written: Path, path: Path, change: Callable[[str, bytes], bytes]) -> Path:
    with zipfile.ZipFile(written) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return path


def test_every_row_says_whose_it_is_and_what_was_seen(written: Path, review: Review) -> None:
    found = read(written)
    assert found.problems == ()
    by_cell = {(each.document, each.provision): each for each in found.edits}
    assert by_cell.keys() == {(each.document, each.provision) for each in review.findings}
    for finding in review.findings:
        row = by_cell[finding.document, finding.provision]
        assert row.fingerprint == finding_fingerprint(finding)
        assert (row.state, row.value, row.comment, row.annotation_count) == (
            finding.review,
            "",
            "",
            0,
        )


def test_a_hostile_review_comes_back_whole(hostile_review: Review, tmp_path: Path) -> None:
    path = tmp_path / "hostile.xlsx"
    reports.write(hostile_review, path)
    found = parse(path)
    assert {(each.document, each.provision) for each in found.edits} == {
        (each.document, each.provision) for each in hostile_review.findings
    }


def test_rows_may_be_edited_sorted_and_taken_out(written: Path, tmp_path: Path) -> None:
    before = parse(written).edits

    def edit(sheet: Any, at: dict[str, int]) -> None:
        sheet.cell(2, at["Review state"]).value = "second LOOK "
        sheet.cell(2, at["Corrected value"]).value = '=HYPERLINK("http://x","y") & <b>'
        sheet.cell(2, at["Corrected value"]).data_type = "s"
        sheet.cell(3, at["New comment"]).value = "Zwölf\nMonate, “mind.”"
        sheet.cell(3, at["Reviewer"]).value = "Ann"
        sheet.cell(4, at["Corrected value"]).value = 60
        sheet.delete_rows(5, 3)
        rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
        random.Random(3).shuffle(rows)
        for number, row in enumerate(rows, start=2):
            for column, value in enumerate(row, start=1):
                cell = sheet.cell(number, column)
                cell.value = value
                if isinstance(value, str):
                    cell.data_type = "s"

    found = parse(edited(written, tmp_path, edit))
    assert found.problems == ()
    assert len(found.edits) == len(before) - 3
    said = {
        (each.document, each.provision): each for each in found.edits if each.value or each.comment
    }
    first, second, third = (said[each.document, each.provision] for each in before[:3])
    assert first.state is ReviewState.SECOND_LOOK
    assert first.value == '=HYPERLINK("http://x","y") & <b>'
    assert (second.comment, second.reviewer) == ("Zwölf\nMonate, “mind.”", "Ann")
    assert third.value == "60"


def test_columns_may_be_moved_and_added(written: Path, tmp_path: Path) -> None:
    def edit(sheet: Any, at: dict[str, int]) -> None:
        sheet.insert_cols(2)
        sheet.cell(1, 2).value = "Our number"
        sheet.cell(2, 2).value = "x"
        sheet.cell(2, at["New comment"] + 1).value = "moved"

    found = parse(edited(written, tmp_path, edit))
    assert [each.comment for each in found.edits if each.comment] == ["moved"]


def test_a_formula_gives_what_it_last_showed(written: Path, tmp_path: Path) -> None:
    def edit(sheet: Any, at: dict[str, int]) -> None:
        sheet.cell(2, at["New comment"]).value = '=CONCATENATE("a","b")'

    path = edited(written, tmp_path, edit)
    assert all(each.comment == "" for each in parse(path).edits), "nothing was calculated"

    def shown(_: str, data: bytes) -> bytes:
        return data.replace(b"</f><v></v>", b"</f><v>ab</v>").replace(
            b"</f><v />", b"</f><v>ab</v>"
        ).replace(b"</f><v/>", b"</f><v>ab</v>")  # fmt: skip

    path = rezipped(path, tmp_path / "shown.xlsx", shown)
    assert [each.comment for each in parse(path).edits if each.comment] == ["ab"]


def test_rows_that_lost_their_keys_or_say_nonsense_are_told(written: Path, tmp_path: Path) -> None:
    def edit(sheet: Any, at: dict[str, int]) -> None:
        sheet.cell(2, at["Review state"]).value = "perhaps"
        sheet.cell(3, at["Remarks seen"]).value = "-1"
        last = sheet.max_row + 1
        sheet.cell(last, at["Document"]).value = "new.docx"
        sheet.cell(last, at["Review state"]).value = "Confirmed"
        sheet.cell(last + 1, at["Document"]).value = "only a note below the table"

    problems = parse(edited(written, tmp_path, edit)).problems
    assert [each.row for each in problems[:2]] == [2, 3]
    assert "'perhaps' is no state of the list" in problems[0].reason
    assert problems[1].reason == "Its hidden columns were changed."
    assert problems[2].document == "new.docx"
    assert len(problems) == 3


@pytest.mark.parametrize("name", [each.value for each in Column])
def test_a_report_without_a_column_is_refused(written: Path, tmp_path: Path, name: str) -> None:
    path = edited(written, tmp_path, lambda sheet, at: sheet.delete_cols(at[name]))
    with pytest.raises(ConfigError, match=f"no column '{name}'"):
        parse(path)


def test_another_workbook_is_refused(tmp_path: Path) -> None:
    openpyxl.Workbook().save(tmp_path / "other.xlsx")
    with pytest.raises(ConfigError, match="no report that can be read back"):
        read(tmp_path / "other.xlsx")
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path / "missing.xlsx")


def test_files_that_are_no_workbooks_are_refused(tmp_path: Path, written: Path) -> None:
    whole = written.read_bytes()
    for number, data in enumerate((b"", b"PK\x03\x04", b"=1+1", whole[: len(whole) // 2])):
        path = tmp_path / f"{number}.xlsx"
        path.write_bytes(data)
        with pytest.raises(InputError, match="damaged"):
            read(path)


def test_a_bomb_is_refused_before_it_unpacks(written: Path, tmp_path: Path) -> None:
    def inflate(name: str, data: bytes) -> bytes:
        return b" " * (300 << 20) if name == "xl/sharedStrings.xml" else data

    path = rezipped(written, tmp_path / "bomb.xlsx", inflate)
    assert path.stat().st_size < 2 << 20
    with pytest.raises(InputError, match="unpacks to far more"):
        read(path)


def test_entities_are_not_resolved(written: Path, tmp_path: Path) -> None:
    declared = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'

    def declare(name: str, data: bytes) -> bytes:
        head, mark, rest = data.partition(b"?>\n")
        return head + mark + declared + rest if name.endswith("sharedStrings.xml") else data

    with pytest.raises(InputError, match="document type"):
        read(rezipped(written, tmp_path / "entity.xlsx", declare))


def test_rich_and_inline_texts_are_their_characters(written: Path, tmp_path: Path) -> None:
    rich = b"<si><r><t>Con</t></r><r><t>firmed</t></r><rPh><t>reading</t></rPh></si>"

    def change(_: str, data: bytes) -> bytes:
        return data.replace(b"<si><t>Confirmed</t></si>", rich)

    path = rezipped(written, tmp_path / "rich.xlsx", change)
    assert parse(path).edits == parse(written).edits
    assert any(each.state is ReviewState.CONFIRMED for each in parse(path).edits)


def test_random_damage_never_does_more_than_an_error(written: Path, tmp_path: Path) -> None:
    chance = random.Random(11)
    whole = written.read_bytes()
    for number in range(25):
        data = bytearray(whole)
        for _ in range(12):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path = tmp_path / f"{number}.xlsx"
        path.write_bytes(data)
        try:
            parse(path)
        except (ConfigError, InputError):
            continue


def test_what_libreoffice_saves_can_be_read(written: Path, tmp_path: Path) -> None:
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")

    def edit(sheet: Any, at: dict[str, int]) -> None:
        sheet.cell(2, at["Review state"]).value = "Rejected"
        sheet.cell(2, at["New comment"]).value = "line one\nline two"

    path = edited(written, tmp_path, edit)
    before = parse(path)
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    subprocess.run(
        [office, profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML",
         "--outdir", str(tmp_path / "out"), str(path)],
        check=True, capture_output=True, timeout=180,
    )  # fmt: skip
    if not (tmp_path / "out" / path.name).exists():
        pytest.skip("LibreOffice is installed without Calc")
    after = parse(tmp_path / "out" / path.name)
    assert after.edits == before.edits
    assert after.problems == ()


def test_the_hidden_parts_are_hidden(written: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(written.read_bytes()))
    sheet = book["Findings"]
    heads = {str(cell.value): get_column_letter(cell.column or 0) for cell in sheet[1]}
    letters = [heads[name.value] for name in list(Column)[4:]]
    assert sheet.column_dimensions[letters[0]].hidden
    assert (sheet.column_dimensions[letters[0]].max or 0) >= 24
    assert sheet[f"{heads['Corrected value']}2"].number_format == "@"
