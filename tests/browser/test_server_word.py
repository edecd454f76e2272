"""The add-in in a small Word of ours, over real files: what it shows, and what it puts in."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.library.store import Library
from fourcorners.settings import WordSettings
from tests.browser.test_accessibility import serving
from tests.browser.test_server_library import visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

OFFICE = Path(__file__).parent.parent / "word" / "office"
SHARED = Path(__file__).parents[3] / "shared"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of one's own machine with an empty collection."""
    path = tmp_path_factory.mktemp("word") / "library.db"
    with Library.open(path, create=True) as library:
        library.add_collection("Hosting")
    with serving(path, word=WordSettings(office_js=OFFICE)) as address:
        yield address


def open_word(page: Page, site: str, data: bytes, name: str = "contract.docx") -> None:
    """Open a file in our Word, with the pane next to it."""
    page.view(390)
    visit(page, f"{site}/word/pane")
    page.eval(f"WordHost.open({base64.b64encode(data).decode()!r}, {name!r})")
    wait(page, "Boolean(document.querySelector('[data-action=open]'))")


def press(page: Page, selector: str) -> None:
    """Press a button of the pane, and wait until it has done what it does."""
    pressed = page.eval(f"document.querySelector({json.dumps(selector)})?.click() ?? 'pressed'")
    assert pressed == "pressed", selector
    settle(page)


def settle(page: Page) -> None:
    wait(page, "!document.querySelector('#pane-part').hasAttribute('aria-busy')")


def submit(page: Page, action: str) -> None:
    page.eval(f"document.querySelector('[data-action={action}]').requestSubmit(); 0")
    settle(page)


def said(page: Page) -> str:
    return str(page.eval("document.querySelector('#pane-said').textContent"))


def review(page: Page, party: str, playbook: str = "due-diligence") -> None:
    """Have the open contract read and reviewed for a party."""
    submit(page, "open")
    assert page.eval("Boolean(document.querySelector('#party'))"), said(page)
    page.eval(
        "for (const each of document.querySelectorAll('#party option')) "
        f"each.selected = each.textContent.includes({party!r}); 0"
    )
    page.eval(
        "for (const each of document.querySelectorAll('#p option')) "
        f"each.selected = each.value === {playbook!r}; 0"
    )
    submit(page, "review")
    assert page.eval("Boolean(document.querySelector('.tabs'))"), said(page)


def saved(page: Page) -> bytes:
    return base64.b64decode(page.eval("WordHost.save()"))


def cards(page: Page, tab: str) -> Any:
    return page.eval(
        f"[...document.querySelectorAll('[data-tab-part={tab}] .card')].map((card) => "
        "({ name: card.querySelector('h3').textContent.trim(), text: card.textContent, "
        "data: { ...card.dataset } }))"
    )


@pytest.fixture
def services(page: Page, site: str) -> bytes:
    """The agreement of the cases, open and reviewed for the customer."""
    path = SHARED / "cases" / "redline" / "services.docx"
    if not path.is_file():
        pytest.skip("the shared cases are not here")
    data = path.read_bytes()
    open_word(page, site, data, path.name)
    review(page, "Bexley")
    return data


def test_x(page: Page, services: bytes) -> None:
    for tab in ("changes", "points", "responses", "findings"):
        print(tab)
        for card in cards(page, tab):
            print("  ", card["name"], "|", " ".join(card["text"].split())[:300])
    print(page.complaints())
