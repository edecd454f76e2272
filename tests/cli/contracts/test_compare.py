"""`fourcorners compare` as a user runs it."""

from __future__ import annotations

import json
from getpass import getuser
from pathlib import Path

import pytest

from fourcorners.cli.contracts.compare import NOT_TRACKED
from fourcorners_bench.comparison.word_files import Contract, Paragraph, Table, write_word_file
from fourcorners_bench.comparison.word_views import wrong_sides
from tests.comparison.contracts import CLAUSES, contract, replaced
from tests.conftest import Program
from tests.documents.docx.packages import rewritten

COMPARED = Path(__file__).parents[2] / "documents" / "docx" / "compared"


@pytest.fixture
def versions(program: Program) -> Program:
    changed = replaced("thirty (30) days", "sixty (60) days")
    (program.folder / "one.txt").write_text(contract().text)
    (program.folder / "two.txt").write_text(contract(*changed[:12], *changed[13:]).text)
    return program


def test_what_changed_is_printed_values_first(versions: Program) -> None:
    shown = versions("compare", "one.txt", "two.txt", "--words-only").out
    assert "one.txt → two.txt" in shown
    assert "30 days → 60 days" in shown
    assert "[-thirty (30-]{+sixty (60+}) days" in " ".join(shown.split())
    assert shown.index("30 days → 60 days") < shown.index("3.2  removed")
    assert not (versions.folder / "fourcorners.db").exists()


def test_json_has_every_change_with_its_places(versions: Program) -> None:
    value = versions("compare", "one.txt", "two.txt", "--words-only", "--json").json
    texts = {name: (versions.folder / f"{name}.txt").read_text() for name in ("one", "two")}
    first, *others = value["changes"]
    assert first["section"] == "values"
    (word,) = first["words"]
    assert (word["aspect"], word["old"], word["new"]) == ("period", "30 days", "60 days")
    for side, text in (("before", texts["one"]), ("after", texts["two"])):
        place = word[side]
        assert text[place["start"] : place["end"]] == place["text"]
    assert [each["relation"] for each in others] == ["removed"]
    assert value["counts"]["changed"] == value["counts"]["removed"] == 1


def test_files_are_written_by_their_suffix(versions: Program) -> None:
    names = ("page.html", "marked.docx", "value.json")
    out = [part for name in names for part in ("--out", name)]
    versions("compare", "one.txt", "two.txt", "--words-only", *out)
    assert "<ins>sixty (60</ins>" in (versions.folder / "page.html").read_text()
    assert (versions.folder / "marked.docx").read_bytes()[:2] == b"PK"
    assert json.loads((versions.folder / "value.json").read_text())["changes"]


def test_a_footer_of_a_word_file_is_listed_and_tracked(program: Program) -> None:
    names = [str(COMPARED / f"footer-{n}.docx") for n in (1, 2)]
    shown = program("compare", *names, "--words-only", "--out", "marked.docx").out
    assert "Footer, “Confidential. Terms of" in shown
    assert "say the same" not in shown
    sides = [Path(each).read_bytes() for each in names]
    marked = (program.folder / "marked.docx").read_bytes()
    assert wrong_sides(marked, sides, getuser()) == []


def test_what_cannot_be_tracked_is_in_the_exit_code(program: Program) -> None:
    body: list[Paragraph | Table] = [Paragraph([("text", each)]) for each in CLAUSES]
    file = write_word_file(Contract(body, None, None))
    (program.folder / "one.docx").write_bytes(file)
    changed = rewritten(file, "word/document.xml", b"</w:pPr>", b"<w:sectPr/></w:pPr>")
    (program.folder / "two.docx").write_bytes(changed)
    names = ("one.docx", "two.docx", "--words-only")
    found = program("compare", *names, "--out", "marked.docx", code=NOT_TRACKED)
    assert "Not tracked: 1 change" in " ".join((found.out + found.err).split())
    value = program("compare", *names, "--out", "marked.docx", "--json", code=NOT_TRACKED).json
    assert (value["untracked"], value["differences"]) == (["a section ends"], [])


def test_of_several_versions_what_each_changed_and_which_brought_what(versions: Program) -> None:
    two = (versions.folder / "two.txt").read_text()
    (versions.folder / "three.txt").write_text(two.replace("sixty (60)", "ninety (90)"))
    (versions.folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    names = ("one.txt", "broken.pdf", "two.txt", "three.txt", "--words-only")
    found = versions("compare", *names, "--out", "marked.docx", code=1)
    assert "broken.pdf" in found.err
    assert "Version 2 is left out; its changes count to the next version." in found.err
    rounds, last = found.out.split("Version 4, and which version brought each change")
    assert rounds.index("Version 3 after version 1") < rounds.index("60 days → 90 days")
    assert "30 days → 90 days; versions 3 and 4" in last
    assert "3.2  removed; version 3" in last
    written = sorted(each.name for each in versions.folder.glob("marked*.docx"))
    assert written == ["marked-1.docx", "marked-3.docx"]

    value = versions("compare", *names, "--against", "two.txt", "--json", code=1).json
    assert [each["number"] for each in value["versions"]] == [1, 3, 4]
    assert [each["number"] for each in value["unread"]] == [2]
    assert [each["counts"]["changed"] for each in value["rounds"]] == [1, 1]
    (change,) = value["current"]["changes"]
    assert (change["versions"], change["words"][0]["versions"]) == ([4], [4])
    assert "broken.pdf" in versions("compare", *names, "--against", "2", code=1).err


def test_the_last_version_must_be_readable_and_no_file_is_named_twice(versions: Program) -> None:
    (versions.folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    assert "broken.pdf" in versions("compare", "one.txt", "two.txt", "broken.pdf", code=1).err
    said = versions("compare", "one.txt", "two.txt", "./one.txt", "--words-only", code=2).err
    assert "one.txt is given twice" in said
    said = versions("compare", "one.txt", "two.txt", "--against", "3", code=2).err
    assert "3 is no earlier version" in said


def test_changes_of_formatting_alone_are_counted_apart(program: Program) -> None:
    body: list[Paragraph | Table] = [Paragraph([("text", each)]) for each in CLAUSES]
    file = write_word_file(Contract(body, None, None))
    (program.folder / "one.docx").write_bytes(file)
    bold = rewritten(file, "word/document.xml", b"<w:r><w:t ", b"<w:r><w:rPr><w:b/></w:rPr><w:t ")
    (program.folder / "two.docx").write_bytes(bold)
    names = ("one.docx", "two.docx", "--words-only", "--out", "marked.docx")
    assert program("compare", *names, "--json").json["format_changes"] == 0
    value = program("compare", *names, "--formatting", "--json").json
    assert (value["format_changes"], value["changes"], value["differences"]) == (1, [], [])
    found = program("compare", *names, "--formatting")
    assert "Formatting only: 1 change" in " ".join((found.out + found.err).split())


def test_the_same_contract(versions: Program) -> None:
    assert "say the same" in versions("compare", "one.txt", "one.txt", "--words-only").out


def test_a_contract_of_the_library_with_a_file(larch: Program, tmp_path: Path) -> None:
    path = tmp_path / "template.txt"
    path.write_text("\n\n".join(CLAUSES))
    shown = larch("compare", "Northmere Master", str(path), "--words-only").out
    assert "01-northmere-master-services-agreement.docx → template.txt" in shown


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("empty.txt", b"", "the file is empty"), ("broken.pdf", b"%PDF-1.7\nnothing", "broken.pdf")],
)
def test_what_cannot_be_read(versions: Program, name: str, content: bytes, says: str) -> None:
    (versions.folder / name).write_bytes(content)
    assert says in versions("compare", "one.txt", name, "--words-only", code=1).err


def test_a_path_where_nothing_is(versions: Program) -> None:
    (versions.folder / "fourcorners.db").unlink(missing_ok=True)
    versions("add", "one.txt", "--library", "fourcorners.db", "--collection", "Deals")
    said = versions("compare", "one.txt", "thre.pdf", code=2).err
    assert "thre.pdf: there is no such file" in said


def test_a_format_that_there_is_none_of(versions: Program) -> None:
    said = versions("compare", "one.txt", "two.txt", "--out", "page.odt", code=2).err
    assert "End the name in .html, .docx, .pdf or .json." in said
