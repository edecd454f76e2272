"""The inbox in a browser, by keyboard: notices of a team's member, opened and read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.library.store import Library
from fourcorners.operations.notices import Notice, NoticeKind, notify
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import Accounts
from tests.browser import test_accessibility as accessibility
from tests.browser.test_accessibility import BOOK, PASSWORD, examine, fill, serving
from tests.browser.test_server_library import visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
axe, _no_weights = accessibility.axe, accessibility._no_weights  # the fixtures
_COUNT = "document.querySelector('.bar .count')?.textContent"


def test_notices_are_opened_and_read_by_keyboard(page: Page, axe: str, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.db", create=True) as library:
        fill(library, tmp_path)
        accounts = Accounts(library)
        accounts.add("bram", PASSWORD, by="test")
        accounts.grant("bram", Role.REVIEWER, "Mills", by="test")
        with library.transaction():
            for entry in library.documents("Mills")[:3]:
                notice = Notice(
                    kind=NoticeKind.ASSIGNED,
                    by="ada",
                    collection="Mills",
                    document=entry.id,
                    playbook=BOOK.id,
                    provision=BOOK.provisions[0].id,
                )
                notify(library, "bram", notice)
    with serving(tmp_path / "library.db", team=True) as address:
        page.view(1280)
        visit(page, f"{address}/sign-in?to=/inbox")
        for name, value in (("name", "bram"), ("password", PASSWORD)):
            page.eval(f"document.querySelector('[name={name}]').value = '{value}'")
        page.eval("document.querySelector('form').requestSubmit()")
        wait(page, "location.pathname == '/inbox' && document.readyState == 'complete'")
        wait(page, f"{_COUNT} == '3'")
        for width in (390, 1280):
            page.view(width)
            examine(page, axe)
            assert page.eval("document.documentElement.scrollWidth <= innerWidth")
        page.press("j", "j", "e")
        wait(page, f"{_COUNT} == '2'")
        wait(page, "document.readyState == 'complete'")
        page.press("j")
        wait(page, "document.activeElement.name == 'notice'")
        page.press("Enter")
        wait(page, "location.pathname == '/reviews/cell'")
        wait(page, f"{_COUNT} == '1'")
