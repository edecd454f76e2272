"""The report as a page: no scripts, nothing from the network, every quote as it stands."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import lxml.html
import pytest

from fourcorners.errors import ConfigError
from fourcorners.reports import html as report_html
from fourcorners.reports.chapters import due_diligence, red_flags
from fourcorners.reports.grid import Grid
from fourcorners.reports.tree import Report
from fourcorners.review.finding import CellState, Review, ReviewState
from fourcorners.text.invisible_characters import show_invisible
from tests.reports import spoken


@pytest.fixture(scope="module")
def told(review: Review) -> Review:
    return spoken.spoken(review)


@pytest.fixture(scope="module")
def report(told: Review) -> Report:
    return due_diligence(Grid(told), prepared_by="Ada Byron", whole_quotes=True)


def page_of(
    report: Report, folder: Path, template: Path | None = None
) -> tuple[str, lxml.html.HtmlElement]:
    path = folder / "report.html"
    report_html.export_html(report, path, template=template)
    text = path.read_text("utf-8")
    return text, lxml.html.fromstring(text)


@pytest.fixture(scope="module")
def page(
    report: Report, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, lxml.html.HtmlElement]:
    return page_of(report, tmp_path_factory.mktemp("page"))


def content(element: lxml.html.HtmlElement) -> str:
    return "".join(element.itertext())


def even(text: str) -> str:
    return " ".join(text.split())


def test_it_needs_no_script_and_asks_for_nothing(page: tuple[str, lxml.html.HtmlElement]) -> None:
    text, tree = page
    assert not tree.xpath("//script | //link | //iframe | //img | //object | //form | //@style")
    assert not [name for e in tree.iter() for name in e.attrib if str(name).startswith("on")]
    assert not re.search(r"https?://|url\(|@import", text)
    (meta,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']")
    policy = meta.get("content")
    assert policy.startswith("default-src 'none'")
    assert "script-src 'none'" in policy
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy


def test_headings_follow_the_tree_and_links_lead_somewhere(
    page: tuple[str, lxml.html.HtmlElement], report: Report
) -> None:
    _, tree = page
    walked = list(report.walk())
    headings = tree.xpath("//main//h2 | //main//h3 | //main//h4")
    assert [content(h) for h in headings] == [f"{number}{s.title}" for _, number, s in walked]
    assert [int(h.tag[1]) for h in headings] == [level + 1 for level, _, _ in walked]
    ids = [element.get("id") for element in tree.xpath("//*[@id]")]
    assert len(ids) == len(set(ids))
    assert {a.get("href").removeprefix("#") for a in tree.xpath("//a[@href]")} <= set(ids)


def test_every_quote_stands_in_the_page_word_for_word(
    page: tuple[str, lxml.html.HtmlElement], told: Review
) -> None:
    _, tree = page
    shown = [content(quote) for quote in tree.xpath("//td//blockquote")]
    for finding in told.findings:
        if finding.review is not ReviewState.REJECTED and finding.state is CellState.FOUND:
            assert all(each.quote.words in shown for each in finding.evidence)


def test_comments_are_told_beside_the_finding(page: tuple[str, lxml.html.HtmlElement]) -> None:
    _, tree = page
    (remark,) = tree.xpath("//p[@class='remark']")
    assert even(content(remark)) == f"Ada Byron, 2025-02-18: {spoken.COMMENT}"
    claims = tree.xpath("//section//figure[@class='quote claim']/blockquote")
    assert {content(claim) for claim in claims} == {"The Seller may do as it likes"}


def test_a_hostile_review_adds_no_element(hostile_review: Review, tmp_path: Path) -> None:
    for report in (due_diligence(Grid(hostile_review)), red_flags(Grid(hostile_review))):
        text, tree = page_of(report, tmp_path)
        assert not tree.xpath("//script | //img")
        assert not [name for e in tree.iter() for name in e.attrib if str(name).startswith("on")]
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00\u2028\u2029]", text)
    _, tree = page_of(due_diligence(Grid(hostile_review), whole_quotes=True), tmp_path)
    quotes = [even(content(quote)) for quote in tree.xpath("//td//blockquote")]
    assert even(show_invisible(hostile_review.documents[0].name)) in quotes


def test_a_house_style_comes_last_and_cannot_leave_its_element(
    report: Report, tmp_path: Path
) -> None:
    sheet = tmp_path / "house.css"
    sheet.write_text("h1 { color: teal; }", "utf-8")
    text, _ = page_of(report, tmp_path, sheet)
    assert re.search(r"h1 \{ color: teal; \}</style>", text)
    for wrong in ("</STYLE><script>", "@import 'x';"):
        sheet.write_text(wrong, "utf-8")
        with pytest.raises(ConfigError, match="holds"):
            page_of(report, tmp_path, sheet)
    sheet.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigError, match="cannot be read"):
        page_of(report, tmp_path, sheet)


def test_the_same_report_is_the_same_page(report: Report, tmp_path: Path) -> None:
    first, _ = page_of(report, tmp_path)
    again, _ = page_of(report, tmp_path)
    assert first == again
