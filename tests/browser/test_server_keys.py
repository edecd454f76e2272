"""Keys that mark findings act where the finding is seen, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import Severity
from tests.browser.test_accessibility import axe, examine, serving_leases  # noqa: F401 - a fixture
from tests.browser.test_server_review import AT, GRID, cell, go, loaded, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BOOK = load_playbook("due-diligence")
NAMES = [provision.name for provision in BOOK.provisions]
ROWS = 6
FOUND = 4  # columns, from the first, that hold a finding in every row
PANEL = "document.querySelector('#panel')"
FIELD = "document.querySelector('#panel #comment')"
SAID = "document.querySelector('#said').textContent"
ROOM = "document.querySelector('.grid-room').dataset.panel"
MARKS = "crfu"
# Counts what is sent to be marked; what is read may be made to wait.
WATCH = """
(() => {
  const real = fetch;
  window.sent = [];
  window.delay = 0;
  window.fetch = async (address, asked) => {
    if (asked?.method === 'POST' && !String(address).endsWith('/count')) sent.push(String(address));
    if (delay && !asked?.method) await new Promise((done) => setTimeout(done, delay));
    return real(address, asked);
  };
})()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a small review; its address."""
    folder = tmp_path_factory.mktemp("keys")
    with serving_leases(folder, ROWS, lambda _, column: column < FOUND, Severity.NONE) as address:
        yield address


@pytest.fixture
def grid(page: Page, site: str) -> Page:
    page.view(1440)
    go(page, site + GRID)
    loaded(page)
    page.eval("sessionStorage.clear()")
    wait(page, f"{cell(ROWS, 0)}?.querySelector('a[tabindex]')")
    page.eval(WATCH)
    return page


def open_finding(page: Page, row: int = 1, column: int = 0) -> None:
    page.eval(f"{cell(row, column)}.querySelector('a').click()")
    wait(page, f"{PANEL}.querySelector('#finding')?.dataset.v === {cell(row, column)}.dataset.v")
    wait(page, f"{PANEL}.querySelector('#finding').dataset.d === "
               f"{cell(row, column)}.parentElement.dataset.d")  # fmt: skip
    wait(page, f"!{PANEL}.hasAttribute('aria-busy')")


def open_contract(page: Page, row: int = 1, column: int = 0) -> None:
    """Open the contract next to the grid, as a reader does: Enter on the cell, and again."""
    open_finding(page, row, column)
    page.press("Enter")
    wait(page, f"{ROOM} === 'contract' && {PANEL}.querySelector('.contract')")


def unmarked(page: Page, *, presses: int = 1) -> None:
    """Press every key that marks, and check that nothing is sent."""
    for key in MARKS:
        for _ in range(presses):
            page.press(key)
    page.eval("new Promise((done) => setTimeout(done, 150))")
    assert page.eval("sent.length") == 0, page.eval("sent.join()")


def key_event(page: Page, key: str, options: str) -> None:
    """Send a key with what a headless keyboard cannot: repeats, modifiers, composition."""
    page.eval(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        f"{{ key: '{key}', bubbles: true, cancelable: true, {options} }}))"
    )


def test_m_leads_from_the_contract_to_the_comment_box_and_words_go_into_it(grid: Page) -> None:
    open_contract(grid)
    grid.press("m", *"crfuxn")
    assert grid.eval(f"document.activeElement === {FIELD}")
    assert grid.eval(f"{FIELD}.value") == "crfuxn"
    assert grid.eval("sent.length") == 0
    assert grid.eval("document.querySelectorAll('tr.picked').length") == 0
    assert grid.eval(f"{PANEL}.querySelector('h2').textContent") == NAMES[0]
    grid.press("Escape")
    assert grid.eval(f"{FIELD}.value") == "crfuxn"
    assert grid.complaints() == []


def test_e_leads_from_the_contract_to_the_correction(grid: Page) -> None:
    open_contract(grid, 1, 1)
    grid.press("e", *"crm")
    value = "document.querySelector('#panel #value')"
    assert grid.eval(f"document.activeElement === {value}")
    assert grid.eval(f"{value}.value") == "crm"  # in the place of the words that were proposed
    assert grid.eval("sent.length") == 0


def test_a_comment_that_was_begun_is_there_after_the_contract_was_read(grid: Page) -> None:
    open_finding(grid, 1, 2)
    grid.press("m", *"first")
    grid.press("Escape")
    grid.eval(f"{PANEL}.querySelector('a[data-open]').click()")
    wait(grid, f"{ROOM} === 'contract' && {PANEL}.querySelector('.contract')")
    grid.press("m", *"ly")
    assert grid.eval(f"{FIELD}.value") == "firstly"


def test_marks_wait_until_the_contract_gives_way_to_the_finding(grid: Page) -> None:
    open_contract(grid)
    unmarked(grid, presses=2)
    assert grid.eval(f"{ROOM}") == "contract"
    assert "Esc" in grid.eval(SAID)
    grid.eval(f"{PANEL}.querySelector('[data-find] input').focus()")
    grid.press(*"crm")
    assert grid.eval(f"{PANEL}.querySelector('[data-find] input').value") == "crm"
    unmarked(grid)
    grid.press("Escape")  # leaves the field
    grid.press("Escape")  # goes back to the finding
    wait(grid, f"{ROOM} === 'open' && {PANEL}.querySelector('#finding')")
    wait(grid, f"!{PANEL}.hasAttribute('aria-busy')")
    grid.press("f")
    wait(grid, f"{cell(1, 0)}.classList.contains('r-second_look')")
    grid.press("u")
    wait(grid, f"{cell(1, 0)}.classList.contains('r-proposed')")


def test_a_cell_alone_is_not_the_finding(grid: Page) -> None:
    grid.press("ArrowDown")
    wait(grid, f"{AT} === {cell(1, 0)}")
    unmarked(grid)
    assert "Enter" in grid.eval(SAID)
    assert grid.eval(f"{PANEL}.hidden")


def test_a_finding_that_is_on_its_way_is_not_marked(grid: Page) -> None:
    open_finding(grid)
    grid.eval("window.delay = 1500")
    grid.press("ArrowDown")
    wait(grid, f"{AT} === {cell(2, 0)}")
    unmarked(grid)
    grid.eval("window.delay = 0")
    wait(grid, f"{PANEL}.querySelector('#finding')?.dataset.d === "
               f"{cell(2, 0)}.parentElement.dataset.d")  # fmt: skip
    wait(grid, f"!{PANEL}.hasAttribute('aria-busy')")
    grid.press("f")
    wait(grid, f"{cell(2, 0)}.classList.contains('r-second_look')")


def test_words_typed_before_the_finding_has_come_are_in_the_box(grid: Page) -> None:
    grid.press("ArrowDown")
    wait(grid, f"{AT} === {cell(1, 0)}")
    grid.eval("window.delay = 1000")
    grid.press("m", *"craxn")
    assert grid.eval(f"{FIELD} === null")
    wait(grid, f"document.activeElement === {FIELD}")
    assert grid.eval(f"{FIELD}.value") == "craxn"
    grid.press("z")
    assert grid.eval(f"{FIELD}.value") == "craxnz"
    assert grid.eval("sent.length") == 0
    assert grid.eval("document.querySelectorAll('details.pop[open], tr.picked').length") == 0


@pytest.mark.parametrize(
    "elsewhere",
    [
        "#f-state", "#f-find", ".actions summary", ".bar nav a", ".pick input", "#help-button",
        "#panel select", ".columns summary", ".crumbs a", "thead th a",
    ],
)  # fmt: skip
def test_no_mark_while_something_else_has_the_focus(grid: Page, elsewhere: str) -> None:
    open_finding(grid)
    grid.eval(f"document.querySelector('{elsewhere}').focus()")
    assert grid.eval(f"document.activeElement === document.querySelector('{elsewhere}')")
    unmarked(grid)


@pytest.mark.parametrize("what", ["contenteditable", "role=textbox tabindex=0"])
def test_no_mark_while_a_text_that_can_be_edited_has_the_focus(grid: Page, what: str) -> None:
    open_finding(grid)
    grid.eval(f"{PANEL}.insertAdjacentHTML('beforeend', '<p {what} id=\"free\">words</p>')")
    grid.eval("document.querySelector('#free').focus()")
    unmarked(grid)


@pytest.mark.parametrize("menu", [".columns", ".actions details.pop:not(.ask-column)"])
def test_no_mark_while_a_menu_is_open(grid: Page, menu: str) -> None:
    open_finding(grid)
    grid.eval(f"document.querySelector('{menu}').open = true")
    unmarked(grid)
    grid.press("Escape")
    assert not grid.eval(f"document.querySelector('{menu}').open")


def test_no_mark_behind_a_dialog(grid: Page) -> None:
    open_finding(grid)
    grid.press("?")
    wait(grid, "document.querySelector('#help').open")
    unmarked(grid)
    grid.press("Escape")


@pytest.mark.parametrize(
    "options",
    [
        "repeat: true", "isComposing: true", "keyCode: 229", "ctrlKey: true", "altKey: true",
        "metaKey: true",
    ],
)  # fmt: skip
def test_no_mark_by_a_held_key_a_shortcut_or_a_composition(grid: Page, options: str) -> None:
    open_finding(grid)
    for key in MARKS:
        key_event(grid, key, options)
    grid.eval("new Promise((done) => setTimeout(done, 150))")
    assert grid.eval("sent.length") == 0
    key_event(grid, "m", options)
    assert grid.eval("document.activeElement.id") != "comment"


def test_rows_that_were_drawn_before_a_mark_do_not_hide_it(grid: Page) -> None:
    open_finding(grid, 2, 2)
    grid.eval(  # the rows come late, as the server had them before
        "(() => { const now = fetch; window.fetch = async (address, asked) => {"
        " const answer = await now(address, asked);"
        " if (String(address).includes('/rows?') && !window.first) { window.first = true;"
        "  const text = await answer.text(); window.late = true;"
        "  await new Promise((done) => setTimeout(done, 1500)); window.came = true;"
        "  return new Response(text, { headers: answer.headers }); }"
        " return answer; } })()"
    )
    grid.eval("document.dispatchEvent(new Event('htmx:afterSettle'))")
    grid.eval("document.querySelector('#grid-head').dataset.version = '-1'")
    grid.eval("document.dispatchEvent(new Event('htmx:afterSettle'))")
    wait(grid, "window.late")
    grid.press("f")
    wait(grid, f"{cell(2, 2)}.classList.contains('r-second_look')")
    wait(grid, "window.came")
    grid.eval("new Promise((done) => setTimeout(done, 500))")
    assert grid.eval(f"{cell(2, 2)}.classList.contains('r-second_look')")


def test_a_key_that_is_held_marks_one_finding(grid: Page) -> None:
    open_finding(grid, 3, 0)
    down = {"key": "c", "code": "KeyC", "windowsVirtualKeyCode": 67, "text": "c"}
    grid.call("Input.dispatchKeyEvent", type="keyDown", **down)
    for _ in range(12):
        grid.call("Input.dispatchKeyEvent", type="keyDown", autoRepeat=True, **down)
        grid.eval("new Promise((done) => setTimeout(done, 40))")
    grid.call("Input.dispatchKeyEvent", type="keyUp", key="c", code="KeyC")
    wait(grid, f"{cell(3, 0)}.classList.contains('r-confirmed')")
    assert grid.eval("sent.length") == 1


def test_a_held_shortcut_saves_a_comment_once(grid: Page) -> None:
    open_finding(grid, 5, 0)
    grid.press("m", *"once")
    for options in ("", "repeat: true, ", "repeat: true, "):
        key_event(grid, "Enter", f"{options} ctrlKey: true")
    wait(grid, f"{PANEL}.querySelector('.history').textContent.includes('once')")
    assert grid.eval("sent.length") == 1


def test_many_findings_are_asked_about_and_taken_back(grid: Page, axe: str) -> None:  # noqa: F811
    picked = "document.querySelector('#picked').textContent"
    confirm = "document.querySelector('#bulk [value=confirmed]')"
    dialog = "document.querySelector('dialog[open]')"
    notice = "document.querySelector('#done')"
    confirmed = "document.querySelectorAll('td.r-confirmed').length"
    before = grid.eval(confirmed)
    grid.eval("document.querySelector('select[name=only]').selectedIndex = 4")
    grid.eval(f"{cell(5, 0)}.parentElement.querySelector('input').click()")
    grid.eval(f"{cell(6, 0)}.parentElement.querySelector('input').click()")
    wait(grid, f"{picked}.includes('2 findings to mark') && !{confirm}.disabled")
    grid.eval(f"{confirm}.click()")
    wait(grid, dialog)
    assert grid.eval(f"{dialog}.querySelector('h2').textContent") == "Confirm 2 findings?"
    assert grid.eval("document.activeElement.textContent") == "Cancel"
    examine(grid, axe)
    grid.press("c", "Escape")
    wait(grid, f"!{dialog}")
    assert grid.eval(confirmed) == before
    assert grid.eval("document.querySelectorAll('tr.picked').length") == 2
    wait(grid, f"!{confirm}.disabled")
    grid.eval(f"{confirm}.click()")
    wait(grid, dialog)
    grid.eval(f"{dialog}.querySelector('.main').click()")
    wait(grid, f"{cell(5, 3)}.classList.contains('r-confirmed')")
    wait(grid, f"{cell(6, 3)}.classList.contains('r-confirmed')")
    assert "2 findings confirmed." in grid.eval(f"{notice}.textContent")
    examine(grid, axe)
    assert grid.eval("document.querySelectorAll('tr.picked').length") == 0
    again = grid.eval("location.href")
    go(grid, again)  # the way back is there after a reload
    loaded(grid)
    grid.eval(f"{notice}.querySelector('button').click()")
    wait(grid, f"{notice}.textContent.includes('2 findings are as they were before.')")
    wait(grid, f"{cell(5, 3)}?.classList.contains('r-proposed')")
    wait(grid, f"{cell(6, 3)}.classList.contains('r-proposed')")
    assert not grid.eval(f"{notice}.querySelector('button')")
    assert grid.complaints() == []


def test_enter_that_is_held_does_not_answer_the_question(grid: Page) -> None:
    before = grid.eval("document.querySelectorAll('td.r-confirmed').length")
    grid.eval(f"{cell(1, 1)}.parentElement.querySelector('input').click()")
    confirm = "document.querySelector('#bulk [value=confirmed]')"
    wait(grid, f"!{confirm}.disabled")
    grid.eval(f"{confirm}.focus()")
    down = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    grid.call("Input.dispatchKeyEvent", type="keyDown", **down)
    wait(grid, "document.querySelector('dialog[open]')")
    for _ in range(5):
        grid.call("Input.dispatchKeyEvent", type="keyDown", autoRepeat=True, **down)
    grid.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter")
    grid.eval("new Promise((done) => setTimeout(done, 300))")
    assert grid.eval("document.querySelectorAll('td.r-confirmed').length") == before


# ---- The page of one finding


@pytest.fixture
def finding(grid: Page) -> Page:
    address = grid.eval(f"{cell(4, 1)}.querySelector('a').href")
    go(grid, address)
    grid.eval(WATCH)
    return grid


@pytest.mark.parametrize(
    "options", ["repeat: true", "isComposing: true", "ctrlKey: true", "altKey: true"]
)
def test_the_page_of_a_finding_takes_no_held_key_and_no_shortcut(
    finding: Page, options: str
) -> None:
    for key in MARKS:
        key_event(finding, key, options)
    finding.eval("new Promise((done) => setTimeout(done, 150))")
    assert finding.eval("sent.length") == 0


@pytest.mark.parametrize("elsewhere", ["#seek", ".bar nav a", ".finding-page select", ".crumbs a"])
def test_the_page_of_a_finding_leaves_keys_to_what_has_the_focus(
    finding: Page, elsewhere: str
) -> None:
    finding.eval(f"document.querySelector('{elsewhere}').focus()")
    unmarked(finding)


def test_the_page_of_a_finding_survives_any_key(finding: Page) -> None:
    finding.press('"', "\\", "]")
    finding.press("m", *"cru")
    assert finding.eval("document.querySelector('#comment').value") == "cru"
    assert finding.eval("sent.length") == 0
    assert finding.complaints() == []
