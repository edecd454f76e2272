"""`fourcorners review --for`: for whom one reads, remembered by the collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

AGREEMENT = """MUTUAL NON-DISCLOSURE AGREEMENT

This Agreement is made on 3 May 2024 between {} ("Discloser") and {} ("Recipient").

1. The Recipient shall keep the Information secret. Neither party may assign this Agreement.
"""
PLACE = ("-c", "Deal", "-l", "l.db")
REVIEW = ("review", *PLACE, "-p", "nda-review", "--words-only")


@pytest.mark.slow
def test_the_collection_remembers_for_whom_one_reads(program: Program) -> None:
    (program.folder / "a.txt").write_text(AGREEMENT.format("Alder Ltd", "Birch plc"))
    (program.folder / "b.txt").write_text(AGREEMENT.format("Cedar Inc.", "Birch plc"))
    program("add", "a.txt", "b.txt", *PLACE, "--words-only")
    first = " ".join(program(*REVIEW).out.split())
    assert "Read for nobody in particular. To tell our side from theirs, name a party" in first
    assert "--for: Birch plc (2); Alder Ltd (1); Cedar Inc. (1)" in first
    refused = program(*REVIEW, "--for", "Dogwood", code=2).err
    there = "There are: Birch plc (Recipient); Alder Ltd (Discloser); Cedar Inc. (Discloser)."
    assert there in refused
    for options, problem in (
        (("--for", "Alder", "--for-nobody"), "contradict each other"),
        (("--for", "Alder", "--only", "failed"), "not only failed ones"),
        (("--for", "Alder", "--with-model", "--estimate"), "--estimate changes nothing"),
    ):
        assert problem in program(*REVIEW, *options, code=2).err
    assert "Read for Alder (1 of 2 contracts for nobody)." in program(*REVIEW, "--for", "Alder").out
    again = program(*REVIEW, "--json").json
    assert again["read_for"] == ["Alder"]
    assert [each["read_for"] for each in again["documents"]] == [["Alder Ltd"], []]
    assert {"name": "Read for", "value": "Alder (1 of 2 contracts for nobody)"} in again[
        "provenance"
    ]
    listed = program("status", "-l", "l.db", "--json").json["collections"]
    assert [each["read_for"] for each in listed] == [["Alder"]]
    assert program("status", "-l", "l.db").out.rstrip().splitlines()[-1].split()[-1] == "Alder"
    assert "Read for nobody" in program(*REVIEW, "--for-nobody").out
    assert program("status", "-l", "l.db").out.rstrip().splitlines()[-1].split()[-1] == "nobody"
