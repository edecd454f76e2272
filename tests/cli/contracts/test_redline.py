"""`fourcorners redline` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from tests.conftest import Program
from tests.redline.word_contracts import WORD_CONTRACTS, word_file

HOUSE = """
id: house
name: House
version: "2"
provisions:
  - id: prices
    name: Notice
    definition: Notice without a reason.
    query: '"terminate any time"~8^5'
    threshold: 0.01
    examples: [A party may terminate at any time by notice.]
    positions:
      - {kind: unacceptable, text: Short notice., under: 180 days}
      - {kind: preferred, text: Long notice., example: Six months' notice is needed.}
  - id: termination-for-convenience
    name: Ending without a reason
    definition: It may be ended.
    query: '"terminate any time"~8^5'
"""


@pytest.fixture
def supply(tmp_path: Path) -> Path:
    path = tmp_path / "supply.docx"
    path.write_bytes(word_file(WORD_CONTRACTS["tracked-changes"]()))
    return path


def test_a_word_file_is_marked_up(program: Program, supply: Path, tmp_path: Path) -> None:
    shown = program(
        "redline", supply, "--for", "Customer", "--out", "marked.docx", "--by", "Ann Lee"
    )
    assert "3 changes proposed" in shown.out
    assert "consent{+ (not to be unreasonably withheld, conditioned or delayed)+}" in " ".join(
        shown.out.split()
    )
    assert not (tmp_path / "fourcorners.db").exists()
    marked = tmp_path / "marked.docx"
    text = read_document(marked).text
    assert "consent (not to be unreasonably withheld, conditioned or delayed) of the other" in text
    assert "one hundred and eighty (180) days" in text
    assert "6.4 Neither party is liable" in text
    comments = [mark.detail for mark in read_document(marked).marks if mark.kind == "comment"]
    assert any("The contract says (6 Miscellaneous › 6.1): “" in each for each in comments)
    assert any("To fill in: amount of the cap" in each for each in comments)
    rejected = tmp_path / "rejected.docx"
    rejected.write_bytes(
        resolve_changes(marked.read_bytes(), marked, accept=False, author="Ann Lee")
    )
    assert read_document(rejected).text == read_document(supply).text


def test_what_a_person_decides(program: Program, supply: Path) -> None:
    value = program(
        *("redline", supply, "--for", "Supplier", "--aim", "preferred", "--change", "Assignment"),
        *("--fill", "amount of the cap=£1,000,000", "--json"),
    ).json
    changes = {each["provision"]: each for each in value["changes"]}
    assert changes["assignment"]["basis"] == "person"
    assert changes["assignment"]["target_kind"] == "preferred"
    cap = changes["cap-on-liability"]
    assert "shall not exceed £1,000,000." in cap["edits"][0]["text"]
    assert cap["blanks"] == []
    text = read_document(supply).text
    for change in value["changes"]:
        before = "".join(each["text"] for each in change["edits"] if each["kind"] != "insert")
        assert text[change["start"] : change["end"]] == before
        for quote in change["quotes"]:
            assert text[quote["start"] : quote["end"]] == quote["text"]


def test_open_points_have_their_places_and_blanks(program: Program, supply: Path) -> None:
    asked = ("redline", supply, "--for", "Customer", "-p", "commercial-terms")
    value = program(*asked, "--json").json
    text = read_document(supply).text
    points = value["to_decide"]
    assert any(each["blanks"] for each in points)
    for each in points:
        if each["quotes"]:
            assert text[each["start"] : each["end"]] == each["quotes"][0]["text"]
        else:
            assert (each["start"], each["end"]) == (None, None)
    ranks = [(each["is_recognised"], each["score"]) for each in points]
    assert ranks == sorted(ranks, reverse=True)
    assert {True, False} == {each["is_recognised"] for each in points}
    out = program(*asked).out
    assert out.index("Your decision") < out.index("Also found, to be read")
    assert " to be read" in out.splitlines()[-1]


def test_an_unknown_provision_is_looked_for_in_all_playbooks(
    program: Program, supply: Path, tmp_path: Path
) -> None:
    house = tmp_path / "house.yaml"
    house.write_text(HOUSE, "utf-8")
    asked = ("redline", supply, "--for", "Customer", "-p", "due-diligence", "-p", house)
    for wanted, near in (("asignment", "Assignment"), ("price", "Notice"), ("xyzzy", "Insurance")):
        error = " ".join(program(*asked, "--change", wanted, code=2).err.split())
        assert near in error


def test_several_playbooks_make_one_mark_up(program: Program, supply: Path, tmp_path: Path) -> None:
    house = tmp_path / "house.yaml"
    house.write_text(HOUSE, "utf-8")
    value = program(
        *("redline", supply, "--for", "Customer", "-p", house, "-p", "due-diligence"),
        *("--change", "Assignment", "--json"),
    ).json
    assert value["playbook"] == "House and M&A due diligence"
    (point,) = [each for each in value["to_decide"] if each["provision"] == "prices"]
    assert point["source"]["name"] == "the playbook House, version 2"
    assert "“ninety (90) days”" in point["reason"]
    sources = {each["provision"]: each["source"]["name"] for each in value["changes"]}
    assert sources["assignment"].startswith("the playbook M&A due diligence")
    names = [each["provision"] for each in [*value["changes"], *value["to_decide"]]]
    assert names.count("termination-for-convenience") == 0  # that of the first playbook counts


def test_what_is_not_judged_or_not_there_is_said(
    program: Program, supply: Path, tmp_path: Path
) -> None:
    house = tmp_path / "house.yaml"
    house.write_text(
        f"{HOUSE.partition('    positions:')[0]}"
        "  - {id: ships, name: Ships, definition: Ships., query: '\"frigate charter\"~4'}\n",
        "utf-8",
    )
    asked = ("redline", supply, "--for", "Customer", "-p", house)
    value = program(*asked, "--json").json
    assert value["changes"] == value["to_decide"] == []
    assert (value["unjudged"], value["missing"]) == (["Notice"], ["Ships"])
    said = "Not found: Ships; Found and not judged: Notice."
    assert said in program(*asked).out
    program(*asked, "--out", "none.md")
    assert said in (tmp_path / "none.md").read_text("utf-8")


def test_another_format_gets_a_table(program: Program, supply: Path, tmp_path: Path) -> None:
    plain = tmp_path / "supply.txt"
    plain.write_text(read_document(supply).text.replace("Goods", "<b>Goods|"))
    program("redline", plain, "--for", "Customer", "--out", "changes.md")
    table = (tmp_path / "changes.md").read_text()
    assert "| 1 | Termination for convenience |" in table
    assert "<b>" not in table.replace("\\<b\\>", "")
    error = program("redline", plain, "--for", "Customer", "--out", "marked.docx", code=2).err
    assert "--out changes.md" in error


def test_what_is_wrong_is_told(program: Program, supply: Path) -> None:
    error = program("redline", supply, "--for", "Nobody", code=2).err
    assert (
        "There are: Alder Components Limited (Supplier); Birch Retail Limited (Customer)"
        in " ".join(error.split())
    )
    assert (
        "names no slot"
        in program("redline", supply, "--for", "Customer", "--fill", "nonsense", code=2).err
    )
    assert (
        ".docx or as .md"
        in program("redline", supply, "--for", "Customer", "--out", "x.pdf", code=2).err
    )


def test_the_contract_is_not_overwritten(program: Program, supply: Path) -> None:
    before = supply.read_bytes()
    said = program("redline", supply, "--for", "Customer", "--out", supply, code=2).err
    assert "is the contract itself" in " ".join(said.split())
    assert supply.read_bytes() == before


def test_a_contract_of_the_library(larch: Program, tmp_path: Path) -> None:
    out = tmp_path / "northmere.docx"
    shown = larch(
        "redline", "Northmere Master", "--for", "Customer", "--out", out, "--comment-open"
    )
    assert "to be decided by you" in shown.out
    assert out.stat().st_size


LONGEST = HOUSE.replace("text: Short notice., under: 180 days", "text: Too long., over: 80 days")


def test_the_changes_of_others_are_listed_and_answered(
    program: Program, supply: Path, tmp_path: Path
) -> None:
    (tmp_path / "house.yaml").write_text(LONGEST)
    given = ("redline", supply, "--for", "Customer", "-p", "house.yaml", "--words-only")
    shown = " ".join(program(*given, "--by", "Ann Lee").out.split())
    assert "Proposed by Other Side" in shown
    assert "reject: Notice clause 5 Term and Termination › 5.2 before sixty (60)" in shown
    assert "after ninety (90) why “ninety (90) days”: too long." in shown
    assert "to be decided: 6 Miscellaneous › 6.1 before express after prior written" in shown
    assert "Proposed by" not in program(*given, "--by", "Other Side").out
    options = ("--by", "Ann Lee", "--answer", "Other Side", "--out", "marked.docx")
    answers = program(*given, *options, "--json").json["proposed"]
    assert [each["answer"] for each in answers] == ["reject", "to be decided"]
    assert (answers[0]["author"], answers[0]["before"]) == ("Other Side", "sixty (60)")
    marked = tmp_path / "marked.docx"
    assert "giving the other party sixty (60) days’ prior" in read_document(marked).text
    marks = [each.detail for each in read_document(marked).marks if each.kind == "comment"]
    assert any(each.startswith("Ann Lee") and "Notice: rejected." in each for each in marks)
    withdrawn = tmp_path / "withdrawn.docx"
    withdrawn.write_bytes(
        resolve_changes(marked.read_bytes(), marked, accept=False, author="Ann Lee")
    )
    assert read_document(withdrawn).text == read_document(supply).text


def test_only_authors_with_changes_are_answered(program: Program, supply: Path) -> None:
    given = ("redline", supply, "--for", "Customer", "--words-only", "--answer", "Nobody")
    assert "--out" in program(*given, code=2).err
    failed = program(*given, "--out", "marked.docx", code=2).err
    assert "no tracked changes by 'Nobody'" in failed
    assert "Other Side" in failed
