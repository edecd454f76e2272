"""Where a new clause stands, how it is numbered and what it looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.read import read_document
from fourcorners.outline.build import build_outline
from fourcorners.redline.insertion import place_clause
from fourcorners.redline.proposal import NewClause
from tests.redline.word_contracts import NUMBERING, contract, word_file

WORDS = "Neither party is liable for more than its fees."
HEADED = """SERVICE AGREEMENT

This Service Agreement is made on 4 March 2024 between Alder Components Limited and Birch Retail
Limited.

1. SERVICES. The Supplier shall serve the Customer as it is told from time to time.

2. PRICES. The Customer shall pay what is agreed within thirty days of an invoice.

3. SECRETS. Each party shall keep secret what it learns of the other's business.

4. NOTICES. A notice shall be in writing and is given when it has been received.

[Signature page follows]

IN WITNESS WHEREOF the parties have signed this agreement.

ALDER COMPONENTS LIMITED          BIRCH RETAIL LIMITED
By: ____________________          By: ____________________
"""


def placed(path: Path, *beside: str) -> tuple[str, NewClause | None]:
    document = read_document(path)
    outline = build_outline(document)
    return document.text, place_clause(document, outline, beside, "Limit of liability", WORDS)


def lines(clause: NewClause | None) -> list[str]:
    assert clause is not None
    return ["".join(run.text for run in each.runs) for each in clause.paragraphs]


def word(tmp_path: Path, *, typed: bool = False) -> Path:
    path = tmp_path / "supply.docx"
    path.write_bytes(word_file({"body": contract(typed=typed), "numbering": NUMBERING}))
    return path


def test_it_is_the_last_part_of_the_article_about_such_things(tmp_path: Path) -> None:
    text, clause = placed(word(tmp_path), "liability", "miscellaneous")
    assert lines(clause) == [WORDS]  # Word numbers it
    assert clause is not None
    assert (clause.number, clause.is_numbered) == ("6.4", True)
    assert text[: clause.after + 1].endswith("the laws of England and Wales.")
    assert text[clause.paragraphs[0].like :].startswith("This Agreement is governed")


def test_the_best_heading_comes_first(tmp_path: Path) -> None:
    text, clause = placed(word(tmp_path), "confidentiality", "miscellaneous")
    assert clause is not None
    assert clause.number == "4.3"
    assert text[: clause.after + 1].endswith("must be disclosed by law.")


def test_a_number_is_typed_where_the_others_are(tmp_path: Path) -> None:
    _, clause = placed(word(tmp_path, typed=True), "miscellaneous")
    assert lines(clause) == [f"6.4 {WORDS}"]


def test_without_such_an_article_it_comes_before_the_signatures(tmp_path: Path) -> None:
    path = tmp_path / "services.txt"
    path.write_text(HEADED)
    text, clause = placed(path, "liability")
    assert lines(clause) == [f"5. LIMIT OF LIABILITY. {WORDS}"]
    assert clause is not None
    assert text[: clause.after + 1].endswith("when it has been received.")


@pytest.mark.parametrize("signed", ["ALDER SALES & SERVICE, INC.", "Title: V.P.", "/s/ A. Lee Jr."])
def test_what_is_signed_is_no_sentence_to_follow(tmp_path: Path, signed: str) -> None:
    path = tmp_path / "supply.txt"
    body, _, _ = HEADED.partition("[Signature")
    path.write_text(f"{body}Accepted and agreed by\n\n{signed}\n")
    text, clause = placed(path, "liability")
    assert clause is not None
    assert text[: clause.after + 1].endswith("when it has been received.")


def test_an_outline_that_is_not_sure_tells_no_place(tmp_path: Path) -> None:
    path = tmp_path / "flat.txt"
    path.write_text("Some words without any clause. " * 40)
    assert placed(path, "liability")[1] is None
