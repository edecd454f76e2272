"""The mark-up of a contract in a browser: by its keys, and against WCAG 2.2 AA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.playbooks.bank.store import BankClause, store_clauses
from tests.browser.test_accessibility import (  # noqa: F401 - fixtures
    _no_weights,
    axe,
    examine,
    serving,
    view,
)
from tests.browser.test_server_library import visit, wait
from tests.redline.word_contracts import NUMBERING, contract, word_file
from tests.server.pages.test_markup import fill_cells

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a supply agreement whose mark-up is to be made."""
    folder = tmp_path_factory.mktemp("supply")
    path = folder / "supply.docx"
    path.write_bytes(word_file({"body": contract(), "numbering": NUMBERING}))
    made = prepare_file(path)
    assert isinstance(made, PreparedFile)
    with Library.open(folder / "library.db", create=True) as library:
        library.add_columns(made.columns, None, collection="Mill")
        fill_cells(library, made.columns.id)
        store_clauses(library, "firm", [BankClause("Assignment", "Each may assign it.", 4)])
    with serving(folder / "library.db") as site:
        yield f"{site}/d/{made.columns.id}/markup"


DECIDED = "[data-state]:not([data-state=open])"


def propose(page: Page, address: str) -> None:
    """Make the mark-up, and take back what was decided of it."""
    visit(page, f"{address}?new=1")
    page.eval("document.querySelector('#aim').form.requestSubmit(); 0")
    wait(page, "Boolean(document.querySelector('.proposals'))")
    visit(page, address)
    while page.eval(f"Boolean(document.querySelector('{DECIDED}'))"):
        page.eval(f"document.querySelector('{DECIDED} [data-key=u]').click()")
        visit(page, address)


def counts(page: Page, words: str) -> None:
    wait(page, f"document.querySelector('#markup-counts')?.textContent.includes({words!r})")


def test_changes_are_decided_by_key(page: Page, address: str) -> None:
    page.view(1440)
    propose(page, address)
    counts(page, "2 to decide")
    assert page.eval("document.querySelector('.proposal.chosen h3').textContent").startswith(
        "Assig"
    )
    page.press("a")
    counts(page, "1 to decide, 1 accepted")
    wait(page, "document.querySelectorAll('.set ins.accepted').length === 1")
    wait(page, "document.querySelector('.proposal.chosen')?.dataset.state == 'open'")
    page.press("r")
    counts(page, "0 to decide, 1 accepted, 0 edited, 1 rejected")
    page.press("u")
    counts(page, "1 to decide, 1 accepted")
    page.press("k", "e")
    wait(page, "document.activeElement.name == 'words'")
    page.press("x")
    assert page.eval("document.activeElement.value").startswith("x")
    page.eval("document.activeElement.form.requestSubmit(); 0")
    counts(page, "1 to decide, 0 accepted, 1 edited")
    assert page.eval("document.querySelectorAll('.set ins.edited').length") >= 1
    assert page.complaints() == []


def test_words_with_a_blank_are_not_saved_unasked(page: Page, address: str) -> None:
    page.view(1440)
    propose(page, address)
    page.eval(
        "window.asked = []; window.confirm = (words) => { asked.push(words); return false; };"
        "(() => { const words = document.querySelector('[data-edit] textarea');"
        "words.value += ' [●] and ____';"
        "words.dispatchEvent(new Event('input', { bubbles: true }));"
        "words.form.requestSubmit() })()"
    )
    assert page.eval("asked") == ["Still to fill in: ●; ____. Save the words with the blank?"]
    counts(page, "2 to decide")


def test_a_change_that_is_not_seen_is_shown_before_a_key_decides_it(
    page: Page, address: str
) -> None:
    page.view(700, 420)
    propose(page, address)
    first = "document.querySelector('.proposals [data-change]')"
    top = f"{first}.getBoundingClientRect().top"
    page.eval("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
    assert page.eval(f"{first}.getBoundingClientRect().bottom < 60")
    page.press("a")
    page.eval("new Promise((done) => setTimeout(done, 400))")
    assert "2 to decide" in page.eval("document.querySelector('#markup-counts').textContent")
    assert page.eval(f"{top} > -20 && {top} < innerHeight")
    page.press("a")
    counts(page, "1 to decide, 1 accepted")


def test_keys_are_for_the_change_that_has_the_focus_and_for_no_held_key(
    page: Page, address: str
) -> None:
    page.view(1440)
    propose(page, address)
    page.eval(
        "for (const more of [{ repeat: true }, { isComposing: true }, { ctrlKey: true }])"
        " document.body.dispatchEvent(new KeyboardEvent('keydown',"
        " { key: 'a', bubbles: true, cancelable: true, ...more })); 0"
    )
    page.eval("document.querySelector('.bar nav a').focus()")
    page.press("a")
    page.eval("new Promise((done) => setTimeout(done, 400))")
    assert "2 to decide" in page.eval("document.querySelector('#markup-counts').textContent")
    second = "document.querySelectorAll('.proposals [data-change]')[1]"
    page.eval(f"{second}.querySelector('[data-key=r]').focus()")
    wait(page, f"{second}.classList.contains('chosen')")
    page.press("r")
    counts(page, "1 to decide, 0 accepted, 0 edited, 1 rejected")
    assert page.eval(f"{second}.dataset.state") == "rejected"


@pytest.mark.parametrize("view", [("light", 390), ("dark", 1440)], indirect=True)
@pytest.mark.usefixtures("view")
def test_the_pages_break_no_rule(page: Page, address: str, axe: str) -> None:  # noqa: F811
    propose(page, address)
    document = address.split("/")[-2]
    change = page.eval("document.querySelector('[data-change]').dataset.change")
    site = address.partition("/d/")[0]
    query = f"d={document}&p=due-diligence&change={change}"
    for place in (address, f"{address}?new=1", f"{site}/precedents/bank?{query}"):
        visit(page, place)
        page.eval("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        examine(page, axe)
        assert page.eval("document.documentElement.scrollWidth <= innerWidth")
