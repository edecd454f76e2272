"""The mark-up of a contract in the browser: proposed, decided, downloaded."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.playbooks.bank.facts import ClauseFacts
from fourcorners.playbooks.bank.store import BankClause, set_facts, store_clauses
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import (
    CellState,
    Evidence,
    Finding,
    PositionMatch,
    RiskAnswer,
    Severity,
)
from fourcorners.text.evidence import quote_span
from fourcorners.text.span import Span
from tests.redline.word_contracts import NUMBERING, contract, word_file
from tests.server.conftest import Room
from tests.server.grids import absent, fill

BOOK = load_playbook("due-diligence")
CONSENT = "Neither party may assign this Agreement without the prior written consent of the other"
CAP = "cap-on-liability"
ADDED = "(not to be unreasonably withheld, conditioned or delayed)"
PROMISE = "Each party may assign this Agreement to its Affiliates."


@pytest.fixture
def supply(room: Room) -> Room:
    """A supply agreement whose clause on assignment is refused, and which has no cap."""
    path = room.app.state.server.uploads.root / "0" / "supply.docx"
    path.parent.mkdir(parents=True)
    path.write_bytes(word_file({"body": contract(), "numbering": NUMBERING}))
    made = prepare_file(path)
    assert isinstance(made, PreparedFile)
    with room.app.state.server.connection_pool.library() as library:
        library.add_columns(made.columns, None, collection="Mill")
        document = library.resolve("supply").id
        fill_cells(library, document)
        store_clauses(
            library,
            "firm",
            [BankClause("Assignment", PROMISE, 4, "Deed of 2019"), BankClause("Cap", "A <b>cap.")],
        )
    return room


def fill_cells(library: Library, document: str) -> None:
    """Store the findings of a supply agreement: it may not be assigned, and has no cap."""
    cells = [absent(document, p.id) for p in BOOK.provisions if p.id != "assignment"]
    cells = [replace(c, severity=Severity.MEDIUM) if c.provision == CAP else c for c in cells]
    fill(library, BOOK, [*cells, assignment(document, library.text(document))])


def assignment(document: str, text: str) -> Finding:
    start = next(
        re.finditer(r"(Subject to [^.]*\.3 [^,]*, n|N)either party may assign", text)
    ).start()
    quote = quote_span(text, Span(start, text.index(" party.", start) + 7))
    answers = {"effect": "consent", "restricted": "each party"}
    given = tuple(
        RiskAnswer("?", value, id=name, value=value, quotes=(quote,))
        for name, value in answers.items()
    )
    held = BOOK.provision("assignment").positions[4]
    return Finding(
        document,
        "assignment",
        CellState.FOUND,
        evidence=(Evidence(quote, quote.span or Span(0, 1), (), None, 0.99),),
        answers=given,
        position=PositionMatch(held.kind, held.text, held.recommend, (quote,)),
    )


class Marking:
    """A person who marks up the supply agreement."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.path = f"/d/{room.document('supply')}/markup"

    def post(self, path: str = "", *, status: int = 303, **data: str) -> str:
        return self.send(path, data, status)

    def send(self, path: str, data: Mapping[str, str], status: int) -> str:
        sent = {"csrf": self.room.token(), "p": BOOK.id, **data}
        answer = self.room.client.post(f"{self.path}{path}", data=sent)
        assert answer.status_code == status, words(answer.text)
        return str(answer.text)

    def propose(self, **data: str) -> str:
        self.send("", {"party": "Birch Retail Limited", **data}, 303)
        return self.page()

    def page(self) -> str:
        answer = self.room.client.get(self.path, params={"p": BOOK.id})
        assert answer.status_code == 200
        return str(answer.text)

    def change(self, name: str = "Assignment") -> str:
        for identity, card in cards(self.page()).items():
            if f"<h3>{name}" in card:
                return identity
        raise AssertionError(name)

    def decide(self, says: str, *, status: int = 303, **data: str) -> str:
        change = data.pop("change", "") or self.change()
        return self.send("/decide", {"change": change, "says": says, **data}, status)

    def download(self, form: str = "") -> bytes:
        answer = self.room.client.get(f"{self.path}/download", params={"p": BOOK.id, "form": form})
        assert answer.status_code == 200, words(answer.text)
        assert "marked." in unquote(answer.headers["content-disposition"])
        return bytes(answer.content)


@pytest.fixture
def marking(supply: Room) -> Marking:
    made = Marking(supply)
    made.propose()
    return made


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def cards(page: str) -> dict[str, str]:
    found = re.findall(r'<li class="proposal.*?data-change="(\w+)"(.*?)</li>', page, re.S)
    return dict(found)


def text_of(data: bytes, folder: Path) -> str:
    path = folder / "marked.docx"
    path.write_bytes(data)
    return read_document(path).text


def test_a_contract_without_a_mark_up_offers_one(supply: Room) -> None:
    page = supply.client.get(f"/d/{supply.document('supply')}/markup").text
    assert "Customer (Birch Retail Limited)" in words(page)
    assert "<ins" not in page


@pytest.mark.parametrize(("read_for", "first"), [("Birch", "Birch"), ("Alder", "Alder")])
def test_the_party_for_whom_one_reads_comes_first(supply: Room, read_for: str, first: str) -> None:
    with supply.app.state.server.connection_pool.library() as library:
        library.set_read_for("Mill", [read_for])
    page = supply.client.get(f"/d/{supply.document('supply')}/markup").text
    options = re.search(r'<select id="party".*?</select>', page, re.DOTALL)
    assert options
    assert first in options[0].split("</option>")[0]


def test_each_change_has_its_reason_words_and_source(marking: Marking) -> None:
    page = marking.page()
    card = cards(page)[marking.change()]
    assert BOOK.provision("assignment").positions[4].text in words(card)
    assert f"<ins> {ADDED}</ins>" in card
    assert "the playbook M&A due diligence" in words(card)
    assert f'data-of="{marking.change()}"> {ADDED}</ins> of the other party' in page
    assert "No such clause was found in the contract." in words(page)
    assert page.count(f'data-of="{marking.change("Cap on liability")}"') == 1


def test_only_what_was_accepted_is_downloaded(marking: Marking, tmp_path: Path) -> None:
    answer = marking.room.client.get(f"{marking.path}/download", params={"p": BOOK.id})
    assert answer.status_code == 409
    marking.decide("accepted")
    marking.decide("rejected", change=marking.change("Cap on liability"))
    assert "accepted, 0 edited, 1 rejected" in words(marking.page())
    data = marking.download()
    text = text_of(data, tmp_path)
    assert f"consent {ADDED} of the other party" in text
    assert "liable" not in text
    comments = zipfile.ZipFile(io.BytesIO(data)).read("word/comments.xml").decode()
    assert "Proposed: Consent is needed" in comments
    assert 'w:author="Ada"' in comments
    table = marking.download("md").decode()
    assert table.count("| 1 | Assignment |") == 1
    assert "| 2 |" not in table


def test_an_edit_is_the_persons(marking: Marking, tmp_path: Path) -> None:
    said = f"{CONSENT} party,\r\nwhich the <b>other</b> shall not withhold."
    marking.decide("edited", words=said)
    page = marking.page()
    card = cards(page)[marking.change()]
    assert "edited by Ada" in card
    assert "Reaches" not in card
    assert "<b>other" not in page
    data = marking.download()
    assert "other party, which the <b>other</b> shall not withhold." in text_of(data, tmp_path)
    comments = zipfile.ZipFile(io.BytesIO(data)).read("word/comments.xml").decode()
    assert "Proposed" not in comments
    marking.decide("open")
    assert "edited by Ada" not in marking.page()


def test_words_that_change_nothing_are_refused(marking: Marking) -> None:
    page = marking.decide("edited", status=400, words=f"{CONSENT} party.")
    assert "Reject the change instead" in page
    assert "1 edited" not in words(marking.page())


def test_a_new_clause_is_edited_by_paragraphs(marking: Marking, tmp_path: Path) -> None:
    cap = marking.change("Cap on liability")
    marking.decide("edited", change=cap, words="Nobody is liable for rain.\r\n\r\nNor for snow.")
    text = text_of(marking.download(), tmp_path)
    assert re.search(r"6\.4 Nobody is liable for rain\.\s+6\.5 Nor for snow\.", text)
    marking.decide("edited", change=cap, status=400, words="  ")


def test_rejecting_what_was_downloaded_gives_the_original(marking: Marking, tmp_path: Path) -> None:
    marking.decide("edited", words="Neither party may assign any right, but to an affiliate.")
    cap = marking.change("Cap on liability")
    marking.decide("edited", change=cap, words="Nobody is liable.\n\nNor for snow.")
    data = resolve_changes(marking.download(), Path("marked.docx"), accept=False)
    original = next(marking.room.app.state.server.uploads.root.rglob("supply.docx"))
    assert text_of(data, tmp_path) == read_document(original).text


def test_an_answer_in_place_has_the_counts(marking: Marking) -> None:
    sent = {"p": BOOK.id, "change": marking.change(), "says": "accepted"}
    headers = {"HX-Request": "true", "X-CSRF-Token": marking.room.token()}
    answer = marking.room.client.post(f"{marking.path}/decide", data=sent, headers=headers)
    assert answer.status_code == 200
    assert 'data-state="accepted"' in answer.text
    assert 'hx-swap-oob="true"' in answer.text
    assert "Download for Word" in answer.text
    assert "<html" not in answer.text


def test_decisions_stay_when_it_is_proposed_again(marking: Marking) -> None:
    marking.decide("accepted")
    page = marking.propose()
    assert "1 accepted" in words(page)
    page = marking.propose(aim="preferred")
    assert "0 accepted" in words(page)


def test_what_is_wrong_is_told(marking: Marking) -> None:
    assert "Choose a party" in marking.post(status=400)
    assert "has a party called" in unescape(marking.post(status=400, party="Nobody"))
    marking.post(status=422, party="Birch Retail Limited", aim="all")
    marking.decide("praised", status=422)
    marking.post("/decide", status=404, change="0" * 12, says="accepted")
    sent = {"p": BOOK.id, "change": marking.change(), "says": "accepted"}
    assert marking.room.client.post(f"{marking.path}/decide", data=sent).status_code == 403


def test_an_original_that_is_gone_leaves_the_table(marking: Marking) -> None:
    marking.decide("accepted")
    next(marking.room.app.state.server.uploads.root.rglob("supply.docx")).unlink()
    answer = marking.room.client.get(f"{marking.path}/download", params={"p": BOOK.id})
    assert answer.status_code == 400
    assert "Download the table" in answer.text
    assert str(marking.room.folder) not in answer.text
    assert b"Assignment" in marking.download("md")


def test_a_bank_is_browsed_by_kind_and_stars(supply: Room) -> None:
    page = supply.client.get("/precedents/bank").text
    assert "2 clauses" in words(page)
    assert "A &lt;b&gt;cap." in page
    assert page.index(PROMISE) < page.index("&lt;b&gt;cap.")
    assert "Use in the change" not in page
    page = supply.client.get("/precedents/bank?b=firm&kind=Cap").text
    assert PROMISE not in page
    page = supply.client.get("/precedents/bank?b=firm&stars=4").text
    assert PROMISE in page
    assert "cap." not in page
    assert supply.client.get("/precedents/bank?b=none").status_code == 404
    assert supply.client.get("/precedents/bank?b=firm&d=0&change=0").status_code == 404


def test_a_clause_of_a_bank_is_put_into_a_change(marking: Marking, tmp_path: Path) -> None:
    place = {"d": marking.room.document("supply"), "p": BOOK.id, "change": marking.change()}
    page = marking.room.client.get("/precedents/bank", params=place).text
    assert "1 clause of Assignment" in words(page)
    clause = BankClause("Assignment", PROMISE).id
    assert f'name="clause" value="{clause}"' in page
    marking.decide("edited", bank="firm", clause=clause)
    card = cards(marking.page())[marking.change()]
    assert "Wording: Deed of 2019, 4 of 5 stars" in words(card)
    assert "Each party may assign this Agreement to its [Affiliates]." in unescape(card)
    assert "To fill in: Affiliates" in words(card)
    marking.decide("edited", words="Each party may assign this Agreement to its own group.")
    card = cards(marking.page())[marking.change()]
    assert "Wording: Deed of 2019, edited by Ada, 4 of 5 stars" in words(card)
    marking.decide("edited", bank="firm", clause=clause)
    text = text_of(marking.download(), tmp_path)
    assert "6.1 Each party may assign this Agreement to its [Affiliates]." in text
    cap = marking.change("Cap on liability")
    clause = BankClause("Cap", "A <b>cap.").id
    marking.decide("edited", change=cap, bank="firm", clause=clause)
    assert "6.4 A <b>cap." in text_of(marking.download(), tmp_path)
    marking.decide("edited", status=404, bank="firm", clause="0" * 12)
    marking.decide("edited", status=400, bank="none", clause=clause)


def test_programs_do_the_same(supply: Room, tmp_path: Path) -> None:
    path = f"/api/v1/documents/{supply.document('supply')}/markup"
    assert supply.client.get(path).status_code == 404
    made = supply.client.post(path, json={"party": "Birch Retail Limited"}).json()
    assert made["word"]
    page = words(supply.client.get(f"/d/{supply.document('supply')}/markup").text)
    assert made["missing"]
    assert f"Not found: {', '.join(made['missing'])}" in page
    (cap,) = [each for each in made["changes"] if each["blanks"]]
    card = cards(supply.client.get(f"/d/{supply.document('supply')}/markup").text)[cap["id"]]
    assert "Meets" not in words(card)
    assert 'data-confirm="Still to fill in: amount of the cap.' in card
    by_name = {each["provision"]: each for each in made["changes"]}
    change = by_name["assignment"]
    assert change["state"] == "open"
    assert change["words"].endswith(f"consent {ADDED} of the other party.")
    said = {"state": "edited", "words": "Neither party may assign this Agreement."}
    made = supply.client.post(f"{path}/changes/{change['id']}", json=said).json()
    assert [each["state"] for each in made["changes"]].count("edited") == 1
    assert supply.client.get(path).json() == made
    answer = supply.client.get(f"{path}/file")
    assert "6.1 Neither party may assign this Agreement.\n" in text_of(answer.content, tmp_path)
    table = supply.client.get(f"{path}/file", params={"form": "pdf"})
    assert table.headers["content-type"] == "application/pdf"
    assert table.content.startswith(b"%PDF-")
    assert supply.client.get(f"{path}/file", params={"form": "odt"}).status_code == 422
    bad = supply.client.post(f"{path}/changes/{change['id']}", json={"state": "praised"})
    assert bad.status_code == 422


def test_a_contract_is_reviewed_first_where_it_was_not(supply: Room) -> None:
    document = supply.document("supply")
    with supply.app.state.server.connection_pool.library() as library:
        library.execute("DELETE FROM review_findings WHERE provision = 'assignment'")
    books = [BOOK.id, "commercial-terms"]
    sent = {"csrf": supply.token(), "p": books, "party": "Birch Retail Limited"}
    answer = supply.client.post(f"/d/{document}/markup", data=sent)
    assert answer.headers["location"].startswith("/tasks/")
    page = supply.settle(answer.headers["location"].removeprefix("/tasks/"))
    address = f"/d/{document}/markup?p=due-diligence%2Ccommercial-terms"
    assert f'href="{address}">Open the mark-up' in page
    page = supply.client.get(address).text
    assert "M&amp;A due diligence and Commercial terms" in page
    assert "<h3>Cap on liability" in page


def test_an_expired_clause_is_put_in_only_after_a_question(marking: Marking) -> None:
    clause = BankClause("Assignment", PROMISE).id
    with marking.room.app.state.server.connection_pool.library() as library:
        set_facts(library, "firm", clause, ClauseFacts(expires=date(2020, 1, 31)))
    place = {"d": marking.room.document("supply"), "p": BOOK.id, "change": marking.change()}
    page = unescape(marking.room.client.get("/precedents/bank", params=place).text)
    assert 'name="expired" value="yes" required' in page
    assert "Use it although it expired on 31 January 2020" in re.sub("<[^>]+>", "", page)
    marking.decide("edited", status=409, bank="firm", clause=clause)
    marking.decide("edited", bank="firm", clause=clause, expired="yes")
