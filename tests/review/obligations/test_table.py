"""The obligations of a library: by party, with their places, and what others change of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.exclusions import shown_document
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.reports.icalendar import obligation_days
from fourcorners.reports.lists.obligations import obligations_report
from fourcorners.reports.tree import Table, body
from fourcorners.reports.workbook_obligations import write_workbook
from fourcorners.review.obligations import listed
from fourcorners.review.obligations.listed import ContractObligation
from fourcorners.review.obligations.obligation import EACH, UNNAMED
from fourcorners.review.obligations.table import list_obligations
from fourcorners.review.parties import set_side
from fourcorners.text.span import Span
from fourcorners_bench.outline.references import text_document
from tests.review.obligations.contracts import AMENDMENT, CONTRACT

ALDER, BIRCH = "Alder Mills, Inc.", "Birch Foods LLC"


def _library(path: Path, texts: dict[str, str]) -> Library:
    library = Library.open(path / "library.db", create=True)
    for name, text in texts.items():
        document = text_document(name, text)
        outline = build_outline(document)
        library.add(
            document,
            outline,
            read_card(document, outline),
            cut_passages(document, outline),
            None,
            collection="Room",
        )
    return library


def _starting(found: list[ContractObligation], words: str) -> ContractObligation:
    (one,) = (each for each in found if each.action.text.startswith(words))
    return one


def test_by_party_and_day_with_places(tmp_path: Path) -> None:
    with _library(tmp_path, {"supply.txt": CONTRACT}) as library:
        found = list_obligations(library, library.documents("Room")).obligations
        text = library.text(found[0].document)
    parties = list(dict.fromkeys(each.party for each in found))
    assert parties[:3] == [ALDER, BIRCH, EACH]
    assert parties[-1] == UNNAMED
    first = found[0]
    assert (str(first.day), first.where, first.action.text) == (
        "2025-03-31", "2.2", "deliver a plan of supply",
    )  # fmt: skip
    birch = [each for each in found if each.party == BIRCH]
    assert [str(each.day) for each in birch[:2]] == ["2025-04-15", "2027-07-30"]
    assert birch[1].unless == "the term ends earlier"
    for each in found:
        assert each.whose == ""
        assert each.action.text == text[each.action.start : each.action.end]
        assert each.quote.text == text[each.quote.start : each.quote.end]


def test_ours_come_first(tmp_path: Path) -> None:
    with _library(tmp_path, {"supply.txt": CONTRACT}) as library:
        found = list_obligations(library, library.documents("Room"), read_for=["Birch"]).obligations
        assert {each.party for each in found if each.whose == "ours"} == {BIRCH, EACH}
        assert found[0].party == BIRCH
        with pytest.raises(ConfigError, match="'Cedar'"):
            list_obligations(library, library.documents("Room"), read_for=["Cedar"])
        set_side(library, "Room", ["Birch"])
        assert list_obligations(library, library.documents("Room")).obligations == found


def test_a_contract_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"supply.txt": CONTRACT, "other.txt": CONTRACT.replace("March", "May")}
    with _library(tmp_path, texts) as library:
        documents = library.documents("Room")
        none = list_obligations(library, documents, most_new=0)
        assert (none.obligations, none.unread) == ([], 2)
        some = list_obligations(library, documents, most_new=1)
        assert some.unread == 1
        whole = list_obligations(library, documents)
        assert whole.unread == 0
        found = whole.obligations
        assert len(found) > len(some.obligations) > 0
    with Library.open(tmp_path / "library.db") as library:
        assert list_obligations(library, documents, most_new=0).obligations == found
        library.execute("UPDATE obligation_lists SET heads = '[{]'")
        assert list_obligations(library, documents).obligations == found
        library.execute("UPDATE obligation_lists SET found = '[{]'")
        for _ in documents:
            with pytest.raises(LibraryError, match="damaged"):
                _ = list_obligations(library, documents).obligations
        assert list_obligations(library, documents).obligations == found
        before = list_obligations(library, documents)
        library.execute("UPDATE obligation_lists SET state = 'of another text'")
        with pytest.raises(LibraryError, match="changed meanwhile"):
            _ = before.obligations
        monkeypatch.setattr(listed, "__version__", "another")
        assert list_obligations(library, documents, most_new=0).unread == 2
        library.remove(documents[0].id)
        kept = library.execute("SELECT document FROM obligation_lists")
        assert kept == [(documents[1].id,)]


def test_an_amendment_changes_obligations_and_their_days(tmp_path: Path) -> None:
    texts = {"supply.txt": CONTRACT, "amendment.txt": AMENDMENT}
    with _library(tmp_path, texts) as library:
        found = list_obligations(library, library.documents("Room")).obligations
        (document,) = (each.id for each in library.documents() if each.name == "supply.txt")
        alone = list_obligations(library, library.documents(), documents=[document]).obligations
    comments = _starting(found, "give its comments")
    assert comments.changed_by == ("amendment.txt, clause 1",)
    assert comments.day == date(2025, 5, 15)
    assert "May 15, 2025" in comments.statement
    assert "April 15, 2025" in comments.quote.text
    assert comments.quote.text == CONTRACT[comments.quote.start : comments.quote.end]
    returned = _starting(found, "return the moulds").day
    assert returned is not None
    assert returned.year == 2029
    assert {each.document for each in alone} == {document}
    assert _starting(alone, "give its comments") == comments


@pytest.mark.parametrize(
    ("change", "shown", "old"),
    [
        ("In clause 2.1, the words “ten (10) days” are replaced by “six (6) days”.",
         "within six (6) days after receipt of an order", "ten (10)"),
        ("Clause 2.1 is amended by replacing “receipt of an order” with “notice of a need”.",
         "within ten (10) days after notice of a need", "receipt of an order"),
        (("Clause 2.1 is hereby deleted in its entirety and replaced by the following: “2.1 "
          "Delivery. Supplier shall deliver the Panels within three (3) weeks after an order.”"),
         "within three (3) weeks after an order", "ten (10)"),
    ],
)  # fmt: skip
def test_a_time_is_listed_as_amended(tmp_path: Path, change: str, shown: str, old: str) -> None:
    head, _ = AMENDMENT.split("1. In clause 2.2")
    texts = {"supply.txt": CONTRACT, "amendment.txt": f"{head}1. {change}\n"}
    with _library(tmp_path, texts) as library:
        found = list_obligations(library, library.documents("Room")).obligations
    (delivery,) = (each for each in found if each.statement.startswith("must deliver the Panels"))
    (time,) = delivery.times
    assert " ".join(time.in_force.split()) == shown
    assert old in " ".join(time.text.split())
    assert time.text == CONTRACT[time.start : time.end]
    assert delivery.changed_by == ("amendment.txt, clause 1",)
    write_workbook(found, "", tmp_path / "o.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "o.xlsx")["Obligations"]
    assert [
        row[5].value for row in sheet if str(row[3].value).startswith("deliver the Panels")
    ] == [shown]
    (table,) = (
        each
        for section in obligations_report(found, 1, "").sections
        for each in section.blocks
        if isinstance(each, Table)
    )
    assert [row.cells[0] for row in table.rows if "must deliver the Panels" in repr(row)] == [
        (body(shown),)
    ]


def test_a_condition_is_listed_as_amended(tmp_path: Path) -> None:
    head, _ = AMENDMENT.split("1. In clause 2.2")
    change = "1. In clause 2.3, “unless Supplier consents” is replaced by “unless they are worn”.\n"
    with _library(tmp_path, {"supply.txt": CONTRACT, "amendment.txt": head + change}) as library:
        found = list_obligations(library, library.documents("Room")).obligations
    (resale,) = (each for each in found if each.statement.startswith("must not resell"))
    assert [each.in_force for each in resale.conditions] == ["unless they are worn"]


def test_a_calendar_marks_the_words_that_an_amendment_changes(tmp_path: Path) -> None:
    texts = {"supply.txt": CONTRACT, "amendment.txt": AMENDMENT}
    with _library(tmp_path, texts) as library:
        found = list_obligations(library, library.documents("Room")).obligations
    days = {each.day: each for each in obligation_days(found)}
    assert date(2025, 4, 15) not in days
    assert "(changed by amendment.txt, clause 1)" in days[date(2025, 5, 15)].description


def test_what_is_struck_out_is_no_obligation_and_in_no_quote(tmp_path: Path) -> None:
    words = "shall be paid within thirty (30) days after receipt. Taxes"
    struck = "Buyer shall pay double. "
    text = CONTRACT.replace(words, words.replace("Taxes", f"{struck}Taxes"))
    text = text.replace("and\nshall install them", "and\nshall quickly install them")
    deleted = [struck.strip(), "quickly "]
    marks = tuple(
        Mark(MarkKind.DELETED, Span(text.index(each), text.index(each) + len(each)))
        for each in deleted
    )
    document = replace(text_document("supply.txt", text), marks=marks)
    shown = shown_document(document)
    outline = build_outline(shown)
    with Library.open(tmp_path / "library.db", create=True) as library:
        card = read_card(shown, outline)
        passages = cut_passages(document, outline)
        library.add(document, outline, card, passages, None, collection="Room")
        found = list_obligations(library, library.documents("Room")).obligations
    assert all(
        "double" not in each.quote.text and "quickly" not in each.quote.text for each in found
    )
    for each in found:
        assert each.quote.text == text[each.quote.start : each.quote.end]
        assert each.action.text == text[each.action.start : each.action.end]


def test_what_is_struck_out_is_in_no_quote_of_an_amended_contract(tmp_path: Path) -> None:
    text = CONTRACT.replace("Buyer shall give its comments", "Buyer shall soon give its comments")
    struck = Span(text.index("soon"), text.index("give its comments"))
    document = replace(text_document("supply.txt", text), marks=(Mark(MarkKind.DELETED, struck),))
    shown = shown_document(document)
    outline = build_outline(shown)
    with _library(tmp_path, {"amendment.txt": AMENDMENT}) as library:
        passages = cut_passages(document, outline)
        library.add(document, outline, read_card(shown, outline), passages, None, collection="Room")
        found = list_obligations(library, library.documents("Room")).obligations
    (comments,) = (each for each in found if "comments" in each.statement)
    assert comments.changed_by == ("amendment.txt, clause 1",)
    for each in (comments.quote, comments.action):
        assert each.text == text[each.start : each.end]
        assert "soon" not in each.text
