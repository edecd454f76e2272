"""Asking in a real browser: from the question to the words in the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import test_server_library as pages
from tests.browser.test_server_library import NAMES, Site, visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

site = pages.site  # the fixture, with a server of its own
_QUESTION = "Who may assign this agreement to a purchaser of its rights in the Software?"


@pytest.mark.parametrize("width", [390, 1280])
def test_from_the_question_to_the_words(page: Page, site: Site, width: int) -> None:
    page.view(width)
    contract = site.ids[NAMES[1]]
    visit(page, f"{site.url}/d/{contract}")
    page.eval("document.querySelector('a[href^=\"/ask?d=\"]').click()")
    wait(page, "location.pathname == '/ask' && document.readyState == 'complete'")
    page.eval(
        "(() => { const form = document.querySelector('form.question');"
        f"form.elements.question.value = '{_QUESTION}'; form.requestSubmit() }})()"
    )
    wait(page, "document.querySelector('.report .ruling') !== null")
    assert page.eval("document.querySelector('h1').textContent") == _QUESTION
    assert page.eval("document.documentElement.scrollWidth <= innerWidth")
    words = str(page.eval("document.querySelector('.says').textContent"))
    page.eval("document.querySelector('a.cite').click()")
    place = "/ask/" if width > 960 else f"/d/{contract}"  # next to the answer, where there is room
    wait(
        page, f"location.pathname.startsWith('{place}') && document.querySelector('mark') !== null"
    )
    shown = page.eval("[...document.querySelectorAll('mark')].map((m) => m.textContent).join('')")
    assert "".join(str(shown).split()) == "".join(words.split())
    visit(page, f"{site.url}/ask")
    assert page.eval("document.querySelectorAll('.earlier a').length") >= 1
    assert page.complaints() == []


def test_it_is_answered_without_scripts(page: Page, site: Site) -> None:
    page.view(1280, scripts=False)
    try:
        visit(page, f"{site.url}/ask")
        page.eval(f"document.querySelector('#question').value = '{_QUESTION}'")
        page.eval("document.querySelector('form.question button').click()")
        wait(page, "document.querySelector('.report .ruling') !== null")  # by reloading
    finally:
        page.view(1280)


@pytest.mark.parametrize("width", [390, 1280])
def test_a_table_is_sorted_filtered_and_read_and_followed_up(
    page: Page, site: Site, width: int
) -> None:
    page.view(width)
    visit(page, f"{site.url}/ask?c=Larch&q=Under+which+contracts+may+a+party+terminate%3F")
    page.eval("document.querySelector('#question').focus()")
    page.eval("document.querySelector('form.question').requestSubmit()")
    wait(page, "document.querySelector('table.answers button') !== null")
    rows = "[...document.querySelectorAll('.answers tbody tr')].filter((row) => !row.hidden)"
    titles = f"{rows}.map((row) => row.cells[0].textContent)"
    page.eval("document.querySelector('.answers th button').focus()")
    page.press("Enter")
    up = page.eval(titles)
    page.press("Enter")
    assert page.eval("document.querySelector('.answers th').ariaSort") == "descending"
    assert page.eval(titles) == up[::-1]
    page.eval("document.querySelector('.table-filter input').focus()")
    page.press("l", "o", "n", "g")
    wait(page, f"{rows}.length == 1")
    assert page.eval("document.querySelector('.table-filter output').textContent") == "1 of 2"
    if width > 960:
        page.eval(f"{rows}[0].querySelector('td a').focus()")
        page.press("Enter")
        wait(page, "document.querySelector('[data-side] [id^=\"s=\"]') !== null")
        page.press("Escape")
        assert page.eval("document.querySelector('[data-side]').hidden")
        assert page.eval("document.activeElement.closest('tr') !== null")
    assert page.eval("document.documentElement.scrollWidth <= innerWidth")
    page.eval("document.querySelector('#question').value = 'And on what notice?'")
    page.eval("document.querySelector('form.question').requestSubmit()")
    wait(page, "document.querySelector('.report .thread a') !== null")
    assert "Understood as: On what notice may" in str(
        page.eval("document.querySelector('article').textContent")
    )
    assert page.complaints() == []
