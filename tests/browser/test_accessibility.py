"""Every page against WCAG 2.2 AA by axe-core: light and dark, on a telephone and on a context."""

from __future__ import annotations

import importlib.util
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge.playbooks import last_version, save_playbook
from fourcorners.operations.principal import Principal, Role
from fourcorners.playbooks.bank.facts import ClauseFacts
from fourcorners.playbooks.bank.store import BankClause, store_clauses
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.write import starter_yaml
from fourcorners.review.finding import Finding, Severity
from fourcorners.settings import Settings
from fourcorners.source_settings import MailSettings
from tests.browser.test_server_library import visit, wait
from tests.browser.test_server_review import GRID, cell, loaded, module
from tests.models.fake import HashEncoder

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytest.importorskip("fastapi")
uvicorn = pytest.importorskip("uvicorn")

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BOOK = load_playbook("due-diligence")
PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
LONG_NAME = "wilhelmina-of-the-windmill"
LONG = "Reisebüro-Allgemeine-Geschäftsbedingungen-und-Rahmenvertrag-2026-endgültig-v17"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
ADDRESSES = yaml.safe_load(Path(__file__).with_name("addresses.yaml").read_text())
# Schemes differ in colours alone and widths in layout: two views have each of either.
VIEWS = [
    ("light", 1440),
    ("dark", 390),
    pytest.param(("light", 390), marks=pytest.mark.slow),
    pytest.param(("dark", 1440), marks=pytest.mark.slow),
]


@pytest.fixture(scope="session")
def axe() -> str:
    """The program of axe-core, out of the package that brings it; nothing of it is imported."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or not found.submodule_search_locations:
        pytest.skip("no axe-core here: pip install --no-deps axe-playwright-python")
    return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text()


def fill(library: Library, folder: Path) -> None:
    """Put leases in a library, with a review that has cells of every kind."""
    grids, conftest = module("grids.py"), module("conftest.py")
    cells: list[Finding] = []
    for number in range(12):
        path = folder / f"{LONG if number == 3 else 'lease'}-{number:02d}.txt"
        name = LONG.upper() if number == 4 else f"MILL NUMBER {number}"
        path.write_text(conftest.LEASE.replace("A MILL", name))
        made = prepare_file(path)
        assert isinstance(made, PreparedFile)
        library.add_columns(made.columns, None, collection="Mills")
        document = made.columns.id
        for place, provision in enumerate(BOOK.provisions):
            kind = (number + place) % 6
            if kind == 5:
                continue
            if kind in (3, 4):
                cells.append((grids.absent, grids.failed)[kind - 3](document, provision.id))
            else:
                severity = (Severity.HIGH, Severity.MEDIUM, Severity.NONE)[kind]
                cells.append(grids.found(document, provision.id, library.text(document), severity))
    grids.fill(library, BOOK, cells)
    first = starter_yaml("House")
    access = Access(library, Principal("Ada", Role.ADMIN), watched=False)
    save_playbook(access, first)
    before = last_version(access, "house")
    save_playbook(access, first.replace("Delay]", "Lateness]"), before)
    add_deletion(access)
    facts = ClauseFacts("Ada", law="England", expires=date(2020, 1, 31))
    store_clauses(library, "house", [BankClause("Cap", "No liability is limited.", 4, facts=facts)])


def add_deletion(access: Access) -> None:
    """Let a lease of the mills be due, and put a report on another that was deleted."""
    from fourcorners.library.originals.files import Originals
    from fourcorners.operations.retention import RetentionChange, set_retention
    from fourcorners.server.store.deletion import Deletion, delete_contracts
    from fourcorners.server.store.deletion_report import report_json
    from fourcorners.server.store.exports import save_file
    from fourcorners.source_settings import OriginalsSettings

    library = access.common()
    old = "UPDATE documents SET added = '2019-05-01T00:00:00+00:00' WHERE name = 'lease-05.txt'"
    library.execute(old)
    set_retention(access, "Mills", RetentionChange(days=2_555))
    asked = Deletion([library.resolve("lease-11").id])
    data = report_json(delete_contracts(access, Originals(OriginalsSettings()), asked)).encode()
    library.execute(
        "INSERT INTO server_tasks(id, kind, lane, collection, spec, asked_by, state, result, "
        "created, finished) VALUES ('0', 'deletion', 'reading', '', '{\"collection\": \"Mills\"}', "
        "'Ada', 'done', '{\"contracts\": 1, \"left\": \"nothing\"}', '2026', '2026')"
    )
    save_file(library, "0", "deletion.json", data)


@contextmanager
def serving(library: Path, *, team: bool = False, **sections: object) -> Iterator[str]:
    """Serve a library in a thread; the address of it."""
    from fourcorners.server.app import create_app

    settings = Settings(library="x.db", jobs=1, reviewer="Ada").model_copy(update=sections)
    app = create_app(library, settings, team=team)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    running: Any = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + 90
        while not running.started:
            assert time.monotonic() < until, "the server does not start"
            time.sleep(0.02)
        yield f"http://localhost:{listening.getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join(15)


@contextmanager
def serving_leases(
    folder: Path, count: int, found: Callable[[int, int], bool], severity: Severity
) -> Iterator[str]:
    """Serve a review of leases, in which `found` says by row and column what quotes them."""
    from fourcorners.operations.local_models import LocalModels

    grids, conftest = module("grids.py"), module("conftest.py")
    with Library.open(folder / "library.db") as library:
        cells: list[Finding] = []
        for number in range(count):
            path = folder / f"lease-{number:03d}.txt"
            path.write_text(conftest.LEASE.replace("A MILL", f"MILL NUMBER {number:03d}"))
            made = prepare_file(path)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection="Mills")
            document, text = made.columns.id, library.text(made.columns.id)
            for place, provision in enumerate(BOOK.provisions):
                if found(number, place):
                    cells.append(grids.found(document, provision.id, text, severity))
                else:
                    cells.append(grids.absent(document, provision.id))
        grids.fill(library, BOOK, cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
        with serving(folder / "library.db") as address:
            yield address


@pytest.fixture(scope="module", autouse=True)
def _no_weights() -> Iterator[None]:
    from fourcorners.operations.local_models import LocalModels

    patch = pytest.MonkeyPatch()
    patch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    patch.setattr(LocalModels, "reranker", property(lambda _: None))
    yield
    patch.undo()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of one's own machine over a filled library."""
    folder = tmp_path_factory.mktemp("mills")
    with Library.open(folder / "library.db", create=True) as library:
        fill(library, folder)
    with serving(folder / "library.db") as address:
        yield address


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A team's server with a mail server, where Ada administers and Bram reads."""
    from fourcorners.operations.principal import Role
    from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts

    path = tmp_path_factory.mktemp("team") / "library.db"
    with Library.open(path, create=True) as library:
        accounts = Accounts(library)
        for name, role in (("ada", Role.ADMIN), ("bram", Role.READER), (LONG_NAME, Role.READER)):
            accounts.add(name, PASSWORD, by="test")
            accounts.grant(name, role, ALL_COLLECTIONS, by="test")
    mail = MailSettings(host="127.0.0.1", sender="four@firm.test", address="https://firm.test")
    with serving(path, team=True, mail=mail) as address:
        yield address


@pytest.fixture(params=VIEWS, ids=lambda view: f"{view[0]}-{view[1]}")
def view(page: Page, request: pytest.FixtureRequest) -> Iterator[None]:
    """A colour scheme and a width, for as long as the test lasts."""
    scheme, width = request.param
    page.view(width)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.call("Emulation.setEmulatedMedia", features=[feature])
    yield
    page.call("Emulation.setEmulatedMedia", features=[])


def examine(page: Page, axe: str) -> None:
    """Fail with what axe-core has against the page as it is, a line each: the rule, and where.

    It runs in a world of its own, where the page's policy does not hold and its names are not seen.
    """
    frame = page.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = page.call("Page.createIsolatedWorld", frameId=frame)["executionContextId"]
    run = f"""(async () => {{
      const found = await axe.run(document, {{ runOnly: {list(RULES)}, resultTypes: ["violations"] }});
      return [found.passes.length, ...found.violations.flatMap((rule) => rule.nodes.map((node) =>
        `${{rule.id}} (${{rule.impact}}) at ${{node.target.join(" ")}}: ` +
        node.failureSummary.split("\\n").slice(1).join(";").trim()))];
    }})()"""  # noqa: E501
    for expression in (f"{axe};0", run):
        answer = page.call(
            "Runtime.evaluate", expression=expression, contextId=world, returnByValue=True,
            awaitPromise=True,
        )  # fmt: skip
        assert "exceptionDetails" not in answer, answer
    passed, *broken = answer["result"]["value"]
    assert passed > 10, "axe-core has looked at nothing"
    assert not broken, "\n".join([str(page.eval("location.href")), *broken])


@pytest.mark.usefixtures("view")
@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_breaks_no_rule(page: Page, site: str, axe: str, name: str) -> None:
    visit(page, site + ADDRESSES[name])
    examine(page, axe)


@pytest.mark.usefixtures("view")
@pytest.mark.parametrize("address", [GRID, f"{GRID}&severity=high&sort=risk"])
def test_the_grid_with_a_finding_beside_it_breaks_no_rule(
    page: Page, site: str, axe: str, address: str
) -> None:
    visit(page, site + address)
    loaded(page)
    page.press("ArrowDown", "x", "Enter")
    wait(page, "document.querySelector('#panel mark') !== null")
    examine(page, axe)
    page.press("Escape", "?")
    wait(page, "document.querySelector('#help').open")
    examine(page, axe)


@pytest.mark.parametrize("width", [390, 1440])
def test_cells_that_were_not_reviewed_widen_no_page(page: Page, site: str, width: int) -> None:
    page.view(width)
    visit(page, site + GRID)
    loaded(page)
    assert page.eval("document.querySelectorAll('#grid td.missing').length") > 0
    assert page.eval("document.documentElement.scrollWidth") <= width


@pytest.mark.usefixtures("view")
def test_a_finding_and_its_contract_break_no_rule(page: Page, site: str, axe: str) -> None:
    visit(page, site + GRID)
    loaded(page)
    href = page.eval(f"{cell(1, 0)}.querySelector('a').getAttribute('href')")
    visit(page, f"{site}{href}")
    examine(page, axe)
    page.eval('document.querySelector(\'a[href^="/d/"][href*="s="]\').click()')
    there = "location.pathname.startsWith('/d/') || !document.querySelector('#contract').hidden"
    wait(page, f"({there}) && document.querySelector('mark') !== null")
    examine(page, axe)


@pytest.mark.usefixtures("view")
def test_a_question_and_its_report_break_no_rule(page: Page, site: str, axe: str) -> None:
    visit(page, f"{site}/ask?c=Mills")
    page.eval(
        "(() => { const form = document.querySelector('form.question');"
        "form.elements.question.value = 'On what notice may the Tenant end this lease?';"
        "form.requestSubmit() })()"
    )
    wait(page, "document.querySelector('.report .ruling') !== null")
    examine(page, axe)
    visit(page, f"{site}/ask")
    assert page.eval("document.querySelector('.earlier a') !== null")
    examine(page, axe)


@pytest.mark.usefixtures("view")
def test_precedents_that_were_found_break_no_rule(page: Page, site: str, axe: str) -> None:
    visit(page, f"{site}/precedents?c=Mills")
    page.eval(
        "(() => { const form = document.querySelector('main form');"
        "form.elements.q.value = 'ending on notice';"
        "form.elements.draft.value = 'The Tenant may end this lease on three months notice.';"
        "form.requestSubmit() })()"
    )
    wait(page, "document.querySelector('main ins') !== null")
    examine(page, axe)


OUTSIDE = """[...document.querySelectorAll("WHAT")].filter((e) => {
  if (!e.checkVisibility()) return false;
  const box = e.getBoundingClientRect();
  return box.left < 0 || box.right > innerWidth || e.scrollWidth > e.clientWidth + 1;
}).map((e) => e.textContent.trim())"""
PLACES = """new Set([...document.querySelectorAll(".bar nav a")].filter((e) => e.checkVisibility())
  .map((e) => e.href)).size"""


@pytest.mark.parametrize("width", [360, 390, 720, 800, 1024, 1240, 1440])
def test_the_bar_of_a_team_leads_everywhere(page: Page, team: str, width: int) -> None:
    page.call("Network.clearBrowserCookies")
    page.view(width)
    visit(page, f"{team}/")
    page.eval(
        "(() => { const form = document.querySelector('main form');"
        f"form.elements.name.value = '{LONG_NAME}'; form.elements.password.value = '{PASSWORD}';"
        "form.requestSubmit() })()"
    )
    wait(page, "document.querySelector('.menu') !== null")
    bar = ".bar, .bar nav, .bar nav a, .bar .more summary, .seek input"
    assert page.eval(OUTSIDE.replace("WHAT", bar)) == []
    page.eval("document.querySelector('.more').open = true")
    assert page.eval(PLACES) == 10  # nine pages and the inbox
    assert page.eval(OUTSIDE.replace("WHAT", ".more > div, .more a")) == []


@pytest.mark.parametrize("menu", [".saved-views", ".saved-views + .pop", ".counted", ".columns"])
def test_what_opens_under_a_button_fits_a_telephone(page: Page, site: str, menu: str) -> None:
    page.view(390)
    visit(page, site + GRID)
    loaded(page)
    page.eval(f"document.querySelector('{menu}').open = true")
    inside = f"{menu} > div, {menu} > div > *"
    assert page.eval(OUTSIDE.replace("WHAT", inside)) == []
    assert page.eval("document.documentElement.scrollWidth") == 390


@pytest.mark.usefixtures("view")
def test_what_a_team_sees_breaks_no_rule(page: Page, team: str, axe: str) -> None:
    page.call("Network.clearBrowserCookies")
    visit(page, f"{team}/")
    assert page.eval("location.pathname") == "/sign-in"
    examine(page, axe)
    visit(page, f"{team}/sign-in/forgotten")
    examine(page, axe)
    visit(page, f"{team}/")
    for password in ("not this one", PASSWORD):
        page.eval(
            "(() => { const form = document.querySelector('main form');"
            f"form.elements.name.value = 'ada'; form.elements.password.value = '{password}';"
            "form.requestSubmit() })()"
        )
        wait(page, "document.querySelector('[role=alert], .menu') !== null")
        if password != PASSWORD:
            examine(page, axe)
            page.eval("document.querySelector('[role=alert]').removeAttribute('role')")
    wait(page, "location.pathname === '/'")
    for address in ("/", "/people", "/people/person?name=bram", "/account"):  # and an empty library
        visit(page, team + address)
        examine(page, axe)
    visit(page, f"{team}/people/person?name=bram")
    page.eval("document.querySelector('[action=\"/people/person/password\"]').requestSubmit()")
    wait(page, "document.querySelector('[role=status] code') !== null")
    examine(page, axe)
    visit(page, page.eval("document.querySelector('[role=status] code').textContent"))
    examine(page, axe)
