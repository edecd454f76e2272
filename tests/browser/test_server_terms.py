"""Dates, obligations, comparisons and checks of drafting in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from tests.browser.test_accessibility import axe, examine, serving, view
from tests.browser.test_server_library import visit, wait
from tests.browser.test_server_review import module

if TYPE_CHECKING:
    from tests.browser.conftest import Page

__all__ = ["axe", "view"]
pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
pytest.importorskip("fastapi")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A server over two versions of a lease; its address, and their ids."""
    folder = tmp_path_factory.mktemp("terms")
    lease = module("conftest.py").LEASE
    ids = {}
    with Library.open(folder / "library.db", create=True) as library:
        for name, text in (
            ("lease v1", lease),
            ("lease v2", lease.replace("six months'", "three months'")),
        ):
            path = folder / f"{name}.txt"
            path.write_text(text)
            made = prepare_file(path)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection="Mills")
            ids[name] = made.columns.id
    with serving(folder / "library.db") as address:
        yield address, ids


@pytest.mark.parametrize("scripts", [True, False])
def test_a_date_leads_to_its_words(
    page: Page, site: tuple[str, dict[str, str]], scripts: bool
) -> None:
    page.view(1280, scripts=scripts)
    visit(page, f"{site[0]}/dates?as_of=2028-12-01")
    page.eval("document.querySelector('#view').value = 'calendar'")
    page.eval("document.querySelector('.terms-filter button').click()")
    wait(page, "document.querySelectorAll('.calendar td.due a').length == 2")
    assert page.eval("document.querySelector('caption').textContent") == "May 2029"
    page.eval("document.querySelector('.calendar td.due a').click()")
    wait(page, "document.querySelector('mark')?.textContent.includes('five years')")
    page.view(1280)


def test_obligations_are_chosen_by_keys(page: Page, site: tuple[str, dict[str, str]]) -> None:
    page.view(1280)
    visit(page, f"{site[0]}/dates/obligations?c=Mills")
    page.eval("document.querySelector('#kind').focus()")
    page.press("End")
    page.eval("document.querySelector('.terms-filter button').focus()")
    page.press("Enter")
    wait(page, "location.search.includes('kind=prohibition')")
    shown = page.eval("document.querySelector('main').innerText")
    assert "Must not assign this lease" in shown
    assert page.complaints() == []


@pytest.mark.usefixtures("view")
def test_a_comparison_breaks_no_rule(
    page: Page, site: tuple[str, dict[str, str]], axe: str
) -> None:
    address, ids = site
    visit(page, f"{address}/d/{ids['lease v2']}")
    page.eval("document.querySelector('.views a[href*=compare]').click()")
    wait(page, "document.querySelector('#before') !== null")
    examine(page, axe)
    page.eval(f"document.querySelector('#before').value = '{ids['lease v1']}'")
    page.eval("document.querySelector('.chosen-versions button').click()")
    wait(page, "document.querySelector('.side-by-side ins') !== null")
    assert "6 months → 3 months" in page.eval("document.querySelector('.what-changed').innerText")
    page.eval("document.querySelector('.what-changed a').click()")
    wait(page, "document.querySelector('article:target del') !== null")
    assert page.eval("document.documentElement.scrollWidth <= innerWidth")
    examine(page, axe)


@pytest.mark.usefixtures("view")
def test_a_check_of_drafting_breaks_no_rule(
    page: Page, site: tuple[str, dict[str, str]], axe: str
) -> None:
    visit(page, f"{site[0]}/d/{site[1]['lease v1']}/lint")
    assert "Nothing to look at" in page.eval("document.querySelector('main').innerText")
    examine(page, axe)
