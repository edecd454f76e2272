"""Contracts of a family are together in every export, and say what they are to each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from docx import Document

from fourcorners import reports
from fourcorners.reports.chapters.material import ReportMaterial
from fourcorners.reports.chapters.red_flags import group_flags
from fourcorners.reports.grid import Grid
from fourcorners.reports.send import write_report
from fourcorners.reports.tree import ReportKind
from fourcorners.review.finding import Review, Severity
from fourcorners.search.graph.family import FamilyLink, FamilyRelation, group_families


@pytest.fixture
def family(review: Review) -> Review:
    """The review with its third contract as an amendment of the second."""
    second, third = review.documents[1:3]
    link = FamilyLink(third.id, second.id, FamilyRelation.AMENDMENT, "")
    rows = [replace(each, family=link if each is third else None) for each in review.documents]
    return replace(review, documents=tuple(rows))


def test_members_follow_their_head_at_the_place_of_the_first() -> None:
    def link(document: str, head: str) -> FamilyLink:
        return FamilyLink(document, head, FamilyRelation.AMENDMENT, "")

    links = {"a": link("a", "d"), "c": link("c", "d"), "x": link("x", "absent")}
    assert group_families("abcdx", links, str) == ["d", "a", "c", "b", "x"]


def test_the_workbook_folds_a_family(family: Review, tmp_path: Path) -> None:
    path = tmp_path / "review.xlsx"
    reports.write(family, path)
    book = openpyxl.load_workbook(path)
    grid, listed = book["Grid"], book["Documents"]
    relation = f"Amendment of {Grid(family).name(family.documents[1])}"
    assert grid["A4"].value == f"{family.documents[2].name}\n{relation}"
    levels = [grid.row_dimensions[row].outlineLevel for row in range(2, len(family.documents) + 2)]
    assert levels == [0, 0, 1, *([0] * (len(family.documents) - 3))]
    outline = grid.sheet_properties.outlinePr
    assert outline is not None
    assert not outline.summaryBelow
    (column,) = [cell.column for cell in listed[1] if cell.value == "Belongs to"]
    assert listed.cell(4, column).value == relation
    assert not listed.cell(3, column).value


def test_word_says_what_a_contract_belongs_to(family: Review, tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    relation = f"Amendment of {Grid(family).name(family.documents[1])}"
    write_report(family, ReportKind.DUE_DILIGENCE, path)
    document = Document(str(path))
    assert relation in [each.text.strip() for each in document.paragraphs]
    cells = [each.cells[0].text for each in document.tables[0].rows[1:]]
    assert [relation in each for each in cells].index(True) == 2
    html = tmp_path / "report.html"
    reports.write(family, html)
    assert html.read_text(encoding="utf-8").count(f'<span class="parties">{relation}</span>') == 1


def test_red_flags_alike_are_together_by_family(family: Review) -> None:
    flags = group_flags(ReportMaterial(Grid(family)).by_severities(*Severity))
    flag = max(flags, key=lambda each: len(each.entries))
    first, *others, last = flag.entries
    documents = {each.cell.document.id: each.cell.document for each in flag.entries}
    assert len(documents) == len(flag.entries) > 2
    link = FamilyLink(last.cell.document.id, first.cell.document.id, FamilyRelation.EXHIBIT, "")
    rows = [
        replace(each, family=link if each.id == last.cell.document.id else None)
        for each in family.documents
    ]
    again = group_flags(
        ReportMaterial(Grid(replace(family, documents=tuple(rows)))).by_severities(*Severity)
    )
    entries = next(
        each.entries
        for each in again
        if (each.name, each.reason) == (flag.name, flag.reason)
        and len(each.entries) == len(flag.entries)
    )
    assert [each.number for each in entries] == [each.number for each in (first, last, *others)]
