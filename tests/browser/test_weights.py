"""What pages weigh when they are opened for the first time, by what the browser fetches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fourcorners.review.finding import Severity
from tests.browser.test_accessibility import serving_leases
from tests.browser.test_server_review import go, loaded, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

CONTRACTS = 40
GRID = "/reviews/grid?c=Mills&p=due-diligence"
MOST_BYTES, MOST_REQUESTS = 250_000, 15
SEEN = "e => e.checkVisibility() && !e.disabled && e.tabIndex >= 0"
STOPS = f"[...document.querySelectorAll('a[href], button, input, select, summary')].filter({SEEN})"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a room in which two of three cells quote the contract; its address."""
    # The example data room has words in half of its cells.
    folder = tmp_path_factory.mktemp("weights")
    with serving_leases(
        folder, CONTRACTS, lambda row, column: (row + column) % 3 > 0, Severity.HIGH
    ) as address:
        yield address


def open_cold(page: Page, address: str) -> None:
    page.view(1440)
    page.call("Network.enable")
    page.call("Network.clearBrowserCache")
    go(page, address)


def weigh(page: Page) -> tuple[int, list[str]]:
    """Return the bytes that came since a page was opened, and what was asked for."""
    page.eval("new Promise((done) => setTimeout(done, 800))")
    asked = {
        each["params"]["requestId"]: each["params"]["request"]["url"].partition("/")[2]
        for each in page.events
        if each["method"] == "Network.requestWillBeSent"
        and not each["params"]["request"]["url"].startswith(("about:", "data:"))
    }
    size = sum(
        int(each["params"]["encodedDataLength"])
        for each in page.events
        if each["method"] == "Network.loadingFinished" and each["params"]["requestId"] in asked
    )
    return size, list(asked.values())


def check(page: Page) -> list[str]:
    size, asked = weigh(page)
    assert size > 10_000, "nothing was measured"
    assert size <= MOST_BYTES, (size, asked)
    assert len(asked) <= MOST_REQUESTS, asked
    return asked


def test_the_grid_and_its_first_finding(page: Page, site: str) -> None:
    open_cold(page, site + GRID)
    loaded(page)
    asked = check(page)
    assert not [each for each in asked if "/reviews/rows" in each]  # they came with the page
    page.press("ArrowDown", "Enter")
    wait(page, "document.querySelector('#panel #finding')")
    check(page)
    page.call("Network.disable")


def test_a_finding_and_the_list_of_things_to_do(page: Page, site: str) -> None:
    open_cold(page, site + "/to-do")
    check(page)
    href = page.eval("document.querySelector('#waiting a').href")
    open_cold(page, href)
    check(page)
    page.call("Network.disable")


def test_tab_leads_to_the_cells_in_few_steps(page: Page, site: str) -> None:
    page.view(1440)
    go(page, site + GRID)
    loaded(page)
    assert page.eval(f"{STOPS}.length") <= 40
    inside = f"{STOPS}.filter(e => e.closest('tbody'))"
    assert page.eval(f"{inside}.length") == 1
    page.eval("document.querySelector(\".skip[href='#grid']\").click()")
    assert page.eval("document.activeElement.closest('td').getAttribute('aria-colindex')") == "3"


def test_arrows_reach_names_boxes_and_heads(page: Page, site: str) -> None:
    page.view(1440)
    go(page, site + GRID)
    loaded(page)
    at = "document.activeElement.closest('[aria-colindex]')"
    page.press("ArrowDown", "ArrowLeft")
    assert page.eval(f"{at}.matches('tbody th')")
    page.press("ArrowLeft")
    assert page.eval("document.activeElement.matches('tbody .pick input')")
    page.press("x")
    assert page.eval("document.activeElement.checked")
    page.press("ArrowUp")
    assert page.eval("document.activeElement.id") == "all"
    page.press("ArrowRight", "ArrowRight")
    assert page.eval(f"{at}.matches('thead th') && {at}.getAttribute('aria-colindex')") == "3"
    page.press("ArrowDown")
    assert page.eval(f"{at}.matches('td.c')")
    assert not page.eval("document.querySelector('#panel #finding')")
