"""The pane as a test uses it: a file is opened in our Word, and its buttons are pressed."""

from __future__ import annotations

import base64
import io
import json
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.browser.test_server_library import visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

MOST_WAITED = 300.0  # seconds for one step
OFFICE = Path(__file__).parent / "office"


def load(page: Page, site: str, data: bytes, name: str = "contract.docx") -> None:
    """Open a file in our Word, with the pane next to it."""
    visit(page, f"{site}/word/pane")
    page.eval(f"WordHost.open({base64.b64encode(data).decode()!r}, {name!r})")


def open_word(page: Page, site: str, data: bytes, name: str = "contract.docx") -> None:
    page.view(390)
    load(page, site, data, name)
    wait(page, "Boolean(document.querySelector('[data-action=open]'))")


def press(page: Page, selector: str) -> None:
    """Press a button of the pane, and wait until it has done what it does."""
    found = f"document.querySelector({json.dumps(selector)})"
    assert page.eval(f"Boolean({found}) && !{found}.disabled"), selector
    page.eval(f"{found}.click()")
    settle(page)


def settle(page: Page) -> None:
    """Wait until the pane is idle: a review may take a while on a busy machine."""
    until = time.monotonic() + MOST_WAITED
    while page.eval("document.querySelector('#pane-part').hasAttribute('aria-busy')"):
        assert time.monotonic() < until, said(page)
        time.sleep(0.05)


def submit(page: Page, action: str) -> None:
    page.eval(f"document.querySelector('[data-action={action}]').requestSubmit(); 0")
    settle(page)


def said(page: Page) -> str:
    return str(page.eval("document.querySelector('#pane-said').textContent"))


def review(page: Page, party: str, *playbooks: str) -> None:
    """Have the open contract read and reviewed for a party."""
    submit(page, "open")
    assert page.eval("Boolean(document.querySelector('#party'))"), said(page)
    page.eval(
        "for (const each of document.querySelectorAll('#party option')) "
        f"each.selected = each.textContent.includes({party!r}); 0"
    )
    chosen = json.dumps(playbooks or ["due-diligence"])
    page.eval(
        "for (const each of document.querySelectorAll('#p option')) "
        f"each.selected = {chosen}.includes(each.value); 0"
    )
    submit(page, "review")
    assert page.eval("Boolean(document.querySelector('.tabs'))"), said(page)


def put_in(page: Page, identity: str) -> None:
    press(page, f"[data-id='{identity}'] [data-put-in]")
    if page.eval(f"Boolean(document.querySelector(\"[data-id='{identity}'] [data-asked]\"))"):
        assert "Still to fill in" in said(page)  # it asks first
        press(page, f"[data-id='{identity}'] [data-put-in]")
    assert said(page).startswith("Put in as a tracked change"), (identity, said(page))


def saved(page: Page) -> bytes:
    return base64.b64decode(page.eval("WordHost.save()"))


def words(page: Page) -> str:
    return str(page.eval("WordHost.text()"))


def cards(page: Page, tab: str) -> Any:
    return page.eval(
        f"[...document.querySelectorAll('[data-tab-part={tab}] .card')].map((card) => "
        "({ name: card.querySelector('h3').textContent.trim(), text: card.textContent, "
        "data: { ...card.dataset } }))"
    )


def part(data: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.read(name).decode()
