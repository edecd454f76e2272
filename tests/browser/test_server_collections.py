"""A deal made and staffed in a browser; its files sent, retried, dismissed, sorted and tagged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fourcorners.library.store import Library
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from tests.browser.test_accessibility import (  # noqa: F401 - fixtures
    PASSWORD,
    _no_weights,
    axe,
    examine,
    serving,
    view,
)
from tests.browser.test_server_library import visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

DEED = "A DEED\n\n1. Ada shall mill the grain.\n"
CHOOSE = """(() => {
  const form = document.querySelector('form[data-upload]');
  const held = new DataTransfer();
  FILES.forEach(([name, text]) => held.items.add(new File([text], name)));
  const input = form.querySelector('input[type=file]');
  input.files = held.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
})()"""
LINES = "[...document.querySelectorAll('[data-files] li')].map((e) => e.innerText.trim())"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A team's server without a collection, where Ada administers and Bram has no role."""
    path = tmp_path_factory.mktemp("deals") / "library.db"
    with Library.open(path, create=True) as library:
        for name in ("ada", "bram"):
            Accounts(library).add(name, PASSWORD, by="test")
        Accounts(library).grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
    with serving(path, team=True) as address:
        yield address


def enter(page: Page, team: str, name: str) -> None:
    page.call("Network.clearBrowserCookies")
    visit(page, f"{team}/")
    write(page, "main [name=name]", name)
    write(page, "main [name=password]", PASSWORD)
    page.press("Enter")
    wait(page, "location.pathname === '/' && document.querySelector('.menu') !== null")


def write(page: Page, field: str, words: str) -> None:
    """Type words into a field, as the keyboard does."""
    assert page.eval(f"(() => {{ const f = document.querySelector({field!r}); f.focus();"
                     "return document.activeElement === f })()"), field  # fmt: skip
    page.call("Input.insertText", text=words)


def choose(page: Page, *files: tuple[str, str]) -> None:
    page.eval(CHOOSE.replace("FILES", str([list(each) for each in files])))


def test_a_deal_is_made_staffed_and_filled_before_its_first_review(page: Page, team: str) -> None:
    page.view(1440)
    enter(page, team, "ada")
    write(page, "#new-name", "Project Oak")
    write(page, "#new-client", "Northmere Water Limited")
    write(page, "[aria-label='Member 1']", "bram")
    write(page, "[aria-label='Role of member 1']", "")
    page.press("e")  # the choice that begins with it: editor
    write(page, "#new-client", "")
    page.press("Enter")
    wait(page, "location.pathname === '/c/Project%20Oak'")
    wait(page, "document.body.innerText.includes('acting for Northmere Water Limited')")
    enter(page, team, "bram")
    assert page.eval("document.querySelector('h2 bdi').textContent") == "Project Oak"
    visit(page, f"{team}/c/Project%20Oak")
    choose(page, ("deed.txt", DEED))
    page.eval("document.querySelector('form[data-upload]').requestSubmit()")
    wait(page, "document.querySelector('.files .read a') !== null")
    assert page.complaints() == []


def test_each_file_has_its_line_from_the_first_second(page: Page, team: str) -> None:
    page.view(1440)
    enter(page, team, "ada")
    visit(page, f"{team}/c/Project%20Oak")
    large = "The mill.\\n" * 40_000
    choose(page, ("<b>first</b>.txt", large), ("second.txt", large + "2"), ("third.txt", large))
    names = ["<b>first</b>.txt", "second.txt", "third.txt"]
    assert [each.split("\n")[0] for each in page.eval(LINES)] == names
    assert all(each.endswith("waiting") for each in page.eval(LINES))
    page.call("Network.enable")
    slow = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": 300_000}
    page.call("Network.emulateNetworkConditions", offline=False, **slow)
    page.eval("document.querySelector('form[data-upload]').requestSubmit()")
    try:
        wait(page, f"{LINES}[0].endsWith('sent') && /sending \\d+%$/.test({LINES}[1])"
                   f" && {LINES}[2].endsWith('waiting')")  # fmt: skip
    finally:
        fast = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        page.call("Network.emulateNetworkConditions", offline=False, **fast)
    wait(page, "location.pathname.startsWith('/tasks/')")
    page.call("Network.disable")
    wait(page, "document.querySelector('.state.done') !== null")


@pytest.mark.usefixtures("view")
def test_failed_files_tags_and_sorting_break_no_rule(page: Page, team: str, axe: str) -> None:  # noqa: F811
    enter(page, team, "ada")
    visit(page, f"{team}/c/Project%20Oak")
    choose(page, ("torn.pdf", "%PDF-1.7 and nothing more"))
    page.eval("document.querySelector('form[data-upload]').requestSubmit()")
    wait(page, "document.querySelector('.files .failed') !== null")
    visit(page, f"{team}/c/Project%20Oak")
    page.eval("document.querySelector('[name=d]').click()")
    write(page, "#new-tag", "Signed")
    page.press("Enter")
    wait(page, "document.querySelector('.tag')?.textContent === 'Signed'")
    examine(page, axe)
    visit(page, f"{team}/c/Project%20Oak?sort=-added&tag=signed")
    assert page.eval("document.querySelector('[aria-sort=descending]').textContent") == "Added"
    assert page.eval("document.querySelectorAll('.tag').length") == 1
    assert page.eval("document.documentElement.scrollWidth <= innerWidth")
    again = "document.querySelector('[action=\"/failures\"] [value=retry]').form"
    page.eval(f"{again}.querySelector('button').focus()")
    page.press("Enter")
    wait(page, "location.pathname.startsWith('/tasks/')")
    wait(page, "document.querySelector('.files .failed') !== null")
    visit(page, f"{team}/c/Project%20Oak")
    page.eval("window.confirm = () => true")
    page.eval("document.querySelector('[action=\"/failures\"] [value=dismiss]').form"
              ".requestSubmit()")  # fmt: skip
    wait(page, "document.readyState === 'complete' && document.querySelector('[name=d]') !== null"
               " && document.querySelector('#unread') === null")  # fmt: skip
    page.eval("document.querySelector('[name=d]').click()")
    write(page, "#new-tag", "Signed")
    page.eval("document.querySelector('#tagging [value=remove]').click()")
    wait(page, "document.readyState === 'complete' && !document.querySelector('.tag')")
    assert page.complaints() == []
