"""The server's library and contract pages in a real browser, over a real connection."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.server.links import quote_href
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from tests.browser.conftest import Page

NAMES = ("02-cordovan-supply-agreement.pdf", "05-quillon-software-licence.docx")
_START = 60.0


class Site:
    """A server in a process of its own, and what it serves."""

    def __init__(self, url: str, library: Path) -> None:
        self.url = url
        with Library.open(library) as store:
            self.ids = {entry.name: entry.id for entry in store.documents()}
            self.texts = {name: store.text(id_) for name, id_ in self.ids.items()}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, dataroom: Path) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    library = folder / "room.db"
    with Library.open(library) as store:
        for name in NAMES:
            shutil.copy(dataroom / name, folder / name)
            made = prepare_file(folder / name)
            assert isinstance(made, PreparedFile)
            store.add_columns(made.columns, None, collection="Larch")
    with serve(folder, library, PATH=str(folder)) as url:  # without LibreOffice
        yield Site(url, library)


@contextmanager
def serve(folder: Path, library: Path, **environment: str) -> Iterator[str]:
    """Run a server in a process of its own, and lend its address."""
    port = free_port()
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "fourcorners.cli.main", "serve"),
            *("--port", str(port), "--library", str(library)),
        ],
        cwd=folder,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stderr is not None
        until = time.monotonic() + _START
        for line in server.stderr:  # ends where the server does
            if "Fourcorners at" in line:
                break
            assert time.monotonic() < until
        assert server.poll() is None
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        assert server.wait(30) in (0, -15)
        if server.stderr is not None:
            server.stderr.close()


def free_port() -> int:
    """Return a port that is free; the sockets of tests themselves are shut."""
    code = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
    return int(subprocess.check_output([sys.executable, "-c", code], text=True))


def visit(page: Page, address: str) -> None:
    """Open an address, and wait until the page with its modules is complete."""
    page.call("Page.navigate", url="about:blank")
    page.events.clear()
    page.call("Page.navigate", url=address)
    until = time.monotonic() + 60
    ready = "location.href != 'about:blank' && document.readyState == 'complete'"
    while not page.eval(ready):
        assert time.monotonic() < until, "the page does not load"
        time.sleep(0.02)


def wait(page: Page, condition: str) -> None:
    """Wait until a condition holds; it may name an element that is being replaced."""
    until = time.monotonic() + 60
    tried = f"(() => {{ try {{ return ({condition}) }} catch {{ return false }} }})()"
    while not page.eval(tried):
        assert time.monotonic() < until, condition
        time.sleep(0.05)


def span_of(site: Site, name: str, words: str) -> Span:
    start = site.texts[name].index(words)
    return Span(start, start + len(words))


@pytest.mark.parametrize("width", [390, 820, 1280, 2560])
def test_no_page_complains_or_scrolls_sideways(page: Page, site: Site, width: int) -> None:
    page.view(width)
    addresses = ["/", "/c/Larch", "/health?c=Larch", "/search?q=%22supply%22"]
    addresses += [f"/d/{document}" for document in site.ids.values()]
    for address in addresses:
        visit(page, site.url + address)
        assert page.complaints() == [], address
        assert page.eval("document.documentElement.scrollWidth <= innerWidth"), address


def test_a_bare_link_to_a_span_opens_it_highlighted(page: Page, site: Site) -> None:
    page.view(1280)
    name = NAMES[1]
    span = Span(3000, 3120).strip(site.texts[name])
    visit(page, f"{site.url}/d/{site.ids[name]}#s={span.start}-{span.end}")
    wait(page, "document.querySelector('mark') !== null")
    shown = page.eval("[...document.querySelectorAll('mark')].map((m) => m.textContent).join('')")
    assert "".join(str(shown).split()) == "".join(span.text_in(site.texts[name]).split())
    wait(page, "(() => { const at = document.querySelector('mark').getBoundingClientRect();"
         "return at.top > 0 && at.bottom < innerHeight })()")  # fmt: skip


def test_a_printed_page_bears_exact_boxes(page: Page, site: Site) -> None:
    page.view(1280)
    name = NAMES[0]
    span = span_of(site, name, "LONG-TERM SUPPLY AGREEMENT")
    visit(page, site.url + quote_href(site.ids[name], span, span.text_in(site.texts[name])))
    assert page.eval("document.querySelectorAll('.boxes rect').length") == 1
    wait(page, "document.querySelector('#page-1 img').naturalWidth > 500")
    drawn = page.eval(
        "(() => { const box = document.querySelector('.boxes rect').getBoundingClientRect();"
        "const sheet = document.querySelector('#page-1').getBoundingClientRect();"
        "return [box.left - sheet.left, box.top - sheet.top, box.width, box.height,"
        "sheet.width, sheet.height] })()"
    )
    left, top, width, height, across, down = drawn
    assert 0 < left < left + width < across
    assert 0 < top < top + height < down
    assert height < down / 20  # a line, not a paragraph


def test_wrong_words_are_not_highlighted(page: Page, site: Site) -> None:
    page.view(1280)
    visit(page, f"{site.url}/d/{site.ids[NAMES[1]]}?s=10-20&h=00000000#s=10-20")
    assert page.eval("document.querySelectorAll('mark, .boxes rect').length") == 0
    assert page.eval("document.querySelector('[role=alert]') !== null")


def test_a_term_tells_its_meaning_and_hides_it(page: Page, site: Site) -> None:
    page.view(1280)
    visit(page, f"{site.url}/d/{site.ids[NAMES[1]]}")
    page.eval("document.querySelector('a.term').focus()")
    assert page.eval("!document.querySelector('#tip').hidden")
    meant = "document.querySelector('#t' + document.querySelector('a.term').dataset.term + ' dd')"
    assert page.eval(f"document.querySelector('#tip').textContent == {meant}.textContent")
    page.press("Escape")
    assert page.eval("document.querySelector('#tip').hidden")
    assert page.complaints() == []


def test_words_are_selected_by_keys_and_used(page: Page, site: Site) -> None:
    page.view(1280)
    span = span_of(site, NAMES[1], "the Licensor grants")
    visit(page, site.url + quote_href(site.ids[NAMES[1]], span, span.text_in(site.texts[NAMES[1]])))
    wait(page, "document.querySelector('mark') !== null")
    first, second, third, fourth = site.texts[NAMES[1]][span.start :].split()[:4]
    selected = "getSelection().toString().trim()"
    bar = "document.querySelector('.on-words')"
    page.press("s")
    assert page.eval("document.querySelector('[data-select]').ariaPressed") == "true"
    assert page.eval(selected) == first
    page.press("ArrowRight", "ArrowRight", shift=True)
    assert page.eval(selected) == f"{first} {second} {third}"
    page.press("ArrowLeft", shift=True)
    assert page.eval(selected) == f"{first} {second}"
    page.press("ArrowRight")
    assert page.eval(selected) == third
    page.press("ArrowRight", shift=True)
    assert page.eval(selected) == f"{third} {fourth}"
    wait(page, f"!{bar}.hidden")
    page.press("Enter")
    assert page.eval(f"{bar}.contains(document.activeElement)")
    page.press("Enter")
    wait(page, "document.querySelector('dialog[open]') !== null")
    page.press("Escape")
    wait(page, "document.querySelector('dialog') === null")
    page.press("Escape")
    assert page.eval(selected) == ""
    assert page.eval("document.querySelector('[data-select]').ariaPressed") == "false"
    assert page.complaints() == []


def test_files_are_chosen_sent_and_read(page: Page, site: Site) -> None:
    page.view(1280)
    visit(page, f"{site.url}/")
    page.eval(
        "(() => { const form = document.querySelector('form[data-upload]');"
        "form.elements.collection.value = 'New <b>deal</b>';"
        "const held = new DataTransfer();"
        "held.items.add(new File(['A DEED\\n\\n1. Ada shall mill the grain.\\n'], 'deed.txt'));"
        "const input = form.querySelector('input[type=file]'); input.files = held.files;"
        "input.dispatchEvent(new Event('change', { bubbles: true }));"
        "form.requestSubmit() })()"
    )
    wait(page, "location.pathname.startsWith('/tasks/')")
    wait(page, "document.querySelector('.files .read a') !== null")
    wait(page, "document.querySelector('.state.done') !== null")
    assert page.eval("document.querySelector('h1 bdi').textContent") == "New <b>deal</b>"
    assert page.complaints() == []
    page.eval("document.querySelector('.files .read a').click()")
    wait(page, "document.querySelector('.set')?.textContent.includes('Ada shall mill the grain')")


def test_the_slash_key_leads_to_the_search(page: Page, site: Site) -> None:
    page.view(1280)
    visit(page, f"{site.url}/c/Larch")
    page.press("/")
    assert page.eval("document.activeElement.id") == "seek"


def test_all_of_it_works_without_scripts(page: Page, site: Site) -> None:
    page.view(1280, scripts=False)
    try:
        name = NAMES[1]
        span = Span(3000, 3120).strip(site.texts[name])
        visit(page, site.url + quote_href(site.ids[name], span, span.text_in(site.texts[name])))
        assert page.eval("document.querySelectorAll('mark').length") >= 1
        assert page.eval("document.querySelector('mark').getBoundingClientRect().top") > 0
        visit(page, f"{site.url}/")
        assert page.eval("document.querySelector('input[type=file]').offsetWidth") > 40
    finally:
        page.view(1280)


def test_nothing_is_asked_of_anyone_else(page: Page, site: Site) -> None:
    page.view(1280)
    for address in ("/", f"/d/{site.ids[NAMES[0]]}"):
        visit(page, site.url + address)
        asked = page.eval("performance.getEntriesByType('resource').map((each) => each.name)")
        assert asked
        assert {urlsplit(each).netloc for each in asked} == {urlsplit(site.url).netloc}


def test_the_words_contrast_with_what_is_behind_them(page: Page, site: Site) -> None:
    """WCAG AA: 4.5 to 1 for running words, in light and in dark."""
    measure = """(() => {
      const light = (colour) => {
        const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
          .map((each) => each <= .03928 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4);
        return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
      };
      const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const colour = getComputedStyle(at).backgroundColor;
          if (/^rgb\\(/.test(colour)) return colour;
        }
        return 'rgb(255, 255, 255)';
      };
      const faint = [];
      for (const element of document.querySelectorAll('main *, header *')) {
        const own = [...element.childNodes].some((node) => node.nodeType == 3 && node.data.trim());
        if (!own || !element.checkVisibility()) continue;
        const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
        const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
        if (ratio < 4.5) faint.push([element.className, element.textContent.slice(0, 30), ratio]);
      }
      return faint;
    })()"""
    page.view(1280)
    try:
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            page.call("Emulation.setEmulatedMedia", features=[feature])
            for address in ("/", "/c/Larch", "/search?q=%22supply%22", "/health?c=Larch"):
                visit(page, site.url + address)
                assert page.eval(measure) == [], (scheme, address)
            visit(page, f"{site.url}/d/{site.ids[NAMES[1]]}?s=3000-3100")
            assert page.eval(measure) == [], scheme
    finally:
        page.call("Emulation.setEmulatedMedia", features=[])
