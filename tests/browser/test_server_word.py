"""The add-in in a small Word of ours, over real files: what it shows, and what it puts in."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.operations.principal import Role
from fourcorners.playbooks.bank.store import BankClause, store_clauses
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.pane_sessions import PREFIX, PaneSessions
from fourcorners.settings import WordSettings
from tests.browser.test_accessibility import (  # noqa: F401 - fixtures
    PASSWORD,
    _no_weights,
    axe,
    examine,
    serving,
    view,
)
from tests.browser.test_server_library import visit, wait
from tests.redline.word_contracts import WORD_CONTRACTS, word_file
from tests.server.pages.test_markup import fill_cells
from tests.word.pane import (
    OFFICE,
    cards,
    load,
    open_word,
    part,
    press,
    put_in,
    review,
    said,
    saved,
    settle,
    submit,
    words,
)

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

ADDED = "(not to be unreasonably withheld, conditioned or delayed)"


@dataclass(frozen=True)
class Office:
    """A server with supply agreements in it, and the files that they were read from."""

    site: str
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """Supply agreements of which each clause on assignment is refused, and none has a cap."""
    folder = tmp_path_factory.mktemp("word")
    files = {name: word_file(make()) for name, make in WORD_CONTRACTS.items()}
    with Library.open(folder / "library.db", create=True) as library:
        for name, data in files.items():
            path = folder / f"{name}.docx"
            path.write_bytes(data)
            made = prepare_file(path)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection="Mill")
            fill_cells(library, made.columns.id)
        store_clauses(library, "firm", [BankClause("Assignment", "Each may assign it.", 4, "Deed")])
    with serving(folder / "library.db", word=WordSettings(office_js=OFFICE)) as site:
        yield Office(site, files)


def text_of(folder: Path, data: bytes, *, accept: bool) -> str:
    """Return the words of a file once Ada's changes are accepted or rejected."""
    path = folder / "view.docx"
    path.write_bytes(resolve_changes(data, path, accept=accept, author="Ada"))
    return read_document(path).text


def change(page: Page, name: str) -> str:
    return next(str(e["data"]["id"]) for e in cards(page, "changes") if e["name"] == name)


@pytest.mark.parametrize("name", WORD_CONTRACTS)
def test_changes_are_put_in_as_the_server_would_write_them(
    page: Page, office: Office, tmp_path: Path, name: str
) -> None:
    before = office.files[name]
    open_word(page, office.site, before, f"{name}.docx")
    review(page, "Birch")
    changes = cards(page, "changes")
    assert {each["name"] for each in changes} >= {"Assignment", "Cap on liability"}
    for each in changes:
        put_in(page, each["data"]["id"])
    press(page, "[data-copy]")
    copy = base64.b64decode(page.eval("WordHost.copies.at(-1)"))
    marked = saved(page)
    accepted = text_of(tmp_path, marked, accept=True)
    assert ADDED in " ".join(accepted.split())
    assert "total liability" in accepted
    assert accepted == text_of(tmp_path, copy, accept=True)
    assert text_of(tmp_path, marked, accept=False) == text_of(tmp_path, before, accept=False)
    document, comments = part(marked, "word/document.xml"), part(marked, "word/comments.xml")
    assert document.count("commentReference") == comments.count("<w:comment ")
    assert comments.count('w:author="Ada"') == len(changes)
    assert "The contract says" in comments
    assert page.eval("WordHost.tracking") == "Off"
    assert page.complaints() == []


def test_a_click_goes_to_the_words(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["fields"])
    review(page, "Birch")
    press(page, "[data-tab-part=findings] .words")
    assert page.eval("WordHost.selected()").startswith("Subject to clause 5.3 and Section 4.1")
    here = "document.querySelector('[data-tab-part=findings] .card[aria-current] h3')?.textContent"
    wait(page, f"{here} === 'Assignment'")


def test_words_that_have_changed_are_left_alone(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["automatic-numbering"])
    review(page, "Birch")
    page.eval(
        "Word.run(async (context) => { const all = context.document.body.paragraphs;"
        " all.load('items/text'); await context.sync();"
        " const own = all.items.find((each) => each.text.includes('may assign'));"
        " own.insertText('Never. ', 'Start');"
        " all.items[3].insertParagraph('A paragraph of somebody else.', 'After');"
        " await context.sync(); })"
    )
    before = words(page)
    press(page, f"[data-id='{change(page, 'Assignment')}'] [data-put-in]")
    assert "has changed since it was read" in said(page)
    assert words(page) == before
    assert page.eval("WordHost.tracking") == "Off"
    put_in(page, change(page, "Cap on liability"))  # what others added elsewhere is no hindrance


def test_a_change_is_edited_rejected_and_taken_up_again(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["tables"])
    review(page, "Birch")
    identity = change(page, "Assignment")
    if page.eval(f"Boolean(document.querySelector('[data-id=\"{identity}\"] [data-says=open]'))"):
        press(page, f"[data-id='{identity}'] [data-says=open]")  # as another test left it
    press(page, f"[data-id='{identity}'] [data-says=rejected]")
    assert page.eval(f"document.querySelector('[data-id=\"{identity}\"]').dataset.state") == (
        "rejected"
    )
    press(page, f"[data-id='{identity}'] [data-says=open]")
    own = "Neither party may assign this Agreement."
    page.eval(
        f"const card = document.querySelector('[data-id=\"{identity}\"]');"
        f" card.querySelector('textarea').value = {own!r};"
        " card.querySelector('form').requestSubmit(); 0"
    )
    settle(page)
    assert said(page).startswith("Put in"), said(page)
    assert own in words(page)


def test_what_was_undone_in_word_can_be_put_in_again(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["automatic-numbering"])
    review(page, "Birch")
    before, identity = words(page), change(page, "Assignment")
    put_in(page, identity)
    assert words(page) != before
    page.eval(
        "Word.run(async (context) => { const all = context.document.body.paragraphs;"
        " all.load('items/text'); await context.sync();"
        " const clause = all.items.find((each) => each.text.includes('may assign'));"
        " const own = clause.getTrackedChanges();"
        " own.load('items'); await context.sync();"
        " own.items.forEach((each) => each.reject()); await context.sync(); })"
    )
    assert words(page) == before
    press(page, f"[data-id='{identity}'] [data-says=open]")
    put_in(page, identity)
    assert words(page) != before


def test_the_other_side_s_changes_are_answered(page: Page, office: Office) -> None:
    data = office.files["tracked-changes"]
    open_word(page, office.site, data)
    review(page, "Birch")
    theirs = cards(page, "responses")
    assert {each["data"]["author"] for each in theirs} == {"Other Side"}
    notice = next(n for n, e in enumerate(theirs, 1) if "ninety" in e["data"]["after"])
    consent = next(n for n, e in enumerate(theirs, 1) if "prior" in e["data"]["after"])
    card = "[data-tab-part=responses] .card:nth-of-type({})"
    press(page, f"{card.format(notice)} [data-place]")
    assert page.eval("WordHost.selected()") == "ninety (90)"
    press(page, f"{card.format(notice)} [data-answer=reject]")
    assert said(page).startswith("Rejected")
    assert "giving the other party sixty (60) days" in words(page)
    press(page, f"{card.format(consent)} [data-answer=accept]")
    assert said(page) == "Accepted."
    document = part(saved(page), "word/document.xml")
    assert "express" not in document  # their deletion is no change any more
    assert "ninety (90)" in document  # their insertion is there, deleted by us
    assert document.count('w:author="Ada"') >= 2


def test_a_comment_alone_changes_no_words(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["tracked-changes"])
    review(page, "Birch")
    before = words(page)
    press(page, "[data-tab-part=responses] [data-answer=comment]")
    assert said(page) == "Commented."
    assert words(page) == before
    assert 'w:author="Ada"' in part(saved(page), "word/comments.xml")


def test_a_precedent_is_put_in_with_its_source(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["footnotes"])
    review(page, "Birch")
    press(page, "[data-tab=more]")
    page.eval("document.querySelector('#q').value = 'assignment'; 0")
    page.eval("document.querySelector('#from').value = 'b:firm'; 0")
    submit(page, "precedents")
    press(page, "[data-tab-part=findings] .words")  # the cursor
    press(page, "[data-insert]")
    assert said(page) == "Inserted as a tracked change."
    marked = saved(page)
    assert "Each may assign it." in words(page)
    assert "From: Deed" in part(marked, "word/comments.xml")


def test_a_question_is_answered_with_words_to_go_to(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["automatic-numbering"])
    review(page, "Birch")
    page.eval("document.querySelector('#question').value = 'What law governs this?'; 0")
    submit(page, "ask")
    assert said(page) == ""
    answer = "document.querySelector('[data-answer-part] .card')"
    assert page.eval(f"Boolean({answer})")
    page.eval(f"{answer}.querySelector('a[data-browser]').click()")
    assert page.eval("WordHost.browsed.at(-1)").startswith(f"{office.site}/ask/")


def test_a_contract_that_is_new_is_read_into_the_collection(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["tables"])
    page.eval(
        "Word.run(async (context) => { const all = context.document.body.paragraphs;"
        " all.load('items'); await context.sync();"
        " all.items[3].insertText(' In writing alone.', 'End'); await context.sync(); })"
    )
    submit(page, "open")
    assert page.eval("Boolean(document.querySelector('#party'))"), said(page)
    visit(page, f"{office.site}/c/Mill")
    assert "contract.docx" in page.eval("document.body.textContent")


def test_an_older_word_says_what_it_cannot_do(page: Page, office: Office) -> None:
    page.view(390)
    visit(page, f"{office.site}/word/pane")
    page.eval("WordHost.version = 1.3; 0")
    data = base64.b64encode(office.files["tables"]).decode()
    page.eval(f"WordHost.open({data!r}, 'contract.docx')")
    wait(page, "document.querySelector('#pane-said').textContent.includes('cannot track changes')")


def test_a_word_that_cannot_accept_changes_says_where_to(page: Page, office: Office) -> None:
    open_word(page, office.site, office.files["tracked-changes"])
    page.eval("WordHost.version = 1.5; 0")
    review(page, "Birch")
    before = words(page)
    press(page, "[data-tab-part=responses] [data-answer=accept]")
    assert said(page).endswith("Accept it under Review in Word.")
    assert words(page) == before


@pytest.mark.usefixtures("view")
def test_the_pane_breaks_no_rule(page: Page, office: Office, axe: str) -> None:  # noqa: F811
    load(page, office.site, office.files["tracked-changes"])
    wait(page, "Boolean(document.querySelector('[data-action=open]'))")
    examine(page, axe)
    review(page, "Birch")
    for tab in ("changes", "points", "responses", "findings", "more"):
        press(page, f"[data-tab={tab}]")
        page.eval("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        examine(page, axe)
        assert page.eval("document.documentElement.scrollWidth <= innerWidth")
    page.press("Tab")
    assert json.loads(page.eval("JSON.stringify(document.activeElement !== document.body)"))


def test_a_pane_without_a_cookie_is_connected_by_a_code(
    page: Page,
    tmp_path: Path,
    office: Office,
    axe: str,  # noqa: F811
) -> None:
    path = tmp_path / "team.db"
    with Library.open(path, create=True) as library:
        library.add_collection("Mill")
        accounts = Accounts(library)
        accounts.add("ada", PASSWORD, by="test")
        accounts.grant("ada", Role.EDITOR, "Mill", by="test")
        code = PaneSessions(library).create_code("ada")
    with serving(path, team=True, word=WordSettings(office_js=OFFICE)) as site:
        load(page, site, office.files["tables"])
        wait(page, "!document.querySelector('#pane-connect').hidden")
        examine(page, axe)
        for typed in ("AAAAA-AAAAA", code):
            page.eval(f"document.querySelector('#code').value = {typed!r}; 0")
            page.eval("document.querySelector('#pane-code').requestSubmit(); 0")
            settle(page)
            connected = typed == code
            assert page.eval("document.querySelector('#pane-connect').hidden") == connected
            assert said(page).startswith("This code is wrong") != connected
        submit(page, "open")
        assert page.eval("Boolean(document.querySelector('#party'))"), said(page)
        kept = page.eval("document.cookie + JSON.stringify([localStorage, sessionStorage])")
        assert PREFIX not in kept  # the secret is in memory alone
