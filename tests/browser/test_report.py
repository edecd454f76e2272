"""The HTML report in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from fourcorners import reports
from fourcorners.review.finding import CellState, Review, Severity

if TYPE_CHECKING:
    from tests.browser.conftest import Page

MARKED = "document.querySelector('#panel mark:not(.other)').textContent"
SHOWN = "[...document.querySelectorAll('#cells tbody:first-of-type tr:not([hidden])')]"


def at(review: Review, row: int, provision: str) -> str:
    return f"#cell={review.documents[row].id}:{provision}"


@pytest.mark.parametrize("place", ["", "#grid", "#provisions", "#documents", "#about", "#d-3"])
def test_the_page_loads_without_a_word_on_the_console(page: Page, report: Path, place: str) -> None:
    page.view(1440)
    page.open(report, place)
    assert page.complaints() == []
    assert page.eval("document.querySelectorAll('[data-view].on').length") == 1
    assert page.eval("document.querySelectorAll('#cells tbody td > a').length") == 12 * 17


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_an_address_opens_the_quote_it_names(
    page: Page, report: Path, review: Review, width: int
) -> None:
    page.view(width)
    for row, document in enumerate(review.documents[: 4 if width == 1440 else 1]):
        for head in review.columns:
            finding = review.cell(document.id, head.id)
            if finding.state is not CellState.FOUND:
                continue
            page.open(report, at(review, row, head.id))
            assert page.eval(MARKED) == finding.evidence[0].quote.words
            # The whole clause is there, also where another finding shows it on the page.
            clause = finding.evidence[0].clause.text_in(document.text)
            shown = page.eval("document.querySelector('#panel .whole > blockquote').textContent")
            assert shown == clause
            assert page.eval("document.querySelector('#panel-title').textContent") == head.name
            assert page.complaints() == []


def test_an_address_of_no_cell_is_said_and_breaks_nothing(page: Page, report: Path) -> None:
    page.view(1440)
    for place in ("#cell=nowhere:nothing", "#cell=", "#nothing", "#%E0%A4%A", "#cell=%E2%80%AE:x"):
        page.open(report, place)
        assert page.complaints() == []
        assert page.eval("document.querySelector('#panel').hidden")


def test_the_keys_move_open_and_close(page: Page, report: Path, review: Review) -> None:
    page.view(1440)
    page.open(report, "#grid")
    page.eval("document.querySelector('#cells td > a[tabindex=\"0\"]').focus()")
    where = "document.activeElement.getAttribute('href')"
    page.press("ArrowDown", "ArrowRight", "ArrowDown")
    assert page.eval(where) == "#f-2-1"
    page.press("End")
    assert page.eval(where) == "#f-2-16"
    page.press("ArrowRight", "Home", "ArrowUp", "ArrowUp", "ArrowUp")
    assert page.eval(where) == "#f-0-0"
    page.press("Enter")
    assert page.eval("document.querySelector('#panel').hidden") is False
    assert page.eval("decodeURIComponent(location.hash)") == at(review, 0, "change-of-control")
    page.press("n")
    assert page.eval("document.querySelector('#panel-title').textContent") == "Assignment"
    page.press("p", "Escape")
    assert page.eval("document.querySelector('#panel').hidden") is True
    assert page.eval(where) == "#f-0-0"
    page.press("/")
    assert page.eval("document.activeElement.id") == "q"
    page.press("n")
    assert page.eval("document.querySelector('#q').value") == "n"
    page.press("Escape")
    page.eval("document.activeElement.blur()")
    page.press("?")
    assert page.eval("document.querySelector('#help').open") is True
    page.press("Escape")
    assert page.complaints() == []


def test_the_filters_leave_what_fits(page: Page, report: Path, review: Review) -> None:
    page.view(1440)
    page.open(report, "#grid")
    high = {f.document for f in review.findings if f.severity is Severity.HIGH}
    page.eval("document.querySelector('input[value=high]').click()")
    page.eval("new Promise((done) => setTimeout(done, 60))")
    ids = f"{SHOWN}.map((row) => row.dataset.id)"
    assert set(page.eval(ids)) == high
    assert page.eval("document.querySelectorAll('#cells a:not(.dim)').length") >= len(high)
    page.eval("document.querySelector('[data-do=reset]').click()")
    assert len(page.eval(ids)) == len(review.documents)
    page.eval(
        "(() => { const q = document.querySelector('#q'); q.value = 'FOUNDRY  in working';"
        "q.dispatchEvent(new Event('input', { bubbles: true })) })()"
    )
    page.eval("new Promise((done) => setTimeout(done, 250))")
    assert page.eval(ids) == [review.documents[9].id]
    page.eval("document.querySelector('[data-do=reset]').click()")
    page.eval("document.querySelector('input[name=provision][value=\"3\"]').click()")
    page.eval("new Promise((done) => setTimeout(done, 60))")
    assert page.eval("document.querySelectorAll('thead th.pv:not([hidden])').length") == 16
    assert page.eval(f"{SHOWN}.every((row) => row.cells[7].hidden && !row.cells[6].hidden)")
    assert page.complaints() == []


def test_the_order_puts_the_unknown_last(page: Page, report: Path) -> None:
    page.view(1800)
    page.open(report, "#grid")
    for click in ("ascending", "descending"):
        page.eval("document.querySelector('[data-sort=date]').click()")
        dates = page.eval(f"{SHOWN}.map((row) => row.dataset.date)")
        known = [d for d in dates if d]
        assert known == sorted(known, reverse=click == "descending")
        assert dates[-1] == ""
        assert page.eval("document.querySelector('th.date').getAttribute('aria-sort')") == click


@pytest.mark.parametrize("width", [390, 600, 820, 1024, 1440, 2560])
@pytest.mark.parametrize("place", ["#summary", "#grid", "#provisions", "#documents", "#about"])
def test_no_width_makes_the_page_scroll_sideways(
    page: Page, report: Path, width: int, place: str
) -> None:
    page.view(width)
    page.open(report, place)
    assert page.eval("document.documentElement.scrollWidth <= innerWidth")


def test_a_phone_gets_a_list_with_named_chips(page: Page, report: Path) -> None:
    page.view(390)
    page.open(report, "#grid")
    assert page.eval("getComputedStyle(document.querySelector('#cells thead')).display") == "none"
    assert page.eval("document.querySelector('#cells td > a > span').offsetWidth") > 40
    assert page.eval("document.querySelector('#cells td > a').offsetHeight") >= 28


def test_without_scripts_all_evidence_can_be_read(page: Page, report: Path, review: Review) -> None:
    page.view(1440, scripts=False)
    try:
        page.open(report)
        seen = page.eval(
            "[...document.querySelectorAll('article mark:not(.other)')]"
            ".filter((mark) => mark.checkVisibility()).map((mark) => mark.textContent)"
        )
        hidden = page.eval(
            "['#summary', '#grid', '#provisions', '#documents', '#about']"
            ".filter((id) => !document.querySelector(id).offsetHeight)"
        )
    finally:
        page.view(1440)
    quotes = [e.quote.words for f in review.findings for e in f.evidence]
    assert sorted(seen) == sorted(quotes)
    assert hidden == []


def test_it_prints_on_a4_landscape(page: Page, report: Path) -> None:
    page.view(1440)
    page.open(report, "#grid")
    printed = page.pdf()
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert len(boxes) >= 8
    assert {(round(float(w)), round(float(h))) for w, h in boxes} == {(842, 595)}


def test_on_paper_no_red_flag_is_folded_away(page: Page, review: Review, tmp_path: Path) -> None:
    path = tmp_path / "grave.html"
    grave = tuple(
        replace(each, severity=Severity.HIGH) if each.state is CellState.FOUND else each
        for each in review.findings
    )
    reports.write(replace(review, findings=grave), path)
    page.view(1440)
    page.open(path)
    folded = "document.querySelectorAll('.flags details:not([open])').length"
    before = page.eval(folded)
    assert before > 0
    page.eval("dispatchEvent(new Event('beforeprint'))")
    assert page.eval(folded) == 0
    page.eval("dispatchEvent(new Event('afterprint'))")
    assert page.eval(folded) == before


def test_a_hostile_review_stays_text(
    page: Page, dealroom: ModuleType, review: Review, tmp_path: Path
) -> None:
    hostile: Review = dealroom.hostile_review.__wrapped__(review)
    path = tmp_path / "hostile.html"
    reports.write(hostile, path)
    for width in (1440, 390):
        page.view(width)
        for place in ("", "#grid", "#documents"):
            page.open(path, place)
            assert page.complaints() == []
            assert page.eval("document.documentElement.scrollWidth <= innerWidth")
        page.eval("document.querySelector('#cells td > a').click()")
        assert page.eval("document.querySelector('#panel').hidden") is False
        assert "<script>alert(1)</script>" in page.eval(MARKED)
        assert "⟦U+202E⟧" in page.eval(MARKED)
        assert page.eval("document.images.length") == 0
        assert page.eval("document.scripts.length") == 2
        page.eval("dispatchEvent(new HashChangeEvent('hashchange'))")
        assert page.eval("document.querySelector('#panel').hidden") is False
        assert page.complaints() == []


@pytest.mark.slow
def test_four_hundred_contracts_stay_usable(
    page: Page, dealroom: ModuleType, tmp_path: Path
) -> None:
    large: Review = dealroom.large_review.__wrapped__()(400)
    path = tmp_path / "large.html"
    reports.write(large, path)
    assert path.stat().st_size < 15_000_000
    page.view(1440)
    page.open(path, "#grid")
    assert page.eval("document.querySelector('#cells').offsetHeight") > 400 * 40
    assert page.complaints() == []
    page.eval("document.querySelector('#cells td > a.found').click()")
    assert page.eval(MARKED)
