"""The review grid of a running server in a real browser: keys, windows, panel, marks, widths."""

from __future__ import annotations

import importlib.util
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import Finding, Severity
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytest.importorskip("fastapi")
uvicorn = pytest.importorskip("uvicorn")

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BOOK = load_playbook("due-diligence")
ROWS = 130
GRID = "/reviews/grid?c=Mills&p=due-diligence"
AT = "document.activeElement.closest('td')"


def module(path: str) -> ModuleType:
    """Load a module of the server's tests, which is no package."""
    source = Path(__file__).parent.parent / "server" / path
    spec = importlib.util.spec_from_file_location(f"server_{source.stem}", source)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


def fill(library: Library, folder: Path) -> None:
    grids, conftest = module("grids.py"), module("conftest.py")
    cells: list[Finding] = []
    for number in range(ROWS):
        path = folder / f"lease-{number:03d}.txt"
        path.write_text(conftest.LEASE.replace("A MILL", f"MILL NUMBER {number:03d}"))
        made = prepare_file(path)
        assert isinstance(made, PreparedFile)
        library.add_columns(made.columns, None, collection="Mills")
        document = made.columns.id
        for place, provision in enumerate(BOOK.provisions):
            if (number + place) % 3:
                cells.append(grids.absent(document, provision.id))
            else:
                severity = (Severity.HIGH, Severity.NONE)[number % 2]
                cells.append(grids.found(document, provision.id, library.text(document), severity))
    grids.fill(library, BOOK, cells)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of one's own machine over a filled library; its address."""
    from fourcorners.operations.local_models import LocalModels
    from fourcorners.server.app import create_app

    folder = tmp_path_factory.mktemp("mills")
    with Library.open(folder / "library.db", create=True) as library:
        fill(library, folder)
    patch = pytest.MonkeyPatch()
    patch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    app = create_app(folder / "library.db", Settings(library="x.db", jobs=1, reviewer="Ada"))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    running: Any = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{listening.getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join(15)
        patch.undo()


def go(page: Page, address: str) -> None:
    page.call("Page.navigate", url="about:blank")
    page.events.clear()
    page.call("Page.navigate", url=address)
    wait(page, "location.href != 'about:blank' && document.readyState == 'complete'")
    page.eval("true")


def wait(page: Page, expression: str, seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not page.eval(f"Boolean({expression})"):
        assert time.monotonic() < until, expression
        time.sleep(0.03)


def loaded(page: Page) -> None:
    """Wait for rows, and for the bodies that stand for rows out of view: the script's last act."""
    wait(page, "document.querySelector('#grid tr[data-d]')")
    wait(page, "document.querySelector('#grid > tbody.spacer')")


def cell(row: int, column: int) -> str:
    return f'document.querySelector(\'tr[data-n="{row}"] > td.c[aria-colindex="{column + 3}"]\')'


def test_the_grid_is_one_list_and_keeps_few_rows_in_the_page(page: Page, server: str) -> None:
    page.view(1280)
    go(page, server + GRID)
    loaded(page)
    scroll = "document.querySelector('#scroll')"
    rows = "document.querySelectorAll('#grid tr[data-d]').length"
    wait(page, f"{scroll}.scrollHeight > {ROWS * 50}")
    page.eval(f"{scroll}.scrollTop = {scroll}.scrollHeight")
    wait(page, f"document.querySelector('tr[data-n=\"{ROWS}\"]')")
    assert page.eval(rows) <= 60
    height = page.eval(f"{scroll}.scrollHeight")
    page.eval(f"{scroll}.scrollTop = 0")
    wait(page, "document.querySelector('tr[data-n=\"1\"]')")
    assert page.eval(f"{scroll}.scrollHeight") == height
    assert page.complaints() == []


def test_keys_alone_move_open_judge_and_close(page: Page, server: str) -> None:
    page.view(1280)
    go(page, server + GRID)
    loaded(page)
    page.press("ArrowDown")
    assert page.eval(f"{AT} === {cell(1, 0)}")
    page.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft")
    assert page.eval(f"{AT} === {cell(4, 0)}")
    page.press("Enter")
    wait(page, "document.querySelector('#panel mark')")
    assert page.eval("document.querySelector('#panel h2').textContent") == BOOK.provisions[0].name
    page.press("c")  # and on to the next that is not checked
    wait(page, f"{cell(4, 0)}.classList.contains('r-confirmed')")
    wait(page, f"{AT} === {cell(4, 3)}")
    name = BOOK.provisions[3].name
    wait(page, f"document.querySelector('#panel h2')?.textContent === '{name}'")
    page.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    wait(page, "document.querySelector('#panel .chips')?.textContent.includes('Confirmed')")
    page.press("u")
    wait(page, f"{cell(4, 0)}.classList.contains('r-proposed')")
    page.press("r")
    wait(page, f"{cell(4, 0)}.classList.contains('r-rejected')")
    page.press("e")
    wait(page, "document.activeElement.id === 'value'")
    page.eval("document.activeElement.value = 'Nobody may end it.'")
    page.eval("document.activeElement.form.requestSubmit()")
    wait(page, f"{cell(4, 0)}.textContent.includes('Nobody may end it.')")
    page.press("Escape")
    assert page.eval("document.querySelector('#panel').hidden")
    assert page.eval(f"{AT} === {cell(4, 0)}")
    page.press("End")
    last = cell(4, len(BOOK.provisions) - 1)
    wait(page, f"{last} && {AT} === {last}")
    page.press("?")
    assert page.eval("document.querySelector('#help').open")
    page.press("Escape")
    page.press("/")
    assert page.eval("document.activeElement.id") == "f-find"
    assert page.complaints() == []


def test_typed_words_are_never_lost_and_saved_by_a_key(page: Page, server: str) -> None:
    page.view(1280)
    go(page, server + GRID)
    loaded(page)
    field = "document.querySelector('#panel #comment')"
    page.press("ArrowDown", "ArrowDown", "Enter")
    wait(page, field)
    page.press("m")
    wait(page, f"document.activeElement === {field}")
    page.press("A", "s", "k")
    page.press("Escape")  # leaves the field
    assert page.eval(f"{field}.value") == "Ask"
    page.eval(f"{cell(1, 0)}.querySelector('a').click()")
    wait(page, f"{field}?.value === ''")
    page.press("ArrowDown")
    wait(page, f"{field}?.value === 'Ask'")
    page.press("Escape")  # closes the panel
    assert page.eval("document.querySelector('#panel').hidden")
    page.press("Enter")
    wait(page, f"{field}?.value === 'Ask'")
    assert page.eval("document.querySelector('#panel .unsaved').textContent") == "Not saved yet."
    page.eval("document.querySelector('#panel').scrollTop = 9999")
    head = "document.querySelector('#panel h2').getBoundingClientRect()"
    shown = "document.querySelector('#panel').getBoundingClientRect()"
    assert page.eval(f"{head}.top >= {shown}.top && {head}.bottom <= {shown}.bottom")
    page.press("m")
    ctrl = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 2}
    page.call("Input.dispatchKeyEvent", type="keyDown", **ctrl)
    page.call("Input.dispatchKeyEvent", type="keyUp", **ctrl)
    wait(page, "document.querySelector('#panel .history').textContent.includes('Ask')")
    assert page.eval(f"{field}.value") == ""
    drafts = "Object.keys(sessionStorage).filter((key) => key.startsWith('draft ')).length"
    assert page.eval(drafts) == 0
    times = "document.querySelector('#panel time')"
    assert page.eval(f"{times}.title").endswith(" UTC")
    assert "UTC" not in page.eval(f"{times}.textContent")
    assert page.complaints() == []


def test_an_ended_session_asks_in_place_and_the_work_goes_on(page: Page, server: str) -> None:
    page.view(1280)
    go(page, server + GRID)
    loaded(page)
    page.eval(  # the server answers the first mark as it does who has been signed out
        "(() => { const real = fetch; let ended = true;"
        "window.fetch = async (address, asked) => {"
        " if (!ended || asked?.method !== 'POST') return real(address, asked);"
        " ended = false;"
        " const place = { redirected: { value: true }, url: { value: `${origin}/sign-in` } };"
        " return Object.defineProperties(new Response(''), place); } })()"
    )
    for _ in range(6):
        page.press("ArrowDown")
    page.press("Enter")
    wait(page, "document.querySelector('#panel #finding')")
    page.press("c")
    dialog = "document.querySelector('dialog[open] #signed-out')"
    wait(page, dialog)
    assert page.eval("document.querySelector('dialog[open] a').target") == "_blank"
    page.eval("document.querySelector('dialog[open] [value=go]').click()")
    wait(page, f"!{dialog} && {cell(6, 0)}.classList.contains('r-confirmed')")
    assert page.complaints() == []


def test_what_a_colleague_marks_is_shown_at_once(page: Page, server: str) -> None:
    page.view(1280)
    go(page, server + GRID)
    loaded(page)
    wait(page, f"{cell(8, 1)}?.querySelector('a[tabindex]')")
    document = page.eval(f"{cell(8, 1)}.parentElement.dataset.d")
    form = f"c=Mills&p=due-diligence&d={document}&v={BOOK.provisions[1].id}&says=second_look"
    page.eval(
        "fetch('/reviews/mark', { method: 'POST', body: new URLSearchParams("
        f"'{form}&csrf=' + document.querySelector('meta[name=csrf-token]').content) }})"
    )
    wait(page, f"{cell(8, 1)}.classList.contains('r-second_look')")


def test_picked_rows_are_confirmed_at_once(page: Page, server: str) -> None:
    page.view(1280)
    go(page, server + GRID)
    loaded(page)
    page.press("ArrowDown", "x", "ArrowDown", "x")
    assert page.eval("document.querySelector('#picked').textContent").startswith(
        "2 contracts selected"
    )
    wait(page, "!document.querySelector('#bulk [value=confirmed]').disabled")
    page.eval("document.querySelector('#bulk [value=confirmed]').click()")
    wait(page, "document.querySelector('#sure[open]')")
    page.eval("document.querySelector('#sure .main').click()")
    wait(page, "document.querySelector('#done').textContent.includes('confirmed')")
    wait(page, f"{cell(1, 0)}.classList.contains('r-confirmed')")
    assert page.eval("document.querySelectorAll('tr.picked').length") == 0
    assert page.complaints() == []


@pytest.mark.parametrize("width", [390, 820, 1280, 2560])
@pytest.mark.parametrize("address", [GRID, f"{GRID}&marks=1", "/reviews", "/precedents",
                                     "/playbooks", "/playbooks/due-diligence",
                                     "/playbooks/new", "/activity", "/activity/audit"])  # fmt: skip
def test_no_page_is_wider_than_the_window_or_says_a_word(
    page: Page, server: str, width: int, address: str
) -> None:
    page.view(width)
    go(page, server + address)
    assert page.eval("document.documentElement.scrollWidth") <= width
    assert page.complaints() == []


def test_without_scripts_the_grid_has_pages_and_links(page: Page, server: str) -> None:
    page.view(1280, scripts=False)
    try:
        page.call("Page.navigate", url=server + GRID)
        until = time.monotonic() + 90
        while "Page 1 of 7" not in (tree := str(page.call("DOM.getDocument", depth=-1))):
            assert time.monotonic() < until, "the page does not come"
            time.sleep(0.1)
    finally:
        page.view(1280)
    assert "/reviews/cell?c=Mills" in tree


CONTRAST = """(() => {
  const lum = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
  const parse = (c) => (c.match(/[\\d.]+/g) ?? []).map(Number);
  const back = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const worst = [];
  for (const e of document.querySelectorAll('main *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.offsetParent || e.closest('.sr, .off, [aria-hidden], option, [aria-busy]')) continue;
    const a = lum(parse(getComputedStyle(e).color)), b = lum(back(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) worst.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)} ${e.textContent.trim().slice(0, 30)}`);
  }
  return worst.slice(0, 5);
})()"""  # noqa: E501


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", [GRID, "/precedents", "/playbooks/due-diligence",
                                     "/activity/audit?verify=1"])  # fmt: skip
def test_words_stand_out_from_what_is_behind_them(
    page: Page, server: str, scheme: str, address: str
) -> None:
    page.view(1280)
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    page.call("Emulation.setEmulatedMedia", features=media)
    try:
        go(page, server + address)
        assert page.eval(CONTRAST) == []
    finally:
        page.call("Emulation.setEmulatedMedia", features=[])
