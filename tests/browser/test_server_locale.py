"""Days are written in the reader's language, and the contract's own words as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import test_server_library as pages
from tests.browser.test_server_library import NAMES, Site, visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

site = pages.site  # the fixture, with a server of its own


@pytest.mark.parametrize(
    ("locale", "day"), [("en-US", "January 9, 2024"), ("de-DE", "9. Januar 2024")]
)
def test_days_are_written_in_the_readers_language(
    page: Page, site: Site, locale: str, day: str
) -> None:
    page.view(1280)
    agent = page.eval("navigator.userAgent")
    page.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=locale)
    try:
        visit(page, f"{site.url}/c/Larch")
        wait(page, f"document.querySelector('td time').lang == '{locale}'")
        days = page.eval("[...document.querySelectorAll('td time')].map((e) => e.textContent)")
        assert day in days
        assert all(page.eval("[...document.querySelectorAll('td time')].map((e) => e.title)"))
        visit(page, f"{site.url}/d/{site.ids[NAMES[1]]}")
        assert "30 November 2020" in str(
            page.eval("document.querySelector('.sheet, .set').textContent")
        )
        assert page.complaints() == []
    finally:
        page.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage="en-GB")
