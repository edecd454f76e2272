"""A morning of two deals on a team's server, by the keyboard alone: upload to sent report."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import docx
import pypdfium2
import pytest

from fourcorners.library.store import Library
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from tests.browser.test_accessibility import PASSWORD, _no_weights, serving  # noqa: F401
from tests.browser.test_server_library import visit
from tests.browser.test_server_review import loaded, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.slow]

LONG = 300.0  # seconds that reading and reviewing may take on a busy machine
MOST_STEPS = 150  # presses of Tab from the top of a page to its last field
SHARED = """CONFIDENTIALITY AGREEMENT

between Quernstone Capital LLP (the "Recipient") and Sallow Holdings Limited (the "Discloser").

1. Confidence. The Recipient shall keep all Information confidential for three years.

2. Law. This agreement is governed by the laws of England and Wales.
"""
SUPPLY = """SUPPLY AGREEMENT

dated 1 March YEAR between Oatfield Grain Limited (the "Supplier") and Tarn Mills Limited (the
"Buyer").

1. Term. This agreement takes effect on 1 March YEAR and continues for one year, and renews for
further periods of one year unless either party gives ninety days' written notice before the end.

2. Price. The Buyer shall pay ten thousand pounds a month within 30 days of each invoice.

3. Assignment. The Supplier may not assign this agreement without the prior written consent of
the Buyer.

4. Change of control. The Buyer may terminate this agreement at once by written notice if there is
a change of control of the Supplier.

5. Exclusivity. The Supplier shall not sell grain to any other person in the Territory.

6. Liability. The liability of the Supplier under this agreement is unlimited.

7. Termination. Either party may terminate this agreement on sixty days' written notice.

8. Law. This agreement is governed by the laws of England and Wales.
""".replace("YEAR", str(date.today().year))
LATER = SUPPLY.replace("ten thousand", "twelve thousand").replace("sixty days", "ninety days")
CASES = """MANUFACTURING AGREEMENT

dated 2 May 2025 between Heron Plastics Limited (the "Manufacturer") and Plover Foods Limited (the
"Customer").

1. Manufacture. The Manufacturer shall manufacture the cases that the Customer orders.

2. Assignment. The Customer may not assign this agreement without the Manufacturer's consent.
"""
ALDER = {"supply.txt": SUPPLY, "supply-2.txt": LATER, "confidence.txt": SHARED}
BIRCH = {"cases.txt": CASES, "confidence.txt": SHARED}
QUESTION = "On what notice may either party terminate the supply agreement?"
FOLLOW_UP = "And may the Supplier assign this agreement?"
OF_ALDER = ("Alder", "Tarn", "Oatfield", "bram", "dora", QUESTION, FOLLOW_UP, "supply.txt")
COMMENT = "Is this what the board agreed? @dora"
WIDTHS = (390, 1440)
# Words of what is pressed, read first or leads somewhere, that are broken over two lines.
BROKEN = """(() => {
  const broken = [];
  for (const each of document.querySelectorAll(".button, .views a, nav a, h1, h2, thead th, td")) {
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
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A team's server without a deal, where Ada administers and the others have no role."""
    path = tmp_path_factory.mktemp("deals") / "library.db"
    with Library.open(path, create=True) as library:
        for name in ("ada", "bram", "cleo", "dora"):
            Accounts(library).add(name, PASSWORD, by="test")
        Accounts(library).grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
    with serving(path, team=True) as address:
        yield address


class Lawyer:
    """Who has a keyboard and no mouse."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._page = page
        self._folder = folder

    def reach(self, what: str, words: str = "") -> None:
        """Press Tab until what has the focus is this, by its selector and its words."""
        there = (
            f"(() => {{ const at = document.activeElement; return at.matches({what!r})"
            f" && `${{at.getAttribute('aria-label') ?? ''}} ${{at.innerText}}`.includes({words!r})"
            " })()"
        )
        for _ in range(MOST_STEPS):
            if self._page.eval(there):
                return
            self._page.press("Tab")
        raise AssertionError(f"Tab does not lead to {what} {words}: {self.words()}")

    def follow(self, what: str, words: str = "", *, to: str = "") -> None:
        """Go where a link or a button leads, and wait until what it leads to is there."""
        self.reach(what, words)
        self._page.eval("window.wasHere = true")
        self._page.press("Enter")
        self.sees(f"!window.wasHere && location.pathname.startsWith({to!r})")

    def write(self, what: str, words: str) -> None:
        self.reach(what)
        self._page.press(*words)

    def choose(self, what: str, words: str) -> None:
        """Go down a list until the choice has these words."""
        self.reach(what)
        for _ in range(int(self._page.eval("document.activeElement.length"))):
            chosen = self._page.eval("document.activeElement.selectedOptions[0].text")
            if words in chosen:
                return
            self._page.press("ArrowDown")
        raise AssertionError(f"{what} does not offer {words}")

    def sees(self, expression: str, seconds: float = 90) -> None:
        wait(self._page, f"document.readyState === 'complete' && ({expression})", seconds)

    def words(self) -> str:
        return str(self._page.eval("document.body.innerText"))

    def look(self) -> None:
        """See a page at each width: nothing is wider than the window, and no word is broken."""
        for width in WIDTHS:
            self._page.view(width)
            place = self._page.eval("location.href")
            assert self._page.eval("document.documentElement.scrollWidth") <= width, place
            assert self._page.eval(BROKEN) == [], place

    def enter(self, name: str) -> None:
        self.write("#name", name)
        self.write("#password", PASSWORD)
        self._page.eval("window.wasHere = true")
        self._page.press("Enter")
        self.sees("!window.wasHere && document.querySelector('.menu')")

    def leave(self) -> None:
        self.reach(".menu summary")
        self._page.press("Enter")
        self.follow(".menu button", "Sign out", to="/sign-in")

    def add(self, files: dict[str, str], deal: str) -> None:
        """Send files to the deal that is the only one where one may."""
        self.follow("main li a", deal, to="/c/")
        self.reach("input[type=file]")
        paths = [self._folder / name for name in files]
        for path in paths:
            path.write_text(files[path.name])
        root = self._page.call("DOM.getDocument")["root"]["nodeId"]
        found = self._page.call("DOM.querySelector", nodeId=root, selector="input[type=file]")
        self._page.call("DOM.setFileInputFiles", nodeId=found["nodeId"], files=[*map(str, paths)])
        self.follow("button", "Add to the library", to="/tasks/")
        self.sees("document.querySelector('.state.done')", LONG)
        assert f"{len(files)} documents added" in self.words()
        self.follow("a", "Open the collection", to="/c/")
        self.look()

    def review(self) -> None:
        self.follow(".actions a", "Review", to="/reviews")
        self.follow("main button", "Review", to="/reviews/grid")
        head = "document.querySelector('#grid-head:not([hx-get])')"
        self.sees(f"{head} && !document.querySelector('.missing')", LONG)
        self.look()

    def fetch(self, what: str, words: str) -> Path:
        """Press what downloads a file, and return the file."""
        before = set(self._folder.iterdir())
        self.reach(what, words)
        self._page.press("Enter")
        until = time.monotonic() + LONG
        while True:
            new = [each for each in set(self._folder.iterdir()) - before
                   if each.suffix != ".crdownload"]  # fmt: skip
            if new:
                return new[0]
            assert time.monotonic() < until, "no file comes"
            time.sleep(0.05)


@pytest.fixture
def lawyer(page: Page, team: str, tmp_path: Path) -> Lawyer:
    page.view(1440)
    page.call("Network.clearBrowserCookies")
    page.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    visit(page, f"{team}/")
    return Lawyer(page, tmp_path)


def test_a_morning_of_two_deals(page: Page, lawyer: Lawyer) -> None:
    lawyer.enter("ada")
    make_deal(lawyer, page, "Alder", "Tarn Mills Limited", ("bram", "editor"), ("dora", "reviewer"))
    lawyer.follow("nav a", "Library", to="/")
    make_deal(lawyer, page, "Birch", "Plover Foods Limited", ("cleo", "editor"))
    lawyer.leave()

    lawyer.enter("cleo")
    lawyer.add(BIRCH, "Birch")
    lawyer.review()
    lawyer.leave()

    lawyer.enter("bram")
    lawyer.add(ALDER, "Alder")
    lawyer.review()
    check(lawyer, page)
    ask(lawyer, page)
    look_at_dates(lawyer)
    compare(lawyer, page)
    send(lawyer, page)
    lawyer.leave()

    lawyer.enter("dora")
    assert page.eval("document.querySelector('.bar .count').textContent") == "2"
    lawyer.follow("nav a", "Inbox", to="/inbox")
    lawyer.look()
    lawyer.follow("main button", "bram assigned a finding to you", to="/reviews/cell")
    assert COMMENT in lawyer.words()
    lawyer.leave()

    lawyer.enter("cleo")
    look_everywhere(lawyer, page)
    assert page.complaints() == []


def make_deal(
    lawyer: Lawyer, page: Page, name: str, client: str, *members: tuple[str, str]
) -> None:
    lawyer.write("#new-name", name)
    lawyer.write("#new-client", client)
    for number, (member, role) in enumerate(members, 1):
        lawyer.write(f"[aria-label='Member {number}']", member)
        lawyer.write(f"[aria-label='Role of member {number}']", role)
    lawyer.follow("button", "Create collection", to="/c/")
    assert f"acting for {client}" in lawyer.words()
    lawyer.reach(".actions summary", "More")
    page.press("Enter")
    lawyer.follow(".actions a", "People", to="/people/in")
    rows = page.eval("[...document.querySelectorAll('tbody tr')].map((e) => e.innerText)")
    assert [row.split()[:2] for row in rows] == [[member, role] for member, role in members]
    lawyer.look()


def check(lawyer: Lawyer, page: Page) -> None:
    """Confirm one of the findings to look at, reject one, and assign one to Dora."""
    lawyer.follow("nav a", "To do", to="/to-do")
    waiting = to_look_at(lawyer)
    lawyer.look()
    page.press("j", "j", "k")
    lawyer.reach("#waiting summary")  # one cause, with the contracts that wait for it
    page.press("Enter")
    lawyer.follow("#waiting a", to="/reviews/cell")
    lawyer.look()
    finding = "JSON.stringify(document.querySelector('#finding').dataset)"
    first = page.eval(finding)
    page.press("c")  # and go to the next
    lawyer.sees(f"{finding} !== {first!r}")
    page.press("r")
    lawyer.sees("document.querySelector('.chips .r-rejected')")
    second = page.eval(finding)
    page.press("n")
    lawyer.sees(f"{finding} !== {second!r}")
    page.press("m", *COMMENT)
    lawyer.write("#to", "dora")
    page.press("Enter", control=True)
    lawyer.sees("document.querySelector('.history li strong')?.textContent === 'bram'")
    assert "Assigned to dora" in lawyer.words()
    lawyer.follow("nav a", "To do", to="/to-do")
    assert to_look_at(lawyer) == waiting - 2  # an assigned one is still to be looked at


def to_look_at(lawyer: Lawyer) -> int:
    """Return how many findings the list of things to do has; the playbook decides which."""
    found = re.search(r"(\d+) findings to look at", lawyer.words())
    assert found
    return int(found[1])


def ask(lawyer: Lawyer, page: Page) -> None:
    lawyer.follow("nav a", "Ask", to="/ask")
    lawyer.write("#question", QUESTION)
    lawyer.follow("form.question button", "Ask", to="/ask/")
    lawyer.sees("document.querySelector('.report .ruling')", LONG)
    assert "sixty days" in lawyer.words()
    lawyer.write("#question", FOLLOW_UP)
    lawyer.follow("form.question button", "Ask", to="/ask/")
    lawyer.sees("document.querySelector('.report .ruling')", LONG)
    assert QUESTION in str(page.eval("document.querySelector('.thread').innerText"))
    assert "consent" in lawyer.words()
    lawyer.look()


def look_at_dates(lawyer: Lawyer) -> None:
    lawyer.follow("nav a", "Dates", to="/dates")
    lawyer.choose("#within", "3 years")
    lawyer.follow("main button", "Show", to="/dates")
    assert f"Calculated: March 1, {date.today().year + 2} less 90 days" in lawyer.words()
    lawyer.look()


def compare(lawyer: Lawyer, page: Page) -> None:
    lawyer.follow("nav a", "Compare", to="/compare")
    lawyer.choose("#before", "supply.txt")
    lawyer.choose("#after", "supply-2.txt")
    lawyer.follow("main button", "Compare", to="/compare")
    changed = "[...document.querySelectorAll('.version :is(del, ins)')].map((e) => e.textContent)"
    assert page.eval(changed) == ["ten", "twelve", "sixty", "ninety"]
    lawyer.look()


def send(lawyer: Lawyer, page: Page) -> None:
    """Confirm a finding of the file that lies in both deals, and send reports of the others."""
    lawyer.follow("nav a", "Review", to="/reviews")
    lawyer.follow("main a", "Alder", to="/reviews/grid")
    loaded(page)
    row = "document.activeElement.closest('tr[data-d]')"
    for _ in range(3):
        page.press("ArrowDown")
        lawyer.sees(row)
        if "Supply" in page.eval(f"{row}.innerText"):
            page.press("x")
            continue
        page.press("Enter")
        lawyer.sees("document.querySelector('#panel:not([aria-busy]) #finding')")
        page.press("c")
        lawyer.sees("document.querySelector('#panel .r-confirmed')")
        page.press("Escape")
    lawyer.choose("#bulk [name=as]", "Due diligence report (Word)")
    words = read_word(lawyer.fetch("#bulk button", "Export"))
    assert "Oatfield" in words
    assert "Sallow" not in words
    lawyer.choose("#bulk [name=as]", "Red flag report (PDF)")
    words = read_pdf(lawyer.fetch("#bulk button", "Export"))
    assert "Oatfield" in words
    assert "Sallow" not in words


def read_word(path: Path) -> str:
    document = docx.Document(str(path))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(each.text for each in document.paragraphs), *cells])


def read_pdf(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def look_everywhere(lawyer: Lawyer, page: Page) -> None:
    """See one's own deal and nothing of the other, in what is shown or offered on any page."""
    assert "1 collection." in lawyer.words()
    assert "2 documents" in lawyer.words()
    assert not page.eval("document.querySelector('.bar .count')")
    links = "[...document.querySelectorAll('.bar nav a')].filter((e) => e.checkVisibility())"
    names = page.eval(f"{links}.map((e) => e.textContent)")
    for name in names:
        lawyer.follow("nav a", name)
        find_nothing(page)
        lawyer.look()
    assert "Nothing new" in lawyer.words()
    lawyer.write("#seek", "confidential")
    lawyer.follow("#seek", to="/search")
    assert "confidence.txt" in lawyer.words()
    find_nothing(page)
    lawyer.write("#seek", "grain")
    lawyer.follow("#seek", to="/search")
    assert "confidence.txt" not in lawyer.words()
    find_nothing(page)
    lawyer.follow("nav a", "Review", to="/reviews")
    lawyer.follow("main a", "Birch", to="/reviews/grid")
    assert "0%" in str(page.eval("document.querySelector('#grid-head').innerText"))
    find_nothing(page)
    loaded(page)
    page.press("ArrowDown", "Enter")
    lawyer.sees("document.querySelector('#panel:not([aria-busy]) #finding')")
    find_nothing(page)
    lawyer.follow(".crumbs a", "Birch", to="/c/Birch")
    find_nothing(page)
    lawyer.follow("main th a", "confidence.txt", to="/d/")
    find_nothing(page)


def find_nothing(page: Page) -> None:
    shown = str(page.eval("document.documentElement.outerHTML"))
    assert not [each for each in OF_ALDER if each in shown], page.eval("location.href")
