"""The clauses of a provision side by side: paired part by part, with what differs marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
from docx import Document
from openpyxl.cell.rich_text import TextBlock

from fourcorners.comparison.passages import align_parts
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.reports.lists.clauses import ClauseColumn, ClauseSheet, write_clauses_workbook
from fourcorners.reports.workbook import CELL_LIMIT
from fourcorners.review.finding import CellState, Evidence, Finding, SearchRecord
from fourcorners.server.auth.accounts import Accounts
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind
from tests.server.conftest import SUPPLY, Room
from tests.server.grids import absent, fill

BOOK = load_playbook("due-diligence")
FIRST, SECOND = (each.id for each in BOOK.provisions[:2])
LOAN = """LOAN OF A MILL

1. Transfer

1.1 The Borrower may transfer this loan only with the written consent of the Lender.

1.2 The Lender may assign its claims to a bank at any time without notice to anyone.

2. Law

2.1 The law of Utopia governs this loan.
"""
OTHER = LOAN.replace("written consent", "prior written consent").replace("LOAN OF A", "SECOND LOAN")


def _found(library: Library, document: str) -> Finding:
    text = library.text(document)
    clause = Span(text.index("1. Transfer"), text.index("2. Law"))
    words = text[text.index("1.1") : text.index("1.2")].strip()
    quote = Quote(words, Span(text.index("1.1"), text.index("1.1") + len(words)), Match.EXACT)
    evidence = Evidence(quote, clause, ("1. Transfer",), None, 0.9)
    searched = SearchRecord("", 9, 0.5, evidence)
    return Finding(document, FIRST, CellState.FOUND, (evidence,), searched)


def _loans(room: Room, collection: str = "Mill") -> tuple[str, str]:
    room.put({"loan.txt": LOAN, "second.txt": OTHER, "supply.txt": SUPPLY}, collection)
    with room.app.state.server.connection_pool.library() as library:
        ids = [each.id for each in library.documents(collection)]
        cells = [absent(d, p.id) for d in ids for p in BOOK.provisions]
        fill(library, BOOK, cells)
        loans = [library.resolve(each).id for each in ("loan.txt", "second.txt")]
        fill(library, BOOK, [_found(library, each) for each in loans])
    return loans[0], loans[1]


def _ask(room: Room, **more: Any) -> Any:
    body = {"collection": "Mill", "provision": FIRST, **more}
    headers = {"X-CSRF-Token": room.token()}
    return room.client.post("/api/v1/reviews/clauses", json=body, headers=headers)


def test_parts_are_paired_wherever_they_are() -> None:
    base = ["The tenant pays the rent monthly.", "The landlord repairs the roof of the mill."]
    other = ["The roof is repaired by the landlord.", "Bees are kept.", "Rent is paid monthly."]
    assert align_parts(base, other) == [1, None, 0]
    assert align_parts([], other) == [None, None, None]


def test_each_part_is_compared_and_every_word_is_there(room: Room) -> None:
    loan, second = _loans(room)
    table = _ask(room, against=loan).json()
    assert (table["missing"], len(table["base"]), table["against"]) == (1, 2, loan)
    assert table["base"][0].startswith("1. Transfer 1.1 The Borrower")
    theirs = next(each for each in table["clauses"] if each["document"] == second)
    assert [each["base"] for each in theirs["parts"]] == [0, 1]
    changed = [e for part in theirs["parts"] for e in part["edits"] if e["kind"] != "equal"]
    assert [(each["kind"], each["text"].strip()) for each in changed] == [("insert", "prior")]
    for part in theirs["parts"]:
        words = "".join(each["text"] for each in part["edits"] if each["kind"] != "delete")
        span = part["span"]
        assert words == " ".join(OTHER[span["start"] : span["end"]].split())
    page = room.client.get(f"/reviews/clauses?c=Mill&p={BOOK.id}&v={FIRST}&against={loan}").text
    assert "<ins>prior" in page
    assert "2 contracts with this clause, 1 contract without" in page


def test_where_nothing_is_found_there_is_nothing_to_compare(room: Room) -> None:
    loan, _ = _loans(room)
    assert _ask(room, provision=SECOND).json()["clauses"] == []
    assert _ask(room, provision=SECOND, against=loan).status_code == 404
    assert _ask(room, provision="no-such").status_code == 404
    page = room.client.get(f"/reviews/clauses?c=Mill&p={BOOK.id}&v={SECOND}").text
    assert "No contract of this review has the clause" in page


def test_another_collections_clauses_are_not_there(make_room: Callable[..., Room]) -> None:
    room = make_room(team=True)
    loan, _ = _loans(room)
    with room.app.state.server.connection_pool.library() as library:
        Accounts(library).add("bram", "a long enough password 1", by="test")
    sent = {"name": "bram", "password": "a long enough password 1"}
    assert room.client.post("/sign-in", data=sent).status_code == 303
    assert _ask(room).status_code == _ask(room, collection="Nill").status_code == 404
    page = room.client.get(f"/reviews/clauses?c=Mill&p={BOOK.id}&v={FIRST}&against={loan}")
    assert page.status_code == 404


def test_clauses_side_by_side_are_sent_as_files(room: Room, tmp_path: Path) -> None:
    loan, second = _loans(room)
    asked = {"c": "Mill", "p": BOOK.id, "v": FIRST, "against": loan}
    page = room.client.get("/reviews/clauses", params=asked).text
    for form, start in (("xlsx", b"PK"), ("docx", b"PK"), ("pdf", b"%PDF")):
        address = f"/reviews/clauses/report.{form}"
        assert f"{address}?c=Mill&amp;p={BOOK.id}&amp;v={FIRST}&amp;against={loan}" in page
        sent = room.client.get(address, params=asked)
        assert sent.status_code == 200
        assert sent.content.startswith(start)
        (tmp_path / f"clauses.{form}").write_bytes(sent.content)
    book = openpyxl.load_workbook(tmp_path / "clauses.xlsx", rich_text=True)
    sheet = book["Side by side"]
    assert (sheet.max_column, sheet.max_row) == (2, 4)
    assert str(sheet["A3"].value).startswith("1. Transfer 1.1 The Borrower")
    blocks = [each for each in sheet["B3"].value if isinstance(each, TextBlock)]
    assert [each.text.strip() for each in blocks if each.font.u == "single"] == ["prior"]
    document = Document(str(tmp_path / "clauses.docx"))
    words = [cell.text for row in document.tables[-1].rows for cell in row.cells]
    assert any("prior written consent" in each for each in words)
    query = {"collection": "Mill", "provision": FIRST, "against": second, "format": "html"}
    sent = room.client.get("/api/v1/reviews/clauses/report", params=query)
    assert "text/html" in sent.headers["content-type"]
    assert "prior" in sent.text
    assert room.client.get("/reviews/clauses/report.exe", params=asked).status_code == 404
    assert room.client.get(
        "/reviews/clauses/report.xlsx", params={**asked, "c": "Nowhere"}
    ).status_code == 404  # fmt: skip


def test_no_words_of_a_contract_are_a_formula(tmp_path: Path) -> None:
    same, more = Edit(EditKind.EQUAL, "=1+1 is due"), Edit(EditKind.INSERT, " now \u202e")
    long = Edit(EditKind.EQUAL, "long " * 7_000)
    columns = (
        ClauseColumn("@Lease", "+1", ((same, more), (), (more,))),
        ClauseColumn("-Loan", "", ((Edit(EditKind.DELETE, "=2"),), (long, more), ())),
    )
    sheet = ClauseSheet("=Cap", "=Deed", ("=A1", "-x"), columns, (("Compared with", "=Deed"),))
    write_clauses_workbook(sheet, tmp_path / "clauses.xlsx")
    book = openpyxl.load_workbook(tmp_path / "clauses.xlsx")
    cells = [cell for each in book.worksheets for row in each.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value is not None} == {"s"}
    page = book["Side by side"]
    assert page["A5"].value == "Only in the other"
    assert page["B3"].value == "=1+1 is due now ⟦U+202E⟧"
    assert page["B4"].value == "Nothing on this"
    assert page["B3"].quotePrefix
    assert page["C3"].font.strike
    assert str(page["C4"].value).startswith("long long")
    assert len(page["C4"].value) <= CELL_LIMIT
    with ZipFile(tmp_path / "clauses.xlsx") as package:
        assert b"<f>" not in package.read("xl/worksheets/sheet1.xml")
