"""What only a tracked change says is never shown as settled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Program
from tests.redline.word_contracts import (
    NUMBERING,
    contract,
    deleted,
    inserted,
    paragraph,
    run,
    word_file,
)

TERM = paragraph(
    run("This Agreement begins on 4 March 2024 and continues for three (3) years. It renews for "),
    run("periods of one (1) year unless either party gives the other at least "),
    *(deleted("sixty (60)"), inserted("ninety (90)"), run(" days’ written notice before its end.")),
)
LAW = paragraph(
    run("This Agreement is governed by the laws of "),
    *(deleted("Ireland"), inserted("the State of New York"), run(".")),
)
FEE = paragraph(
    run("The Customer shall pay a fee of £900 within "), inserted("ten days of "), run("signing.")
)


@pytest.fixture
def added(program: Program, tmp_path: Path) -> Program:
    preamble = (
        "".join(contract().partition("</w:p>")[:2]) + contract().split("</w:p>")[1] + "</w:p>"
    )
    folder = tmp_path / "room"
    folder.mkdir()
    data = word_file({"body": f"{preamble}{TERM}{FEE}{LAW}", "numbering": NUMBERING})
    (folder / "supply.docx").write_bytes(data)
    program("add", "room", "--words-only")
    return program


def test_obligations_dates_and_the_card_say_who_proposes_their_words(added: Program) -> None:
    (fee,) = (
        each
        for each in added("obligations", "--json").json["obligations"]
        if "£900" in each["quote"]["text"]
    )
    assert fee["proposed"] == ["Other Side"]
    assert "· proposed by" in added("obligations").out
    given = ("--as-of", "2026-06-01", "--within", "900", "--ics", "days.ics")
    dates = added("dates", *given, "--json").json
    words = [each["words"] for each in dates["dates"]]
    words += [part for each in dates["dates"] for part in each["parts"]]
    words += [part for each in dates["to_be_read"] for part in each["words"]]
    for each in words:
        assert each["proposed"] == (["Other Side"] if "ninety" in each["text"] else [])
    assert {bool(each["proposed"]) for each in words} == {True, False}
    assert "proposed by Other Side" in (added.folder / "days.ics").read_text().replace("\r\n ", "")
    assert "New York (proposed by Other Side, not accepted)" in added("show", "supply").out


def test_the_quotes_of_a_review_say_it_too(added: Program) -> None:
    asked = ("show", "supply", "--provision", "governing law")
    (finding,) = added(*asked, "--json").json["findings"]
    assert [each["proposed"] for each in finding["evidence"]] == [["Other Side"]]
    assert "proposed by Other Side" in " ".join(added(*asked).out.split())
