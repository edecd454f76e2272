from __future__ import annotations

import lxml.html
import pytest

from fourcorners.reports.comparison.html import comparison_page
from tests.comparison.contracts import CLAUSES, compare, replaced

HOSTILE = "3.4 <script>alert(1)</script> <img src=x onerror=alert(2)> & “}}{{ 7*7 }}” \u202egnp.exe"


@pytest.fixture(scope="module")
def page() -> lxml.html.HtmlElement:
    changed = replaced("thirty (30) days", "sixty (60) days")
    return lxml.html.fromstring(comparison_page(compare(*changed[:14], HOSTILE, *changed[14:])))


def test_both_versions_are_side_by_side_with_what_differs_marked(
    page: lxml.html.HtmlElement,
) -> None:
    marked = {tag: [each.text_content() for each in page.iter(tag)] for tag in ("del", "ins")}
    assert "thirty (30" in marked["del"]
    assert "sixty (60" in marked["ins"]
    (row,) = page.xpath("//article[.//del[text()='thirty (30']]")
    before, after = (side.text_content() for side in row.find_class("side"))
    assert "thirty (30) days of each order" in before
    assert "sixty (60) days of each order" in after


def test_the_summary_links_to_the_rows_and_begins_with_values(page: lxml.html.HtmlElement) -> None:
    entries = page.xpath("//li/a")
    assert entries[0].getparent().text_content().split() == ["2.1", "30", "days", "→", "60", "days"]
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {each.get("href")[1:] for each in entries} <= set(ids)


def test_words_of_a_contract_are_text_and_the_page_runs_and_fetches_nothing(
    page: lxml.html.HtmlElement,
) -> None:
    assert not page.xpath("//script | //img | //link | //iframe | //@onerror | //@src")
    text = page.text_content()
    assert "<script>alert(1)</script>" in text
    assert "{{ 7*7 }}" in text
    assert "\u202e" not in text
    assert "⟦U+202E⟧" in text
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src 'none'" in policy


def test_clauses_that_are_the_same_are_folded_and_the_same_contract_says_so() -> None:
    same: lxml.html.HtmlElement = lxml.html.fromstring(comparison_page(compare(*CLAUSES)))
    assert same.xpath("//details/summary/text()") == [f"{len(CLAUSES)} clauses unchanged"]
    assert "The two versions are the same file." in same.text_content()
