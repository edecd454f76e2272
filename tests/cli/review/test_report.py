"""`fourcorners report`: from stored findings to a file, and what is said where they are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import docx
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Program

CONTRACTS = ("08-vantry-mutual-nda.txt", "10-aldous-maintenance-agreement.txt")


@pytest.mark.slow
def test_a_report_is_written_from_what_is_stored(program: Program, dataroom: Path) -> None:
    for name in CONTRACTS:
        program("add", dataroom / name, "-c", "Deal", "-l", "l.db", "--words-only")
    options = ("-c", "Deal", "-l", "l.db", "-p", "nda-review")
    missing = program("report", *options, "-o", "report.docx", code=2).err
    assert "2 of 2 contracts" in missing
    assert "Review them first: fourcorners review --playbook nda-review" in missing
    program("review", *options, "--words-only", "--as-of", "2026-11-01")
    made = program("report", *options, "-o", "report.docx", "-o", "report.html", "-k", "red-flags")
    assert made.err.count("Wrote ") == 2
    path = program.folder / "report.docx"
    first = path.read_bytes()
    properties = docx.Document(str(path)).core_properties
    assert properties.title == "Deal: Red-flag report"
    program("report", *options, "-o", "report.docx", "-k", "red-flags")
    assert path.read_bytes() == first
    assert program.asked == ""


def test_what_is_wrong_is_said_before_any_work(program: Program) -> None:
    said = program("report", "-o", "report.odt", code=2).err
    assert "End the name in .docx, .html or .pdf." in said
    (program.folder / "house.css").write_text("p {}")
    said = program("report", "-o", "report.docx", "-t", "house.css", code=2).err
    assert "a template that fits no file of --out" in said
    assert "there is no folder" in program("report", "-o", "no/report.docx", code=2).err
