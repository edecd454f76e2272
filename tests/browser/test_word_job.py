"""The job of the add-in over a contract of the cases: reviewed, marked, answered, saved."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge.playbooks import save_playbook
from fourcorners.operations.principal import Principal, Role
from fourcorners.settings import WordSettings
from tests.browser.test_accessibility import serving
from tests.word.pane import (
    OFFICE,
    cards,
    open_word,
    part,
    press,
    put_in,
    review,
    said,
    saved,
)

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = [pytest.mark.slow, pytest.mark.allow_hosts(["127.0.0.1"])]

SHARED = Path(__file__).parents[3] / "shared"
CASES = SHARED / "cases" / "redline"
TOOL = SHARED / "tools" / "docx_views.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of one's own machine with an empty collection, and the playbook of the cases."""
    if not (CASES / "services.docx").is_file() or not TOOL.is_file():
        pytest.skip("the shared cases, or the program that checks marked files, are not here")
    path = tmp_path_factory.mktemp("word") / "library.db"
    with Library.open(path, create=True) as library:
        library.add_collection("Hosting")
        access = Access(library, Principal("test", Role.ADMIN), watched=False)
        save_playbook(access, (CASES / "playbook.yaml").read_text())
    with serving(path, word=WordSettings(office_js=OFFICE)) as address:
        yield address


def check_views(folder: Path, before: bytes, after: bytes, marked: bytes) -> None:
    """Hold a marked file against what it should become, by a program that is not ours."""
    paths = [folder / name for name in ("before.docx", "after.docx", "marked.docx")]
    for path, data in zip(paths, (before, after, marked), strict=True):
        path.write_bytes(data)
    command = [sys.executable, str(TOOL), *map(str, paths), "--author", "Ada"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def test_the_services_agreement_is_marked_for_the_customer(
    page: Page, site: str, tmp_path: Path
) -> None:
    services = (CASES / "services.docx").read_bytes()
    open_word(page, site, services, "services.docx")
    review(page, "Bexley", "due-diligence")
    assert [each["name"] for each in cards(page, "findings")][:2] == [
        "Change of control",
        "Exclusivity",
    ]
    press(page, "[data-tab-part=findings] .words")
    assert "change of control of the Customer" in page.eval("WordHost.selected()")

    # Each decision with wording becomes a change, and each change a tracked one.
    while page.eval("Boolean(document.querySelector('[data-include]'))"):
        press(page, "[data-include]")
        assert said(page) == ""
    changes = cards(page, "changes")
    assert all(not json.loads(each["data"]["change"])["obstacle"] for each in changes)
    assert len(changes) >= 5
    for change in changes:
        put_in(page, change["data"]["id"])
    marked = saved(page)
    press(page, "[data-copy]")  # the server's own writer, which knows nothing of the pane
    copy = base64.b64decode(page.eval("WordHost.copies.at(-1)"))
    after = resolve_changes(copy, tmp_path / "copy.docx", accept=True, author="Ada")
    check_views(tmp_path, services, after, marked)
    assert part(marked, "word/comments.xml").count('w:author="Ada"') == len(changes)
    assert page.eval("WordHost.tracking") == "Off"
    assert page.complaints() == []


def test_the_supplier_s_changes_are_answered(page: Page, site: str, tmp_path: Path) -> None:
    services = (CASES / "services.docx").read_bytes()
    open_word(page, site, services, "services.docx")
    review(page, "Bexley", "house")
    theirs = cards(page, "responses")
    assert {each["data"]["author"] for each in theirs} == {"Harrow"}
    renewal, law = (
        next(n for n, each in enumerate(theirs, 1) if words in each["data"]["after"])
        for words in ("one hundred and eighty", "New York")
    )
    card = "[data-tab-part=responses] .card:nth-of-type({})"
    press(page, f"{card.format(renewal)} [data-place]")
    assert page.eval("WordHost.selected()") == "one hundred and eighty (180)"
    press(page, f"{card.format(renewal)} [data-answer=reject]")
    press(page, f"{card.format(law)} [data-answer=comment]")
    marked = saved(page)
    check_views(tmp_path, services, expected(services), marked)
    comments = part(marked, "word/comments.xml")
    assert comments.count('w:author="Ada"') == 2
    assert 'w:author="Harrow"' in comments
    path = tmp_path / "accepted.docx"
    path.write_bytes(resolve_changes(marked, path, accept=True))
    accepted = " ".join(read_document(path).text.split())
    assert "not less than sixty (60) days' written notice of non-renewal" in accepted
    assert "laws of the State of New York" in accepted


def expected(services: bytes) -> bytes:
    """Return the agreement with the notice of renewal as it was, written by hand into its XML."""
    theirs = b'<w:t xml:space="preserve">one hundred and eighty (180)</w:t></w:r></w:ins>'
    ours = b'<w:t xml:space="preserve"></w:t></w:r></w:ins><w:r><w:t>sixty (60)</w:t></w:r>'
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(services)) as before, zipfile.ZipFile(held, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "word/document.xml":
                assert data.count(theirs) == 1
                data = data.replace(theirs, ours)
            after.writestr(name, data)
    return held.getvalue()
