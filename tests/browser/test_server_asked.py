"""Columns that are asked for, the check of papers, and kept reports, in a browser."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.operations import answers
from fourcorners.playbooks.load import load_playbook
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.settings import Settings
from tests.browser.test_server_review import CONTRAST, go, loaded, module, wait
from tests.models.fake import HashEncoder

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytest.importorskip("fastapi")
uvicorn = pytest.importorskip("uvicorn")

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BOOK = load_playbook("due-diligence")
ROWS = 7
GRID = "/reviews/grid?c=Mills&p=due-diligence"
QUESTION = "On what notice may the Tenant end this lease?"


@dataclass
class Site:
    """A running server, and the id of a report that a program asked for."""

    url: str
    report: str


def furnish(folder: Path) -> str:
    """Make a library with a review and a report; return the report's id."""
    grids, conftest = module("grids.py"), module("conftest.py")
    with Library.open(folder / "library.db", create=True) as library:
        for number in range(ROWS):
            path = folder / f"lease-{number}.txt"
            text = conftest.LEASE.replace("A MILL", f"MILL NUMBER {number}")
            if number == ROWS - 1:
                text = conftest.SUPPLY
            path.write_text(
                f"{text}\n\nBy: ______________________\n\nSee Exhibit B for the rent.\n"
            )
            made = prepare_file(path)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection="Mills")
            cells = [grids.absent(made.columns.id, each.id) for each in BOOK.provisions]
            grids.fill(library, BOOK, cells)
        answer = final_answer(ask(library, ResearchQuestion(QUESTION, collection="Mills")))
        return answers.save_answer(library, answer, "mcp 1", answers.AnswerOrigin("Mills", "Ada"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    from fourcorners.operations.local_models import LocalModels
    from fourcorners.server.app import create_app

    folder = tmp_path_factory.mktemp("asked")
    report = furnish(folder)
    patch = pytest.MonkeyPatch()
    patch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    settings = Settings(library="x.db", jobs=1, reviewer="Ada")
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = create_app(folder / "library.db", settings)
    running: Any = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield Site(f"http://localhost:{listening.getsockname()[1]}", report)
    finally:
        running.should_exit = True
        thread.join(15)
        patch.undo()


def test_a_column_is_asked_by_keys_fills_while_it_is_watched_and_goes(
    page: Page, site: Site
) -> None:
    page.view(1280)
    go(page, site.url + GRID)
    loaded(page)
    before = page.eval("document.querySelectorAll('#grid thead th').length")
    page.press("a")
    wait(page, "document.activeElement.id === 'column-question'")
    page.call("Input.insertText", text=QUESTION)
    page.eval("document.activeElement.form.requestSubmit()")
    wait(page, f"document.querySelectorAll('#grid thead th').length === {before + 1}")
    loaded(page)
    # The new column, the last, is in view, and its first cell has the focus.
    focused = "document.activeElement.closest('#grid td.c[aria-colindex]')"
    wait(page, f"{focused}?.ariaColIndex === '{before + 2}'")
    assert page.eval("location.hash") == ""
    last = "document.querySelector('#grid tr[data-n=\"1\"] td.c:last-child')"
    wait(page, f"{last}?.textContent.includes('six months')")  # drawn again as it is filled
    page.press("Enter")
    wait(page, "document.querySelector('#panel mark')")
    assert page.eval("document.querySelector('#panel h2').textContent") == QUESTION
    assert "six months" in page.eval("document.querySelector('#panel mark').textContent")
    page.press("c")
    wait(page, f"{last}.classList.contains('r-confirmed')")
    none = f"document.querySelector('#grid tr[data-n=\"{ROWS}\"] td.c:last-child')"
    wait(page, f"{none}.classList.contains('not_found')")
    page.eval(f"{none}.querySelector('a').click()")
    wait(page, "document.querySelector('#panel').textContent.includes('1 contract searched')")
    page.eval("document.querySelector('a.about-column').click()")
    wait(page, "document.querySelector('.about-asked h1')")
    wait(page, "document.querySelector('#column-state').textContent.includes('Done')")
    page.eval("document.querySelector('form[action$=\"/remove\"]').requestSubmit()")
    wait(page, "document.querySelector('#grid')")
    loaded(page)
    assert page.eval("document.querySelectorAll('#grid thead th').length") == before
    assert page.complaints() == []


def test_a_grid_that_is_open_takes_over_a_column_of_somebody_else(page: Page, site: Site) -> None:
    page.view(1280)
    go(page, site.url + GRID)
    loaded(page)
    before = page.eval("document.querySelectorAll('#grid thead th').length")
    asked = '{collection: "Mills", question: "Who is the Landlord?"}'
    page.eval(
        "fetch('/api/v1/columns', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        f"body: JSON.stringify({asked})}}).then((answer) => answer.json())"
        ".then((told) => { window.name = told.column.id; })"
    )
    page.eval("document.querySelector('#filter select[name=state]').form.requestSubmit()")
    wait(page, f"document.querySelectorAll('#grid thead th').length === {before + 1}")
    loaded(page)
    page.eval("fetch(`/api/v1/columns/${window.name}`, {method: 'DELETE'}).then(() => 1)")
    page.eval("document.querySelector('#scroll').scrollTop = 1")
    page.press("ArrowDown", "x")
    page.eval(
        "(() => { const which = document.querySelector('#bulk [name=which]'); which.value = 'both';"
        " which.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    wait(page, "!document.querySelector('#bulk [value=second_look]').disabled")
    page.eval("document.querySelector('#bulk [value=second_look]').click()")  # rows come anew
    wait(page, f"document.querySelectorAll('#grid thead th').length === {before}")
    assert page.complaints() == []


def test_the_papers_are_checked_from_the_library(page: Page, site: Site) -> None:
    page.view(1280)
    go(page, f"{site.url}/")
    page.eval("document.querySelector('.check-papers').requestSubmit()")
    wait(page, "location.pathname === '/health'")
    wait(page, "document.querySelector('#missing a')")
    assert page.eval("document.querySelector('#duplicates h2').textContent").startswith("Dupl")
    first = page.eval("document.querySelector('.classes a').getAttribute('href')")
    assert page.eval(f"document.querySelector('{first}') !== null")
    page.eval("document.querySelector('#unsigned .where a').click()")
    wait(page, "document.querySelector('.paper mark, mark')")
    assert "___" in page.eval("document.querySelector('mark').textContent")
    go(page, f"{site.url}/")
    assert "to resolve" in page.eval("document.querySelector('.catalogue .links').textContent")
    assert page.complaints() == []


def test_a_report_that_a_program_asked_for_opens_with_how_it_came_about(
    page: Page, site: Site
) -> None:
    page.view(1280)
    go(page, f"{site.url}/ask?c=Mills")
    page.eval(f"document.querySelector('a[href=\"/ask/{site.report}\"]').click()")
    wait(page, "document.querySelector('details.replay')")
    page.eval("document.querySelector('details.replay summary').click()")
    assert QUESTION in page.eval("document.querySelector('details.replay').textContent")
    page.eval("document.querySelector('a.cite').click()")
    wait(page, "document.querySelector('mark')")
    marked = "[...document.querySelectorAll('mark')].map((each) => each.textContent).join('')"
    assert "six months" in page.eval(marked)
    assert page.complaints() == []


ADDRESSES = ["/health?c=Mills", GRID]


@pytest.mark.parametrize("width", [390, 820, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_pages_fit_and_their_words_stand_out(
    page: Page, site: Site, width: int, scheme: str, address: str
) -> None:
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    page.call("Emulation.setEmulatedMedia", features=media)
    page.view(width)
    try:
        go(page, site.url + address)
        assert page.eval("document.documentElement.scrollWidth") <= width
        assert page.eval(CONTRAST) == []
        assert page.complaints() == []
    finally:
        page.call("Emulation.setEmulatedMedia", features=[])
        page.view(1280)


def test_without_scripts_all_of_it_can_be_read(page: Page, site: Site) -> None:
    page.view(1280)
    page.view(1280, scripts=False)
    try:
        for address, words in (
            (f"{site.url}/health?c=Mills", "Document check"),
            (f"{site.url}/ask/{site.report}", "How this answer was reached"),
            (site.url + GRID, "Add a column"),
        ):
            page.call("Page.navigate", url=address)
            for _ in range(400):
                tree = str(page.call("DOM.getDocument", depth=-1))
                if words in tree:
                    break
            assert words in tree, address
    finally:
        page.view(1280)
