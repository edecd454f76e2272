"""A finding: marked next to its contract, saved by one form, and refused in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.test_accessibility import axe, examine  # noqa: F401 - a fixture
from tests.browser.test_server_keys import (  # noqa: F401 - fixtures
    PANEL,
    ROOM,
    WATCH,
    grid,
    open_contract,
    open_finding,
    site,
)
from tests.browser.test_server_review import cell, go, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
BAR = f"{PANEL}.querySelector('.contract-bar')"
EDIT = f"{PANEL}.querySelector('#edit')"
PROBLEM = "document.querySelector('.problem')"


def test_a_finding_is_marked_next_to_its_contract(grid: Page, axe: str) -> None:  # noqa: F811
    open_contract(grid, 2, 1)
    assert "Tenant may end it" in grid.eval(f"{BAR}.textContent")
    examine(grid, axe)
    grid.eval(f"{BAR}.querySelector('[value=rejected]').click()")
    wait(grid, f"{cell(2, 1)}.classList.contains('r-rejected')")
    wait(grid, f"{BAR}.textContent.includes('Rejected')")
    assert grid.eval(ROOM) == "contract"
    grid.eval(f"{BAR}.querySelector('[value=proposed]').click()")
    wait(grid, f"{cell(2, 1)}.classList.contains('r-proposed')")
    assert grid.eval("sent.length") == 2
    grid.eval(f"{BAR}.querySelector('[data-next]').click()")
    wait(grid, f"{ROOM} === 'open' && {cell(2, 2)}.classList.contains('open')")
    assert grid.complaints() == []


def test_what_is_wrong_is_said_at_the_field_and_nowhere_else(
    grid: Page,  # noqa: F811
    axe: str,  # noqa: F811
) -> None:
    open_finding(grid, 3, 1)
    before = grid.eval("document.querySelector('#said').textContent")
    grid.eval(f"{EDIT}.requestSubmit({EDIT}.querySelector('button'))")
    wait(grid, PROBLEM)
    assert grid.eval(f"{PROBLEM}.textContent").startswith("There is nothing to save.")
    assert "Library" not in grid.eval(f"{PROBLEM}.textContent")
    assert grid.eval("document.activeElement.id") == "comment"
    assert grid.eval("document.activeElement.getAttribute('aria-describedby')") == "problem"
    assert grid.eval("document.querySelector('#said').textContent") == before
    examine(grid, axe)
    grid.press(*"better")
    grid.eval(f"{EDIT}.querySelector('#to').value = 'Bram: Miller'")
    grid.eval(f"{EDIT}.requestSubmit({EDIT}.querySelector('button'))")
    wait(grid, "document.activeElement.id === 'to'")
    assert grid.eval("document.querySelectorAll('.problem').length") == 1
    assert grid.eval(f"{EDIT}.querySelector('#comment').value") == "better"


def test_one_save_sends_all_that_was_changed(grid: Page) -> None:  # noqa: F811
    open_finding(grid, 4, 2)
    assert grid.eval(f"{PANEL}.querySelectorAll('#edit button').length") == 1
    grid.eval(
        f"(() => {{ const level = {EDIT}.querySelector('#severity'); level.value = 'high';"
        " level.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    assert grid.eval(f"{EDIT}.querySelector('.unsaved').textContent") == "Not saved yet."
    grid.press("ArrowDown", "ArrowUp")  # to another finding, and back
    wait(grid, f"{EDIT}?.querySelector('#severity').value === 'high'")
    grid.press("m", *"grave")
    wait(grid, f"{EDIT}?.querySelector('#comment')?.value === 'grave'")
    grid.eval(f"{EDIT}.requestSubmit({EDIT}.querySelector('button'))")
    wait(grid, f"{cell(4, 2)}.classList.contains('s-high')")
    history = f"{PANEL}.querySelector('.history').textContent"
    assert "grave" in grid.eval(history)
    assert grid.eval("sent.length") == 1
    assert not grid.eval(f"{PANEL}.querySelector('.unsaved')")


def test_many_are_assigned_after_the_name_is_right(grid: Page, axe: str) -> None:  # noqa: F811
    assign = "document.querySelector('#bulk [value=assigned]')"
    dialog = "document.querySelector('dialog[open]')"
    grid.eval("document.querySelector('select[name=only]').selectedIndex = 4")
    grid.eval(f"{cell(5, 0)}.parentElement.querySelector('input').click()")
    wait(grid, f"!{assign}.disabled")
    grid.eval(f"{assign}.click()")
    wait(grid, dialog)
    examine(grid, axe)
    assert grid.eval("document.activeElement.id") == "many-to"
    grid.press(*"A:b")
    grid.eval(f"{dialog}.querySelector('.main').click()")
    wait(grid, PROBLEM)
    assert grid.eval("document.activeElement.id") == "many-to"
    grid.eval("document.activeElement.value = 'Bram'")
    grid.eval(f"{dialog}.querySelector('.main').click()")
    wait(grid, f"{cell(5, 3)}.textContent.includes('@Bram')")
    done = "document.querySelector('#done')"
    assert "1 finding assigned." in grid.eval(f"{done}.textContent")
    grid.eval(f"{done}.querySelector('button').click()")
    wait(grid, f"!{cell(5, 3)}.textContent.includes('@Bram')")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_of_a_finding_shows_its_contract_next_to_it(
    grid: Page,  # noqa: F811
    axe: str,  # noqa: F811
    width: int,
) -> None:
    address = grid.eval(f"{cell(4, 1)}.querySelector('a').href")
    grid.view(width)
    go(grid, address)
    grid.eval(WATCH)
    grid.eval("document.querySelector('a[data-open]').click()")
    if width == 390:
        wait(grid, "location.pathname.startsWith('/d/')")
        return
    wait(grid, "document.querySelector('#contract .contract mark')")
    examine(grid, axe)
    grid.press(*"crf")  # the focus is in the contract
    grid.eval("new Promise((done) => setTimeout(done, 150))")
    assert grid.eval("sent.length") == 0
    grid.eval("document.querySelector('.says [value=second_look]').click()")
    wait(grid, "document.querySelector('.says [value=proposed]')")
    assert grid.complaints() == []


def test_the_words_that_a_cell_cuts_are_shown_while_the_focus_or_pointer_is_there(
    grid: Page,  # noqa: F811
    axe: str,  # noqa: F811
) -> None:
    link = f"{cell(2, 0)}.querySelector('a')"
    shown = "document.querySelector('#cell-words:popover-open')"
    grid.eval(f"{link}.querySelector('span').append(' and more'.repeat(30))")
    grid.eval(f"{link}.dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }}))")
    wait(grid, shown)
    assert "The Tenant may end this lease" in grid.eval(f"{shown}.textContent")
    assert grid.eval(f"{link}.getAttribute('aria-describedby')") == "cell-words"
    examine(grid, axe)
    grid.press("Escape")
    assert not grid.eval(f"Boolean({shown})")
    grid.eval(f"{link}.focus()")
    wait(grid, shown)
    assert grid.complaints() == []


def test_a_cell_ends_with_a_word_and_its_tip_says_the_rest(grid: Page) -> None:  # noqa: F811
    words = f"{cell(2, 0)}.querySelector('a > span')"
    whole = "indemnification of the purchaser " * 9
    grid.eval(f"{words}.replaceChildren({whole!r}); 0")  # no words that were cut before
    grid.eval("document.querySelector('.review-grid').dispatchEvent(new Event('drawn')); 0")
    wait(grid, f"{words}.textContent.endsWith('…')")
    shown = grid.eval(f"{words}.lastChild.data").removesuffix("…")
    assert whole.startswith(f"{shown} ")
    assert grid.eval(f"{words}.scrollHeight <= {words}.clientHeight")
    grid.eval(f"{words}.parentElement.focus()")
    wait(grid, "document.querySelector('#cell-words:popover-open')")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_the_page_of_a_finding_is_accessible(
    grid: Page,  # noqa: F811
    axe: str,  # noqa: F811
    scheme: str,
    width: int,
) -> None:
    address = grid.eval(f"{cell(4, 1)}.querySelector('a').href")
    scheme_feature = {"name": "prefers-color-scheme", "value": scheme}
    grid.call("Emulation.setEmulatedMedia", features=[scheme_feature])
    grid.view(width)
    try:
        go(grid, address)
        examine(grid, axe)
        assert grid.eval("document.documentElement.scrollWidth") <= width
    finally:
        grid.call("Emulation.setEmulatedMedia", features=[])
