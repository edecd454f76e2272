"""What is not found is shown with the words closest to it, on every surface, and never denied."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.reports import write
from fourcorners.reports.chapters import due_diligence, red_flags
from fourcorners.reports.chapters.material import clause_label
from fourcorners.reports.grid import Grid
from fourcorners.reports.writers.markdown import to_markdown
from fourcorners.review.finding import CellState, Evidence, Finding, Review, Severity
from fourcorners.review.severity import NOT_RECOGNISED
from tests.reports.test_terminal import printed

REASON = f"{NOT_RECOGNISED} Without a cap, liability has no limit."
DENIALS = re.compile(
    r"[Nn]ot (?:in|found in) (?:the|this) contract\.|\bmissing\b|was found\.|no find\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def absent(review: Review) -> tuple[Review, Finding]:
    """Return a review with one flagged cell of the first contract that is not found."""
    findings = list(review.findings)
    one = next(n for n, each in enumerate(findings) if each.nearest)
    findings = [replace(each, severity=Severity.NONE) for each in findings]
    findings[one] = replace(findings[one], severity=Severity.MEDIUM, reason=REASON)
    return replace(review, findings=tuple(findings), unread=()), findings[one]


def _page(review: Review, folder: Path) -> str:
    write(review, folder / "grid.html")
    return (folder / "grid.html").read_text("utf-8")


SURFACES: dict[str, Callable[[Review, Path], str]] = {
    "red flags": lambda review, _: to_markdown(red_flags(Grid(review))),
    "due diligence": lambda review, _: to_markdown(due_diligence(Grid(review))),
    "grid": _page,
    "terminal": lambda review, _: printed(review, 200),
}


@pytest.mark.parametrize("surface", SURFACES)
def test_each_surface_names_the_closest_words(
    surface: str, absent: tuple[Review, Finding], tmp_path: Path
) -> None:
    review, finding = absent
    said = " ".join(SURFACES[surface](review, tmp_path).split())
    closest = finding.nearest
    assert isinstance(closest, Evidence)
    assert finding.state is CellState.NOT_FOUND
    assert NOT_RECOGNISED in said
    assert "losest words (not a match)" in said
    assert clause_label(closest) in said


@pytest.mark.parametrize("surface", ["red flags", "terminal"])
def test_no_surface_says_that_there_is_none(
    surface: str, absent: tuple[Review, Finding], tmp_path: Path
) -> None:
    said = " ".join(SURFACES[surface](absent[0], tmp_path).split())
    assert DENIALS.findall(said) == []
