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


def test_inherited_text_is_changed_in_its_field_and_taken_back(page: Page, site: Site) -> None:
    page.view(1440)
    visit(page, f"{site.url}/playbooks/new?extends=due-diligence")
    page.eval("document.querySelector(\"button[value='change:insurance']\").click()")
    definition = "#f-provisions-0-definition"
    wait(page, f"document.querySelector('{definition}').value.length > 20")
    before = page.eval("document.querySelector('#text').value")
    inherited = page.eval(f"document.querySelector('{definition}').value")
    assert inherited not in before
    change(page, definition, "Who insures what.")
    wait(page, "document.querySelector('#text').value.includes('definition: Who insures what.')")
    back = "document.querySelector(\"button[value='inherit:provisions.0.definition']\")"
    wait(page, f"{back} !== null")
    page.eval(f"{back}.click()")
    wait(page, f"document.querySelector('{definition}').value === {json.dumps(inherited)}")
    assert page.eval("document.querySelector('#text').value") == before
    change(page, "#f-provisions-0-questions-0-question", "Who pays for the cover?")
    wait(page, "document.querySelector('#text').value.includes('Who pays for the cover?')")
    wait(page, "document.querySelector('#faults .fine') !== null")
    assert page.complaints() == []


def test_a_second_playbook_by_form_and_its_versions(page: Page, site: Site) -> None:
    page.view(390)
    for _ in range(2):
        visit(page, f"{site.url}/playbooks/new")
        change(page, "#f-name", "Loans of the North")
        wait(page, "document.querySelector('#text').value.includes('id: loans-of-the-north')")
        page.eval("document.querySelector('#editor aside .send .button').click()")
        wait(page, "location.pathname.startsWith('/playbooks/loans-of-the-north')")
    assert page.eval("location.pathname") == "/playbooks/loans-of-the-north-2"
    visit(page, f"{site.url}/playbooks/loans-of-the-north-2/edit")
    change(page, "#f-provisions-0-name", "Delay")
    wait(page, "document.querySelector('#text').value.includes('name: Delay')")
    page.eval("document.querySelector('#editor aside .send .button').click()")
    wait(page, "location.pathname === '/playbooks/loans-of-the-north-2'")
    visit(page, f"{site.url}/playbooks/loans-of-the-north-2/versions")
    assert page.eval("document.querySelector('.changes ins').textContent").strip() == "Delay"
    assert page.eval("document.documentElement.scrollWidth <= window.innerWidth")
    page.eval("document.querySelector('.versions form button').click()")
    wait(page, "document.querySelectorAll('.versions tbody tr').length === 3")
    assert page.complaints() == []
