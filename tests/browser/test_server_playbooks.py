"""The editor of a playbook in a real browser: a form and the YAML, two views of one file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.browser import test_server_library as pages
from tests.browser.test_server_library import Site, visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
site = pages.site
NAME = "#f-provisions-0-name"


def change(page: Page, selector: str, value: str) -> None:
    """Type into a field, and leave it."""
    page.eval(
        f"(() => {{ const field = document.querySelector({json.dumps(selector)});"
        f" field.value = {json.dumps(value)};"
        " field.dispatchEvent(new Event('change', { bubbles: true })); })()"
    )


def test_what_is_changed_in_one_view_is_changed_in_the_other(page: Page, site: Site) -> None:
    page.view(1440)
    visit(page, f"{site.url}/playbooks/new?extends=due-diligence")
    page.eval("document.querySelector(\"button[value='change:assignment']\").click()")
    wait(page, f"document.querySelector('{NAME}') !== null")
    before = page.eval("document.querySelector('#text').value")
    page.eval("document.querySelector('details.provision').open = false")
    change(page, NAME, "Who may assign")
    wait(page, "document.querySelector('#text').value.includes('name: Who may assign')")
    assert page.eval("document.querySelector('details.provision').open") is False
    after = page.eval("document.querySelector('#text').value")
    assert "# " in after
    assert len(after.splitlines()) - len(before.splitlines()) in (0, 1)
    change(page, "#text", after.replace("Who may assign", "Assigning"))
    wait(page, f"document.querySelector('{NAME}').value === 'Assigning'")
    page.eval("document.querySelector(\"button[value='add:provisions']\").click()")
    wait(page, "document.querySelector('#text').value.includes('id: new-provision')")
    wait(page, "document.querySelector('#faults .fine') !== null")
    assert page.eval("document.documentElement.scrollWidth <= window.innerWidth")
    page.view(390)
    assert page.eval("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.complaints() == []
