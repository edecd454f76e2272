"""Changes tracked in the first version's own Word file: accepted the second, rejected the first."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fourcorners.comparison.compare import compare_documents
from fourcorners.documents.document import Document
from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.reports.comparison.word_original import mark_original, original_file
from tests.comparison.contracts import contract

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NAMES = (
    "01-northmere-master-services-agreement.docx",
    "05-quillon-software-licence.docx",
    "06-halden-joint-development-agreement.docx",
)


def replace_word(paragraph: Paragraph) -> None:
    for run in paragraph.runs:
        for old, new in ((" shall ", " shall not "), (" may ", " must "), (" the ", " each ")):
            if old in run.text:
                run.text = run.text.replace(old, new, 1)
                return


def change_words(paragraphs: list[Paragraph]) -> None:
    for each in paragraphs[::7]:
        replace_word(each)


def take_out(paragraph: Paragraph) -> None:
    parent = paragraph._p.getparent()
    assert parent is not None
    parent.remove(paragraph._p)


def remove(paragraphs: list[Paragraph]) -> None:
    for each in paragraphs[10:12]:
        take_out(each)


def add(paragraphs: list[Paragraph]) -> None:
    new = deepcopy(paragraphs[8]._p)
    first, *others = new.iter(f"{W}t")
    first.text = "The parties keep records of every visit to a site for seven years. "
    for each in others:
        each.text = ""
    paragraphs[9]._p.addnext(new)


def move(paragraphs: list[Paragraph]) -> None:
    take_out(paragraphs[5])
    paragraphs[20]._p.addnext(paragraphs[5]._p)


def all_of_them(paragraphs: list[Paragraph]) -> None:
    for edit in (change_words, add, move, remove):
        edit(paragraphs)


def words(document: Document) -> list[str]:
    return document.text.split()


@pytest.mark.parametrize("edit", [change_words, remove, add, move, all_of_them])
@pytest.mark.parametrize("name", NAMES)
def test_accepting_all_gives_the_second_version_and_rejecting_all_the_first(
    name: str, edit: Callable[[Any], None], dataroom: Path, tmp_path: Path
) -> None:
    import docx

    word = docx.Document(str(dataroom / name))
    edit([each for each in word.paragraphs if len(each.text) > 120])
    word.save(str(tmp_path / "second.docx"))
    before, after = read_document(dataroom / name), read_document(tmp_path / "second.docx")
    data = original_file(before)
    assert data is not None
    marked, refused = mark_original(compare_documents(before, after), data, "A. Reviewer")
    assert refused == 0
    for accept, wanted in ((True, after), (False, before)):
        path = tmp_path / "resolved.docx"
        path.write_bytes(resolve_changes(marked, path, accept=accept))
        assert words(read_document(path)) == words(wanted)


def test_what_cannot_be_tracked_is_a_comment(dataroom: Path, tmp_path: Path) -> None:
    import docx

    word = docx.Document(str(dataroom / NAMES[0]))
    cell = word.tables[0].rows[1].cells[0].paragraphs[0]
    cell._p.addnext(deepcopy(cell._p))
    word.save(str(tmp_path / "second.docx"))
    before, after = read_document(dataroom / NAMES[0]), read_document(tmp_path / "second.docx")
    data = original_file(before)
    assert data is not None
    comparison = compare_documents(before, after)
    assert any(each.changes or not each.before for each in comparison.clauses)
    marked, _ = mark_original(comparison, data, "A. Reviewer")
    path = tmp_path / "rejected.docx"
    path.write_bytes(resolve_changes(marked, path, accept=False))
    assert words(read_document(path)) == words(before)


def test_a_file_that_is_gone_or_changed_or_no_word_file_has_no_original(
    dataroom: Path, tmp_path: Path
) -> None:
    assert original_file(contract()) is None
    path = tmp_path / "contract.docx"
    path.write_bytes((dataroom / NAMES[1]).read_bytes())
    document = read_document(path)
    assert original_file(document) == path.read_bytes()
    path.write_bytes((dataroom / NAMES[2]).read_bytes())
    assert original_file(document) is None
    path.unlink()
    assert original_file(document) is None
