"""Which format a file's name means, and what is refused before any work."""

from __future__ import annotations

from pathlib import Path

import docx
import pytest

from fourcorners.errors import ConfigError
from fourcorners.reports.send import FORMATS, format_for, write_report
from fourcorners.reports.tree import ReportKind
from fourcorners.review.finding import Review


@pytest.mark.parametrize("name", ["report", "report.xlsx", "report.doc"])
def test_other_formats_are_refused(name: str) -> None:
    with pytest.raises(ConfigError) as told:
        format_for(Path(name))
    assert told.value.remedy == "End the name in .docx, .html or .pdf."


def test_a_template_must_fit_and_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"not a template for a \.docx report"):
        format_for(Path("x.docx"), tmp_path / "house.css")
    with pytest.raises(ConfigError, match="no such file"):
        format_for(Path("x.docx"), tmp_path / "house.dotx")
    assert format_for(Path("X.DOCX")) is FORMATS[".docx"]


def test_a_report_is_written_whole_or_not_at_all(review: Review, tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    write_report(review, ReportKind.RED_FLAGS, path, prepared_by="Ada")
    assert docx.Document(str(path)).core_properties.author == "Ada"
    before = path.read_bytes()
    template = tmp_path / "broken.docx"
    template.write_bytes(b"PK")
    with pytest.raises(ConfigError):
        write_report(review, ReportKind.RED_FLAGS, path, template=template)
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {"report.docx", "broken.docx"}
