"""A lawyer's morning in a real browser: from the files to the report, each step looked at twice."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.test_accessibility import serving
from tests.browser.test_server_review import AT, go, loaded, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.slow]

ROOM = Path(__file__).parents[2] / "examples" / "dataroom"
FILES = (
    "01-northmere-master-services-agreement.docx",
    "02-cordovan-supply-agreement.pdf",
    "03-wexcombe-outsourcing-agreement.pdf",
    "04-brennauer-distribution-agreement.pdf",
    "05-quillon-software-licence.docx",
    "06-halden-joint-development-agreement.docx",
)
SUPPLY = ROOM / FILES[1]
LONG = 600.0  # seconds that reading and reviewing may take on a busy machine
GRID = "/reviews/grid?c=Larch&p=due-diligence"
WIDTHS = (1440, 390)
CHECKED = 40  # cells
# Words of what is pressed, read first or leads somewhere, that are broken over two lines.
BROKEN = """(() => {
  const broken = [];
  for (const each of document.querySelectorAll(".button, .views a, .bar nav a, h1, h2, thead th")) {
    if (!each.checkVisibility()) continue;
    const walker = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      for (const word of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size > 1)
          broken.push(word[0]);
      }
  }
  return broken;
})()"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over an empty library; its address."""
    with serving(tmp_path_factory.mktemp("walk") / "library.db") as address:
        yield address


def look(page: Page, folder: Path, name: str) -> None:
    """Take a picture at each width; nothing is wider than the window, and no word is broken."""
    for width in WIDTHS:
        page.view(width, 844 if width < 600 else 900)
        picture = page.call("Page.captureScreenshot", format="png")["data"]
        (folder / f"{name}-{width}.png").write_bytes(base64.b64decode(picture))
        assert page.eval("document.documentElement.scrollWidth") <= width, name
        assert page.eval(BROKEN) == [], name
    page.view(1440)


def choose_files(page: Page, paths: list[Path]) -> None:
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    found = page.call("DOM.querySelector", nodeId=root, selector="input[type=file]")
    page.call("DOM.setFileInputFiles", nodeId=found["nodeId"], files=[str(each) for each in paths])


def test_a_morning(page: Page, site: str, tmp_path: Path) -> None:
    page.view(1440)
    upload(page, site, tmp_path)
    review(page, site, tmp_path)
    check_cells(page)
    look(page, tmp_path, "checked")
    for width in WIDTHS:
        page.view(width, 844 if width < 600 else 900)
        correct_by_selection(page, site, tmp_path, width)
        read_pages(page, site, tmp_path, width)
        ask(page, site, tmp_path, width)
        export(page, site)
    assert page.complaints() == []


def upload(page: Page, site: str, folder: Path) -> None:
    go(page, f"{site}/")
    choose_files(page, [ROOM / name for name in FILES])
    look(page, folder, "upload")
    page.eval(
        "(() => { const form = document.querySelector('form[data-upload]');"
        "form.elements.collection.value = 'Larch'; form.requestSubmit() })()"
    )
    wait(page, "location.pathname.startsWith('/tasks/')")
    wait(page, "document.querySelector('.state.done')", LONG)
    assert page.eval("document.body.textContent.includes('6 documents added')")


def review(page: Page, site: str, folder: Path) -> None:
    go(page, f"{site}/reviews?c=Larch&p=due-diligence")
    look(page, folder, "review")
    page.eval("document.querySelector('form[action=\"/reviews\"]').requestSubmit()")
    wait(page, "location.pathname === '/reviews/grid'")
    loaded(page)
    head = "document.querySelector('#grid-head')"
    done = f"{head} && !{head}.hasAttribute('hx-get') && !document.querySelector('td.missing')"
    wait(page, done, LONG)
    look(page, folder, "grid")


def check_cells(page: Page) -> None:
    page.press("ArrowDown")
    wait(page, AT)
    page.press("Enter")
    finding = "document.querySelector('#panel:not([aria-busy]) #finding')?.dataset"
    for _ in range(CHECKED):
        wait(page, f"{AT} && {finding}?.v === {AT}.dataset.v"
                   f" && {finding}.d === {AT}.parentElement.dataset.d")  # fmt: skip
        before = json.dumps(page.eval(f"({AT}).getAttribute('aria-colindex')"))
        row = page.eval(f"({AT}).parentElement.dataset.n")
        page.press("c")
        moved = (
            f"{AT} && ({AT}.getAttribute('aria-colindex') !== {before}"
            f" || {AT}.parentElement.dataset.n !== '{row}')"
        )
        wait(page, moved)
    share = "document.querySelector('#grid-head').textContent.match(/Checked\\s*(\\d+)%/)[1]"
    wait(page, f"Number({share}) > 30")


def correct_by_selection(page: Page, site: str, folder: Path, width: int) -> None:
    go(page, site + GRID)
    loaded(page)
    row = (
        "[...document.querySelectorAll('#grid tr[data-n]')]"
        ".find((each) => each.textContent.includes('Long-Term Supply'))"
    )
    wait(page, f"{row}?.querySelector('td.found > a[tabindex]')")
    page.eval(f"{row}.querySelector('td.found > a').click()")
    wait(page, "document.querySelector('#panel a[data-open]')")
    page.eval("document.querySelector('#panel a[data-open]').click()")
    lines = "document.querySelectorAll('#panel .words > span')"
    wait(page, f"{lines}.length > 20")
    expected = page.eval(
        f"(() => {{ const [, , first, last] = {lines}; const range = document.createRange();"
        "range.setStart(first.firstChild, 1); range.setEnd(last.firstChild, 3);"
        "first.scrollIntoView({ block: 'center' });"
        "getSelection().removeAllRanges(); getSelection().addRange(range);"
        "return first.textContent })()"
    )
    bar = "document.querySelector('.on-words')"
    wait(page, f"!{bar}.hidden")
    look(page, folder, f"selected-{width}")
    page.view(width, 844 if width < 600 else 900)
    page.eval(f"{bar}.querySelector('button').click()")
    wait(page, f"{bar}.textContent.includes('Saved')")
    page.eval("document.querySelector('[data-back]').click()")
    wait(page, "document.querySelector('#panel blockquote.value a')")
    value = page.eval("document.querySelector('#panel blockquote.value').textContent")
    assert "".join(value.split()).startswith("".join(expected.split()))


def read_pages(page: Page, site: str, folder: Path, width: int) -> None:
    go(page, f"{site}/c/Larch")
    link = (
        "[...document.querySelectorAll('th a')]"
        ".find((each) => each.textContent.includes('Long-Term Supply'))"
    )
    page.eval(f"{link}.click()")
    wait(page, "document.querySelectorAll('.words > span').length > 20")
    page.eval(
        "(() => { const form = document.querySelector('[data-find]');"
        "form.elements.q.value = 'seller shall'; form.requestSubmit() })()"
    )
    wait(page, "/^\\d+ of \\d+/.test(document.querySelector('.find output').textContent)")
    page.eval("document.querySelector('[data-zoom=\"1\"]').click()")
    assert page.eval("document.querySelector('.zoom output').textContent") == "125%"
    look(page, folder, f"pages-{width}")
    page.eval("document.querySelector('[data-zoom=\"-1\"]').click()")
    page.view(width, 844 if width < 600 else 900)
    sent = page.eval(
        "fetch(document.querySelector('a[download]').href).then(async (answer) =>"
        " (await answer.arrayBuffer()).byteLength)"
    )
    assert sent == SUPPLY.stat().st_size


def ask(page: Page, site: str, folder: Path, width: int) -> None:
    go(page, f"{site}/ask?c=Larch")
    page.eval(
        "(() => { const form = document.querySelector('form.question');"
        "form.elements.question.value = 'Who may end the supply agreement, and when?';"
        "form.requestSubmit() })()"
    )
    wait(page, "document.querySelector('.report .ruling')")
    look(page, folder, f"answer-{width}")


def export(page: Page, site: str) -> None:
    go(page, site + GRID)
    for form in ("xlsx", "docx"):
        sent = page.eval(
            f"fetch('/reviews/export?c=Larch&p=due-diligence&as={form}').then(async (answer) =>"
            " [answer.status, (await answer.arrayBuffer()).byteLength])"
        )
        assert sent[0] == 200
        assert sent[1] > 5_000
