"""A scanned contract from the folder to the report, by the commands a person would type."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

SCAN = "14-sorrel-trade-mark-licence.pdf"


@pytest.fixture
def scanned(program: Program, dataroom: Path) -> Program:
    """The program with a library that has the scan, from an archive."""
    if shutil.which("tesseract") is None:
        pytest.skip("Tesseract is not installed")
    with zipfile.ZipFile(program.folder / "deal.zip", "w") as archive:
        archive.write(dataroom / SCAN, f"signed/{SCAN}")
    added = program("add", "deal.zip", "-c", "Larch", "-l", "l.db", "--words-only", "--ocr")
    assert "1 added" in added.out
    assert "were read by OCR, with a mean confidence of 9" in added.out
    return program


def test_a_scan_is_reviewed_and_its_quotes_say_how_surely_they_were_read(scanned: Program) -> None:
    scanned(
        *("review", "-c", "Larch", "-l", "l.db", "-p", "due-diligence"),
        *("--as-of", "2026-11-01", "--out", "r.json", "--out", "r.html"),
    )
    review = json.loads((scanned.folder / "r.json").read_text("utf-8"))
    (document,) = review["documents"]
    assert document["path"].endswith(f"deal.zip/signed/{SCAN}")
    assert document["needs_ocr"] == []
    quotes = [each for finding in review["findings"] for each in finding["evidence"]]
    assert len(quotes) >= 5
    assert all(0.8 < each["ocr"] <= 1 for each in quotes)
    law = next(each for each in review["findings"] if each["provision"] == "governing-law")
    assert "governed by English law" in law["evidence"][0]["quote"]["text"]
    assert "Read by OCR, 9" in (scanned.folder / "r.html").read_text("utf-8")


def test_without_recognition_it_says_what_to_do(program: Program, dataroom: Path) -> None:
    told = program("add", dataroom / SCAN, "-l", "l.db", "--words-only", "--no-ocr", code=1)
    assert "it needs OCR: none of its 2 pages has text" in told.out
    assert "Switch text recognition on" in told.out
