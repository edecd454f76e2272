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
    wait(page, f"location.pathname == '/d/{contract}' && document.querySelector('mark') !== null")
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
