"""A quote that text recognition read says so wherever it is shown, and how surely."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from rich.console import Console

from fourcorners import reports
from fourcorners.reports.grid import ocr_note
from fourcorners.reports.terminal import print_review
from fourcorners.review.finding import CellState, Finding, Review, Severity


@pytest.fixture(scope="module")
def scanned(review: Review) -> Review:
    """The review with every quote read by OCR, and every finding a red flag."""

    def read(finding: Finding) -> Finding:
        evidence = tuple(replace(each, ocr=0.912) for each in finding.evidence)
        flag = Severity.HIGH if finding.state is CellState.FOUND else finding.severity
        return replace(finding, evidence=evidence, severity=flag)

    return replace(review, findings=tuple(map(read, review.findings)))


def test_in_words() -> None:
    assert ocr_note(0.912) == "Read by OCR, 91%"
    assert ocr_note(None) == ""


def test_in_html(scanned: Review, review: Review, tmp_path: Path) -> None:
    reports.write(scanned, tmp_path / "scanned.html")
    reports.write(review, tmp_path / "digital.html")
    quotes = sum(len(finding.evidence) for finding in scanned.findings)
    assert (tmp_path / "scanned.html").read_text("utf-8").count("Read by OCR, 91%") >= quotes
    assert "Read by OCR" not in (tmp_path / "digital.html").read_text("utf-8")


def test_in_excel(scanned: Review, tmp_path: Path) -> None:
    reports.write(scanned, tmp_path / "scanned.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "scanned.xlsx")["Findings"]
    found = [row for row in sheet.iter_rows(min_row=2, values_only=True) if row[5]]
    assert found
    assert all("Read by OCR, 91%." in str(row[12]) for row in found)


def test_in_json(scanned: Review, tmp_path: Path) -> None:
    reports.write(scanned, tmp_path / "scanned.json")
    written = json.loads((tmp_path / "scanned.json").read_text("utf-8"))
    told = [each["ocr"] for finding in written["findings"] for each in finding["evidence"]]
    assert told
    assert set(told) == {0.912}


def test_in_the_terminal(scanned: Review) -> None:
    out = io.StringIO()
    print_review(scanned, Console(file=out, width=160, color_system=None))
    assert "Read by OCR, 91%" in out.getvalue()
