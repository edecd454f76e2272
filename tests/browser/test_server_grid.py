"""The review grid in a real browser where it is far larger than the window, both ways."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge import playbooks as books
from fourcorners.operations.principal import Principal, Role
from fourcorners.review.finding import Finding
from tests.browser.test_accessibility import serving
from tests.browser.test_server_review import AT, cell, go, loaded, module, wait
from tests.models.fake import HashEncoder

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

ROWS, COLUMNS = 90, 60
FOUND = (85, 57)  # the one finding, by row and column from 0
GRID = "/reviews/grid?c=Mills&p=wide"
SCROLL = "document.querySelector('#scroll')"


def playbook() -> str:
    lines = ["id: wide", "name: Wide", 'version: "1"', "language: en", "provisions:"]
    for number in range(COLUMNS):
        lines += [
            f"  - id: provision-{number:02d}",
            f"    name: Provision number {number:02d}",
            f"    definition: What the lease says of matter {number:02d}.",
            f"    query: '\"matter {number:02d}\"~5'",
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a review of many columns; its address."""
    from fourcorners.operations.local_models import LocalModels

    grids, conftest = module("grids.py"), module("conftest.py")
    folder = tmp_path_factory.mktemp("wide")
    with Library.open(folder / "library.db", create=True) as library:
        book = books.save_playbook(
            Access(library, Principal("Ada", Role.ADMIN), watched=False), playbook()
        )[0]
        cells: list[Finding] = []
        for number in range(ROWS):
            path = folder / f"lease-{number:03d}.txt"
            path.write_text(conftest.LEASE.replace("A MILL", f"MILL NUMBER {number:03d}"))
            made = prepare_file(path)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection="Mills")
            document = made.columns.id
            for place, provision in enumerate(book.provisions):
                if (number, place) == FOUND:
                    text = library.text(document)
                    cells.append(grids.found(document, provision.id, text))
                else:
                    cells.append(grids.absent(document, provision.id))
        grids.fill(library, book, cells)
    patch = pytest.MonkeyPatch()
    patch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    with serving(folder / "library.db") as address:
        yield address
    patch.undo()


@pytest.fixture
def grid(page: Page, site: str) -> Page:
    page.view(1280)
    go(page, site + GRID)
    loaded(page)
    settled(page)
    return page


def settled(page: Page) -> None:
    """Wait until the columns in view, and no more than some beside them, are drawn."""
    wait(page, "document.querySelectorAll('#grid tr[data-n]').length > 10")
    wait(
        page,
        "[...document.querySelectorAll('#grid tr[data-n]')]"
        ".every((row) => row.querySelectorAll('td.c').length <= 20)"
        " && !document.querySelector('#grid .loading')",
    )


def at(page: Page, row: int, column: int) -> None:
    """Wait until a cell, by numbers from 0, has the focus, and is in view beside the names."""
    place = cell(row + 1, column)
    wait(page, f"{place} && {AT} === {place}")
    assert page.eval(
        "(() => { const box = document.activeElement.getBoundingClientRect(),"
        f" view = {SCROLL}.getBoundingClientRect(), row = document.activeElement.closest('tr'),"
        " left = row.querySelector('th').getBoundingClientRect().right,"
        " top = document.querySelector('#grid thead').getBoundingClientRect().bottom;"
        " return box.left >= left - 1 && box.right <= view.right + 1"
        " && box.top >= top - 1 && box.bottom <= view.bottom + 1; })()"
    )


def test_only_what_is_in_view_is_in_the_page(grid: Page) -> None:
    cells = "document.querySelectorAll('#grid td.c').length"
    assert grid.eval(cells) <= 20 * 60
    grid.eval(f"{SCROLL}.scrollTo({SCROLL}.scrollWidth, {SCROLL}.scrollHeight)")
    wait(grid, cell(ROWS, COLUMNS - 1))
    settled(grid)
    assert grid.eval(cells) <= 20 * 60
    assert not grid.eval(f"Boolean({cell(1, 0)})")
    assert not grid.eval(f"Boolean({cell(ROWS, 0)})")
    assert grid.complaints() == []


def test_a_cell_tells_its_place_in_the_whole_grid(grid: Page) -> None:
    table = "document.querySelector('#grid')"
    assert grid.eval(f"{table}.getAttribute('aria-rowcount')") == str(ROWS + 1)
    assert grid.eval(f"{table}.getAttribute('aria-colcount')") == str(COLUMNS + 2)
    grid.eval(f"{SCROLL}.scrollTo({SCROLL}.scrollWidth / 2, {SCROLL}.scrollHeight / 2)")
    settled(grid)
    wait(grid, cell(ROWS // 2, COLUMNS // 2))
    place = cell(ROWS // 2, COLUMNS // 2)
    assert grid.eval(f"{place}.dataset.v") == f"provision-{COLUMNS // 2:02d}"
    row = grid.eval(f"{place}.parentElement.getAttribute('aria-rowindex')")
    assert row == str(ROWS // 2 + 1)
    assert grid.eval(
        f"Math.abs({place}.getBoundingClientRect().left - [...{table}.tHead.rows[0].cells]"
        f".find((head) => head.ariaColIndex === {place}.ariaColIndex)"
        ".getBoundingClientRect().left) < 1"
    )


def test_a_finding_that_opens_leaves_its_cell_in_view(grid: Page) -> None:
    grid.eval(f"{cell(1, 3)}.querySelector('a').click()")
    wait(grid, "document.querySelector('#panel #finding')")
    at(grid, 0, 3)


def test_keys_bring_far_cells_into_being_and_to_the_focus(grid: Page) -> None:
    grid.press("ArrowDown")
    at(grid, 0, 0)
    grid.press("End")
    at(grid, 0, COLUMNS - 1)
    grid.press("PageDown", "PageDown", "PageDown")
    wait(grid, f"{AT} && Number({AT}.parentElement.dataset.n) > 10")
    grid.press("Home")
    wait(grid, f"{AT} && {AT}.ariaColIndex === '3'")
    assert grid.eval(f"{SCROLL}.scrollLeft") == 0
    for _ in range(12):
        grid.press("ArrowRight")
    wait(grid, f"{AT} && {AT}.ariaColIndex === '15'")


def test_scrolling_away_and_back_keeps_the_place_and_the_view(grid: Page) -> None:
    grid.press("ArrowDown", "ArrowDown")
    at(grid, 1, 0)
    grid.eval(f"{SCROLL}.scrollTop = {SCROLL}.scrollHeight")
    wait(grid, f"{cell(ROWS, 0)} && !{cell(2, 0)}")
    grid.eval(f"{SCROLL}.scrollTop = 600")
    wait(grid, f"{cell(2, 0)} && {AT} === {cell(2, 0)}")
    time.sleep(0.1)
    assert grid.eval(f"{SCROLL}.scrollTop") == 600
    grid.press("ArrowDown")
    at(grid, 2, 0)


def test_the_next_finding_is_found_in_rows_that_are_not_drawn(grid: Page) -> None:
    grid.press("n")
    at(grid, *FOUND)
    grid.press("n")
    wait(grid, "document.querySelector('#said').textContent.includes('has been checked')")
    assert grid.eval(f"{AT} === {cell(FOUND[0] + 1, FOUND[1])}")


def test_picked_rows_stay_picked_when_they_were_out_of_the_page(grid: Page) -> None:
    grid.press("ArrowDown", "x")
    grid.eval(f"{SCROLL}.scrollTop = {SCROLL}.scrollHeight")
    wait(grid, f"{cell(ROWS, 0)} && !{cell(1, 0)}")
    grid.eval(f"{SCROLL}.scrollTop = 0")
    wait(grid, f"{cell(1, 0)} && {cell(1, 0)}.parentElement.querySelector('input').checked")
    assert grid.eval("document.querySelectorAll('tr.picked').length") == 1


def test_paper_has_no_room_for_rows_and_columns_that_are_not_drawn(grid: Page) -> None:
    grid.eval(f"{SCROLL}.scrollTo({SCROLL}.scrollWidth / 2, {SCROLL}.scrollHeight / 2)")
    settled(grid)
    wait(grid, cell(ROWS // 2, COLUMNS // 2))
    assert 1 <= grid.pdf().count(b"/Type /Page\n") <= 20
    assert grid.eval("document.querySelectorAll('#grid thead th:not(.away)').length") <= 21


def test_enter_on_a_far_cell_waits_for_its_row_and_opens_it(grid: Page) -> None:
    grid.press("ArrowDown")
    at(grid, 0, 0)
    grid.press("End", "PageDown", "PageDown", "PageDown", "Enter")
    wait(grid, "document.querySelector('#panel #finding')")
    opened = "document.querySelector('#panel #finding').dataset"
    assert grid.eval(f"{opened}.v") == f"provision-{COLUMNS - 1:02d}"
    wait(grid, f"{AT} && {AT}.parentElement.dataset.d === {opened}.d")
    assert grid.eval(f"Number({AT}.parentElement.dataset.n)") > 10
    assert grid.complaints() == []


def test_all_rows_are_selected_and_told_though_few_are_drawn(grid: Page) -> None:
    grid.eval("document.querySelector('#all').click()")
    said = "document.querySelector('#picked').textContent"
    wait(grid, f"{said}.includes('1 finding to mark')")
    assert grid.eval(said).startswith(f"All {ROWS:,} contracts selected")
    grid.eval(f"{SCROLL}.scrollTop = {SCROLL}.scrollHeight")
    wait(grid, f"{cell(ROWS, 0)} && {cell(ROWS, 0)}.parentElement.querySelector('input').checked")
    grid.eval(f"{cell(ROWS, 0)}.parentElement.querySelector('input').click()")
    wait(grid, f"{said}.startsWith('{ROWS - 1:,} contracts selected, 1 finding')")
    grid.eval("document.querySelector('#unpick').click()")
    assert grid.eval("document.querySelectorAll('tr.picked').length") == 0


def test_columns_are_widened_and_moved_by_dragging_their_heads(grid: Page) -> None:
    loaded(grid)
    heads = "[...document.querySelectorAll('#grid thead th[data-column]')]"
    order = f"{heads}.slice(0, 4).map((each) => each.dataset.column)"
    first, second, third, fourth = grid.eval(order)

    def place(of: str) -> tuple[float, float]:
        box = grid.eval(f"(({{x, y, width, height}}) => [x, y, width, height])({of})")
        return box[0] + box[2] / 2, box[1] + box[3] / 2

    def head(number: int) -> tuple[float, float]:
        return place(f"{heads}[{number}].querySelector('a').getBoundingClientRect()")

    grid.mouse("mouseMoved", head(1), pressed=False)
    wait(grid, f"{heads}[0].draggable && {heads}[0].querySelector('.edge')")
    wide = grid.eval(f"{heads}[0].offsetWidth")
    x, y = place(f"{heads}[0].querySelector('.edge').getBoundingClientRect()")
    assert grid.eval(f"document.elementFromPoint({x}, {y}).className") == "edge"
    grid.pull((x, y), (x + 90, y))
    wait(grid, f"Math.abs({heads}[0].offsetWidth - {wide + 90}) <= 1")
    assert grid.eval(f"new URLSearchParams(location.search).get('w').startsWith('{first}:')")
    assert grid.eval(order) == [first, second, third, fourth]

    grid.drop(head(0), head(0))
    assert grid.eval(order) == [first, second, third, fourth]
    grid.drop(head(0), head(2))
    wait(grid, f"{heads}[2]?.dataset.column === '{first}'")
    loaded(grid)
    assert grid.eval(order) == [second, third, first, fourth]
    wait(grid, f"Math.abs({heads}[2].offsetWidth - {wide + 90}) <= 1")
    grid.mouse("mouseMoved", head(1), pressed=False)
    wait(grid, f"{heads}[0].draggable")
    grid.drop(head(2), head(0))
    wait(grid, f"{heads}[0]?.dataset.column === '{first}'")
    loaded(grid)
    assert grid.eval(order) == [first, second, third, fourth]
    assert not grid.complaints()
