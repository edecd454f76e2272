"""Choosing an exporter and writing whole files."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from rich.console import Console

from fourcorners import reports
from fourcorners.errors import ConfigError, EvidenceError
from fourcorners.reports.chapters import due_diligence, red_flags
from fourcorners.reports.grid import Grid
from fourcorners.reports.send import write_report
from fourcorners.reports.terminal import print_review
from fourcorners.reports.tree import ReportKind
from fourcorners.review.finding import Review, Severity


@pytest.mark.parametrize("name", ["report.docx", "report", "report.html.bak"])
def test_an_unknown_suffix_names_the_known_ones(tmp_path: Path, review: Review, name: str) -> None:
    with pytest.raises(ConfigError) as error:
        reports.write(review, tmp_path / name)
    assert error.value.remedy == "End the name in .html, .json or .xlsx."
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".html", ".json", ".xlsx", ".HTML"])
def test_a_report_replaces_the_old_one_and_leaves_nothing_else(
    tmp_path: Path, review: Review, suffix: str
) -> None:
    path = tmp_path / f"report{suffix}"
    path.write_bytes(b"old")
    reports.write(review, path)
    assert path.stat().st_size > 10_000
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".html", ".json", ".xlsx"])
def test_the_same_review_gives_the_same_bytes(tmp_path: Path, review: Review, suffix: str) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    reports.write(review, first)
    reports.write(review, second)
    assert first.read_bytes() == second.read_bytes()


def fail_half_way(grid: Grid, path: Path) -> None:
    path.write_text(grid.review.title)
    raise OSError(28, "No space left on device")


def test_a_report_that_breaks_leaves_the_old_one(
    tmp_path: Path, review: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "exporter_for", lambda _: fail_half_way)
    path = tmp_path / "report.breaking"
    path.write_text("old")
    with pytest.raises(ConfigError, match="No space left"):
        reports.write(review, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_the_operators_to_mend(tmp_path: Path, review: Review) -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        reports.write(review, tmp_path / "nowhere" / "report.json")


@pytest.mark.parametrize("suffix", [".html", ".json", ".xlsx"])
def test_a_quote_that_is_not_the_text_stops_the_report(
    tmp_path: Path, review: Review, suffix: str
) -> None:
    wrong = next(f for f in review.findings if f.evidence)
    evidence = wrong.evidence[0]
    altered = replace(evidence, quote=replace(evidence.quote, words="other words"))
    findings = tuple(replace(f, evidence=(altered,)) if f is wrong else f for f in review.findings)
    with pytest.raises(EvidenceError, match="is not the text at characters"):
        reports.write(replace(review, findings=findings), tmp_path / f"report{suffix}")
    assert not list(tmp_path.iterdir())


def test_a_hole_or_a_double_in_the_grid_stops_the_report(review: Review) -> None:
    with pytest.raises(EvidenceError, match="no finding for the provision"):
        Grid(replace(review, findings=review.findings[1:]))
    with pytest.raises(EvidenceError, match="two findings"):
        Grid(replace(review, findings=(*review.findings, review.findings[0])))


def test_every_report_counts_the_words_of_a_model_that_no_contract_holds(
    tmp_path: Path, review: Review
) -> None:
    at = next(i for i, finding in enumerate(review.findings) if finding.evidence)
    said = replace(review.findings[at], claims=("The Seller owes nothing.", "Nor does the Buyer."))
    claimed = replace(review, findings=(*review.findings[:at], said, *review.findings[at + 1 :]))
    quotes = Grid(claimed).quotes()
    assert quotes[False] == 2
    assert quotes[True] == Grid(review).quotes()[True]
    for suffix in (".html", ".json", ".xlsx"):
        reports.write(claimed, tmp_path / f"report{suffix}")
    counted = json.loads((tmp_path / "report.json").read_text("utf-8"))["counts"]["quotes"]
    assert counted == {"verified": quotes[True], "unverified": 2}
    page = (tmp_path / "report.html").read_text("utf-8")
    assert f"{quotes[True]} verified, 2 not in the text, so that nothing rests on them" in page
    about = openpyxl.load_workbook(tmp_path / "report.xlsx")["About"]
    assert ("Quotes not verified", "2") in about.iter_rows(max_col=2, values_only=True)
    assert "2 are not in it and support nothing" in str(due_diligence(Grid(claimed)).sections)


def test_what_is_to_be_read_stands_before_what_is_low_in_every_report(
    tmp_path: Path, review: Review
) -> None:
    at = next(i for i, each in enumerate(review.findings) if each.severity is Severity.LOW)
    waiting = replace(
        review.findings[at],
        severity=Severity.TO_READ,
        possible_severity=Severity.HIGH,
        reason="Could be high, depending on a question that is not answered: “May they?”",
    )
    changed = replace(review, findings=(*review.findings[:at], waiting, *review.findings[at + 1 :]))
    grid = Grid(changed)
    order = [each.finding.severity.rank for each in grid.red_flags()]
    assert order == sorted(order, reverse=True)
    assert Severity.HIGH.rank > Severity.MEDIUM.rank > Severity.TO_READ.rank > Severity.LOW.rank
    for suffix in (".html", ".json", ".xlsx"):
        reports.write(changed, tmp_path / f"report{suffix}")
    told = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert told["counts"]["red_flags"]["to_read"] == 1
    assert (told["findings"][at]["severity"], told["findings"][at]["possible_severity"]) == (
        "to_read",
        "high",
    )
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.index('<section class="group to_read">') < page.index('<section class="group low">')
    assert 'value="to_read"' in page, "the grid can be filtered by it"
    findings = openpyxl.load_workbook(tmp_path / "report.xlsx")["Findings"]
    heads = [cell.value for cell in findings[1]]
    column = heads.index("Severity")
    assert "To be read" in [row[column] for row in findings.iter_rows(values_only=True)]
    parts = {each.anchor: each for _, _, each in red_flags(grid).walk()}
    assert waiting.reason in str(parts["to_read"].blocks)
    write_report(changed, ReportKind.RED_FLAGS, tmp_path / "flags.docx")
    document = zipfile.ZipFile(tmp_path / "flags.docx").read("word/document.xml").decode()
    assert "To be read" in document
    assert "depending on a question that is not answered" in document
    shown = io.StringIO()
    print_review(changed, Console(file=shown, width=120))
    counted = Counter(each.severity for each in changed.findings)
    assert f"{counted[Severity.TO_READ]} to be read" in shown.getvalue()
