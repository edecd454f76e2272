"""The Word document: accepted it is the second version, rejected the first, and it is read so."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.comparison.compare import compare_documents
from fourcorners.comparison.comparison import Comparison
from fourcorners.comparison.versions import compare_versions
from fourcorners.documents.read import read_document
from fourcorners.reports.comparison.writers import WrittenComparison, comparison_writer
from fourcorners_bench.comparison.word_views import Resolution, view, wrong_sides
from tests.comparison.contracts import CLAUSES, compare
from tests.comparison.test_marking import CHANGED
from tests.documents.docx.packages import parts, rewritten

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def written(comparison: Comparison, folder: Path) -> Path:
    path = folder / "compared.docx"
    comparison_writer(path)(comparison, path, author="A. Reviewer")
    return path


def resolved(path: Path, *, accept: bool) -> list[str]:
    """Return the paragraphs with all changes accepted or rejected."""
    lines = view(path.read_bytes(), Resolution("A. Reviewer", accept=accept))
    return [" ".join(each.removeprefix("document: ").split()) for each in lines]


@pytest.mark.parametrize("name", CHANGED)
def test_accepting_all_gives_the_second_version_and_rejecting_all_the_first(
    name: str, tmp_path: Path
) -> None:
    path = written(compare(*CHANGED[name]), tmp_path)
    assert resolved(path, accept=True) == [*CHANGED[name]]
    assert resolved(path, accept=False) == [*CLAUSES]


def test_the_reader_of_word_files_reads_the_accepted_version(tmp_path: Path) -> None:
    path = written(compare(*CHANGED["a value"]), tmp_path)
    assert read_document(path).text.split() == " ".join(CHANGED["a value"]).split()


def test_each_change_has_its_author_and_characters_that_xml_lacks_do_no_harm(
    tmp_path: Path,
) -> None:
    import docx

    path = written(compare(*CLAUSES, "5.4 A bell\x07 and <w:p/> & more of the same."), tmp_path)
    changes = list(docx.Document(str(path)).element.body.iter(f"{W}ins", f"{W}del"))
    assert changes
    assert {each.get(f"{W}author") for each in changes} == {"A. Reviewer"}
    assert "<w:p/> & more" in resolved(path, accept=True)[-1]


NAMES = (
    "01-northmere-master-services-agreement.docx",
    "05-quillon-software-licence.docx",
    "06-halden-joint-development-agreement.docx",
)


def edit(paragraphs: list[Paragraph]) -> None:
    """Change words here and there, add a paragraph, move one and take two out."""
    for each in paragraphs[::7]:
        for run in each.runs:
            run.text = run.text.replace(" shall ", " shall not ", 1)
    paragraphs[9]._p.addnext(deepcopy(paragraphs[8]._p))
    paragraphs[20]._p.addnext(paragraphs[5]._p)
    for each in paragraphs[10:12]:
        parent = each._p.getparent()
        assert parent is not None
        parent.remove(each._p)


@pytest.mark.parametrize("name", NAMES)
def test_the_changes_are_in_the_first_version_s_own_file(
    name: str, dataroom: Path, tmp_path: Path
) -> None:
    import docx

    word = docx.Document(str(dataroom / name))
    edit([each for each in word.paragraphs if len(each.text) > 120])
    word.save(str(tmp_path / "second.docx"))
    files = dataroom / name, tmp_path / "second.docx"
    path = tmp_path / "compared.docx"
    found = compare_documents(*map(read_document, files))
    written = comparison_writer(path)(found, path, author="A. Reviewer")
    assert written == WrittenComparison()
    sides = [each.read_bytes() for each in files]
    assert wrong_sides(path.read_bytes(), sides, "A. Reviewer") == []


def by_version(path: Path) -> dict[str, list[str]]:
    """Return the words of the changes in a body by their authors."""
    import docx

    found: dict[str, list[str]] = {}
    for each in docx.Document(str(path)).element.body.iter(f"{W}ins", f"{W}del"):
        words = "".join(node.text or "" for node in each.iter(f"{W}t", f"{W}delText"))
        if words:
            found.setdefault(each.get(f"{W}author"), []).append(words)
    return found


def test_of_several_versions_each_change_is_by_the_one_that_brought_it(
    dataroom: Path, tmp_path: Path
) -> None:
    import docx

    def save(name: str, *pairs: tuple[str, str]) -> Path:
        for paragraph in word.paragraphs:
            for run in paragraph.runs:
                for old, new in pairs:
                    run.text = run.text.replace(old, new)
        word.save(str(tmp_path / name))
        return tmp_path / name

    word = docx.Document(str(dataroom / NAMES[0]))
    word.core_properties.modified = datetime(2026, 3, 9, 17, 30)
    files = [dataroom / NAMES[0]]
    added = "We keep a stock of spare modules for one year. "
    files.append(save("2.docx", ("payable thirty days", "payable sixty days"), ("Sums due", added)))
    row = word.tables[0].rows[-1]
    row._tr.addnext(deepcopy(row._tr))
    files.append(save("3.docx", ("payable sixty", "payable ninety"), ("one year", "ever")))
    versions = compare_versions([read_document(each) for each in files])
    path = tmp_path / "marked.docx"
    written = comparison_writer(path)(versions.against(1), path, author="A. Reviewer")
    assert written == WrittenComparison()
    found = by_version(path)
    row_words = [each.text for each in row.cells]
    assert found["Version 2"][-2:] == ["We keep a stock of spare modules for ", ". "]
    assert {"thirty", "Sums due"} <= set(found["Version 2"])
    assert found["Version 3"] == ["ninety", "ever", *row_words]
    data = path.read_bytes()
    marked = parts(data)["word/document.xml"]
    assert b'w:author="Version 2" w:date="2026-03-09T17:30:00Z"' in marked
    for name in found:  # as if one author had made all changes
        marked = marked.replace(f'"{name}"'.encode(), b'"Anyone"')
    data = rewritten(data, "word/document.xml", parts(data)["word/document.xml"], marked)
    assert wrong_sides(data, [files[0].read_bytes(), files[-1].read_bytes()], "Anyone") == []


def test_if_a_word_file_has_changed_since_it_was_read_all_words_are_in_a_plain_one(
    dataroom: Path, tmp_path: Path
) -> None:
    second = tmp_path / "second.docx"
    second.write_bytes((dataroom / NAMES[1]).read_bytes())
    before, after = read_document(dataroom / NAMES[0]), read_document(second)
    second.write_bytes(b"something else")
    path = written(compare_documents(before, after), tmp_path)
    for accept, wanted in ((True, after), (False, before)):
        lines = view(path.read_bytes(), Resolution("A. Reviewer", accept=accept))
        words = " ".join(each.removeprefix("document: ") for each in lines)
        assert words.split() == wanted.text.split()
