"""The pages of a contract in a real browser: what they weigh, when they come, Word's among them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.documents.conversion.libreoffice import find_libreoffice
from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from tests.browser.test_server_library import Site, serve, span_of, visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

PDF, WORD = "02-cordovan-supply-agreement.pdf", "05-quillon-software-licence.docx"
MOST_BYTES = 400_000
QUIET = 1.0  # seconds without a byte, after which a page is complete


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, dataroom: Path) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("pages")
    library = folder / "room.db"
    with Library.open(library) as store:
        for name in (PDF, WORD):
            shutil.copy(dataroom / name, folder / name)
            made = prepare_file(folder / name)
            assert isinstance(made, PreparedFile)
            store.add_columns(made.columns, None, collection="Larch")
    with serve(folder, library) as url:
        yield Site(url, library)


def weigh(page: Page, address: str) -> int:
    """Return the bytes that come over the network for a page that was never opened before."""
    page.call("Network.enable")
    page.call("Network.clearBrowserCache")
    visit(page, address)
    size, last = -1, time.monotonic()
    while time.monotonic() < last + QUIET:
        page.eval("1")
        done = (each for each in page.events if each.get("method") == "Network.loadingFinished")
        now = int(sum(each["params"]["encodedDataLength"] for each in done))
        if now != size:
            size, last = now, time.monotonic()
        time.sleep(0.05)
    page.call("Network.disable")
    return size


def pictures(page: Page) -> list[int]:
    """Return the pages whose picture is there."""
    found = page.eval(
        "[...document.querySelectorAll('.sheet')].filter((each) =>"
        "each.querySelector('img').naturalWidth > 0).map((each) => Number(each.dataset.page))"
    )
    return [int(each) for each in found]


def test_a_contract_weighs_little_and_its_pages_come_when_they_are_near(
    page: Page, site: Site
) -> None:
    page.view(1440)
    address = f"{site.url}/d/{site.ids[PDF]}"
    assert weigh(page, address) <= MOST_BYTES
    wait(page, "document.querySelector('#page-1 img').naturalWidth == 1200")
    assert len(pictures(page)) <= 2
    page.press("PageDown")
    wait(page, "document.querySelector('#page-2 img').naturalWidth > 0")
    assert page.complaints() == []


def test_words_on_a_far_page_weigh_little(page: Page, site: Site) -> None:
    page.view(1440)
    span = span_of(site, PDF, "Section 4.05 Invoices")
    place = f"{span.start}-{span.end}"
    assert weigh(page, f"{site.url}/d/{site.ids[PDF]}?s={place}#s={place}") <= MOST_BYTES
    assert 1 not in pictures(page)
    assert len(pictures(page)) <= 2


def test_a_large_page_is_drawn_finely(page: Page, site: Site) -> None:
    page.view(1440)
    visit(page, f"{site.url}/d/{site.ids[PDF]}")
    for _ in range(4):
        page.eval("document.querySelector('[data-zoom=\"1\"]').click()")
    wait(page, "document.querySelector('#page-1 img').naturalWidth == 2400")
    page.eval("sessionStorage.clear()")


def test_pages_are_seen_without_scripts(page: Page, site: Site) -> None:
    page.view(1280, scripts=False)
    try:
        visit(page, f"{site.url}/d/{site.ids[PDF]}")
        page.eval("document.querySelector('#page-2').scrollIntoView()")
        wait(page, "document.querySelector('#page-2 img:not([data-src])').naturalWidth > 0")
    finally:
        page.view(1280)


def test_a_word_contract_has_pages_with_its_words_on_them(page: Page, site: Site) -> None:
    if find_libreoffice() is None:
        pytest.skip("LibreOffice is not installed")
    page.view(1440)
    address = f"{site.url}/d/{site.ids[WORD]}"
    visit(page, address)
    assert page.eval("document.querySelector('.contract').dataset.view") == "text"
    wait(page, "document.querySelector('.views [role=status]').textContent == 'ready'")
    assert page.complaints() == []
    span = span_of(site, WORD, "the Licensor grants")
    place = f"{span.start}-{span.end}"
    assert weigh(page, f"{address}?s={place}#s={place}") <= MOST_BYTES
    assert page.eval("document.querySelector('.contract').dataset.view") == "print"
    box = "document.querySelector('.boxes rect').getBoundingClientRect()"
    words = (
        "[...document.querySelectorAll('.words span')].find((each) =>"
        "each.textContent.includes('the Licensor grants')).getBoundingClientRect()"
    )
    wait(page, f"{words}.width > 0")
    assert page.eval(f"{box}.top >= {words}.top - 3 && {box}.bottom <= {words}.bottom + 3")
    assert page.eval(f"{box}.left >= {words}.left - 3 && {box}.right <= {words}.right + 3")
    page.eval("document.querySelector('[data-find] input').value = 'the Licensor grants'")
    page.eval("document.querySelector('[data-find]').requestSubmit()")
    wait(page, "document.querySelector('[data-find] output').textContent.startsWith('1 of')")
    assert page.complaints() == []
